"""``certified --as-of`` and ``history`` show what consumers saw, from the catalog and the table's log."""

import shutil
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

import data_platform
from data_platform.errors import NotCertifiedError, UnreadableVersionError, UsageError
from data_platform.model.certification import Certification, CertificationStatus, PointerMove
from data_platform_tests.cli.shop import DAY, HELD_RUN, NOW, ORDERS, RUN, SIGNATURE, Shop, certify, gold, hold

LATER_RUN = "run_20250108_cccccccccccc"


def move_and_certify_again(shop: Shop) -> None:
    """After ``certify``: the pointer moves to v5 after an hour, and v6 is certified a day later."""
    with shop.catalog() as catalog:
        moved = PointerMove(expected=4, version=5, reason="v4 -> v5: the same rows and columns")
        catalog.certifications.follow(ORDERS, moved, now=NOW + timedelta(hours=1))
        pointer = Certification(
            dataset_urn=ORDERS,
            status=CertificationStatus.CERTIFIED,
            version=6,
            path=str(gold(shop)),
            certified_at=NOW + timedelta(days=1),
            run_id=LATER_RUN,
            partition="2025-01-07",
        )
        catalog.certifications.certify(pointer, expected=5, evidence=[])


@pytest.mark.parametrize("name", ["orders", "sales/orders", "sales__orders", ORDERS, "gold_certified.orders"])
def test_the_version_at_a_time_is_found_by_every_name(shop: Shop, name: str) -> None:
    certify(shop)

    document = shop.json("certified", name, "--as-of", "2025-01-07T04:00:05+01:00")

    assert (document["version"], document["run_id"], document["damage"]) == (4, RUN, None)
    assert document["seen_from"] == "2025-01-07T03:00:05+00:00"
    assert document["seen_until"] is None


def test_a_date_is_the_end_of_that_day_where_the_dataset_is(shop: Shop) -> None:
    certify(shop)  # at 3 UTC, which is 22 o'clock of the day before in New York
    file = shop.root / "policies" / "datasets" / "sales" / "orders" / "dataset.yaml"
    in_utc = shop.run("certified", "orders", "--as-of", DAY)
    file.write_text(file.read_text().replace("2025-01-01}", "2025-01-01, time_zone: America/New_York}"))

    in_new_york = shop.json("certified", "orders", "--as-of", DAY)

    assert in_utc.exit_code == 1
    assert "had no certified version at 2025-01-06 23:59:59 UTC: its first one was certified at" in in_utc.stderr
    assert (in_new_york["version"], in_new_york["as_of"]) == (4, "2025-01-07T04:59:59.999999+00:00")


def test_a_version_whose_files_are_gone_is_never_shown_as_readable(shop: Shop) -> None:
    certify(shop)
    next(iter(gold(shop).glob("*/../_delta_log/00000000000000000004.json"))).unlink()

    result = shop.run("certified", "orders", "--as-of", "2025-01-08T00:00:00Z")
    document = shop.json("certified", "orders", "--as-of", "2025-01-08T00:00:00Z", exit_code=1)

    assert result.exit_code == 1
    assert f"error: v4 of {ORDERS} cannot be read any more: the log of v4 is gone" in result.stderr
    assert document["damage"] == "the log of v4 is gone"


def test_a_moved_version_is_shown_with_the_one_that_was_judged(shop: Shop) -> None:
    certify(shop)
    move_and_certify_again(shop)

    result = shop.run("certified", "orders", "--as-of", "2025-01-07T05:00:00Z")

    line = "consumers saw v5 at 2025-01-07 05:00:00, from 2025-01-07 04:00:05 until 2025-01-08 03:00:05 (UTC)"
    assert line in result.stdout
    assert "v5 has the same rows as v4, which the gates judged" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("--as-of", "2025-01-07"), "--as-of needs a dataset", id="no dataset"),
        pytest.param(("orders", "--as-of", "2025-01-07T03:00:05"), "has no zone", id="no zone"),
        pytest.param(("orders", "--as-of", "9999-01-01"), "is not over in UTC", id="the future"),
        pytest.param(("ordres", "--as-of", "2025-01-07"), "'ordres' is not a dataset", id="a mistyped name"),
    ],
)
def test_a_question_without_an_answer_is_wrong_use(shop: Shop, arguments: tuple[str, ...], message: str) -> None:
    certify(shop)

    result = shop.run("certified", *arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_the_history_has_every_change(shop: Shop) -> None:
    certify(shop)
    hold(shop)
    move_and_certify_again(shop)

    lines = shop.run("history", "orders").stdout.splitlines()
    page = shop.json("history", ORDERS, "--limit", "2")
    rest = shop.json("history", ORDERS, "--cursor", page["cursor"])

    assert lines[1].split() == ["2025-01-08", "03:00:05", "CERTIFIED", "v6", "2025-01-07", LATER_RUN]
    assert lines[3].split() == ["2025-01-07", "03:00:05", "HELD", "v4", DAY, HELD_RUN, SIGNATURE]
    assert [change["event"] for change in page["items"]] == ["CERTIFIED", "MOVED"]
    assert [change["event"] for change in rest["items"]] == ["HELD", "CERTIFIED"]


def test_the_past_of_a_dataset_outlives_its_policy(shop: Shop) -> None:
    certify(shop)
    shutil.rmtree(shop.root / "policies" / "datasets" / "sales" / "orders")
    before = shop.json("history", "orders")
    (shop.root / "policies" / "datasets" / "sales" / "customers" / "dataset.yaml").write_text("urn: [")

    assert before["items"][0]["version"] == 4
    for name in ("orders", ORDERS):
        assert shop.json("history", name) == before
        assert shop.json("certified", name, "--as-of", "2025-01-08T00:00:00Z")["version"] == 4


def test_a_dataset_that_never_ran_has_no_history(shop: Shop) -> None:
    assert shop.run("history", "orders").stdout == f"no run of {ORDERS} has ended yet\n"
    assert shop.json("history", "orders") == {"items": [], "cursor": None}


def test_python_gets_the_version_at_a_time(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in shop.environment.items():
        monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
    certify(shop)

    assert data_platform.certified(ORDERS, as_of=datetime(2025, 1, 7, 4, tzinfo=UTC)).version == 4
    assert data_platform.certified(ORDERS, as_of=date(2025, 1, 7)).version == 4
    assert data_platform.certified(ORDERS, as_of="2025-01-07").version == 4
    with pytest.raises(NotCertifiedError, match="had no certified version at 2025-01-06 23:59:59 UTC"):
        data_platform.certified(ORDERS, as_of=DAY)
    with pytest.raises(UsageError, match="has no zone"):
        data_platform.certified(ORDERS, as_of="2025-01-07T04:00:00")
    shutil.rmtree(Path(shop.root) / "home" / "lake")
    with pytest.raises(UnreadableVersionError, match="which cannot be read any more: there is no table"):
        data_platform.certified(ORDERS, as_of="2025-01-07")
