"""``why`` explains from the catalog alone: no Spark, no tables, and policies may be wrong."""

import shutil

import pytest

from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate, Outcome, Verdict
from data_platform_tests.cli.shop import DAY, HELD_RUN, ORDERS, QUARANTINE, RUN, SIGNATURE, Shop, certify, hold, report


def test_a_held_day_names_the_rule_and_the_next_command(shop: Shop) -> None:
    certify(shop)
    hold(shop)

    text = shop.run("why", "orders", "--partition", DAY).stdout
    document = shop.json("why", "orders", "-p", DAY)

    assert text.splitlines()[0] == f"{ORDERS} {DAY} was held at silver 2025-01-07 03:00:05 (UTC) in {HELD_RUN}"
    assert f"QUARANTINE {SIGNATURE}: 2 rows" in text
    assert f"quarantined in quarantine.{QUARANTINE}" in text
    assert f"data-platform run --select {ORDERS} --partition {DAY}" in text
    assert document["state"] == "HELD"
    assert document["stages"][-1]["verdicts"][0]["results"][0]["signature"] == SIGNATURE


def test_what_people_released_is_shown(shop: Shop) -> None:
    released = {"rows": {"1": 2}, "rules": {SIGNATURE: 2}, "by": ["ann asked for it, and bob approved it"]}
    passed = Verdict(gate=Gate.DQ, outcome=Outcome.PASSED)
    with shop.catalog() as catalog:
        catalog.runs.record(report(RUN, Stage.SILVER, passed, metadata={"released": released}), [], held_reason="x")

    text = shop.run("why", "orders", "-p", DAY).stdout

    assert f"people released what breaks {SIGNATURE} (2 rows): ann asked for it, and bob approved it" in text


def test_the_current_version_is_explained_by_default(shop: Shop) -> None:
    certify(shop)
    hold(shop)

    by_default = shop.json("why", "orders")

    assert (by_default["version"], by_default["stages"][-1]["run_id"]) == (4, RUN)
    assert by_default == shop.json("why", ORDERS, "v4") == shop.json("why", ORDERS, "4")
    assert shop.run("why", "orders").stdout.startswith(f"{ORDERS} {DAY} is in v4, certified 2025-01-07 03:00:05 (UTC)")


def test_a_dataset_without_a_certified_version_is_explained_by_its_last_attempt(shop: Shop) -> None:
    hold(shop)

    assert shop.json("why", "orders")["state"] == "HELD"


def test_it_needs_neither_policies_nor_tables(shop: Shop) -> None:
    certify(shop)
    before = shop.json("why", ORDERS)
    shutil.rmtree(shop.root / "policies")
    shutil.rmtree(shop.root / "home" / "lake")

    assert shop.json("why", ORDERS) == before == shop.json("why", "orders")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(("v5",), f"v5 of {ORDERS} was never certified: consumers saw v4", id="an unknown version"),
        pytest.param(("latest",), "'latest' is not a version: expected one such as v17", id="no version"),
        pytest.param(("-p", "2025-01-01"), f"there are runs of {DAY}", id="a day that never ran"),
        pytest.param(("-p", "2025-1-1"), "'2025-1-1' is not a partition", id="no day"),
    ],
)
def test_what_does_not_exist_is_wrong_use(shop: Shop, arguments: tuple[str, ...], message: str) -> None:
    certify(shop)

    result = shop.run("why", "orders", *arguments)

    assert (result.exit_code, result.stdout) == (2, "")
    assert message in result.stderr


def test_a_name_of_a_file_cannot_control_the_terminal(shop: Shop) -> None:
    missing = Verdict(gate=Gate.G1_RESOLUTION, outcome=Outcome.FAILED, reason="[red]NO_FILES[/red]")
    with shop.catalog() as catalog:
        done = report(RUN, Stage.BRONZE, missing, metadata={"files": ["a\x1b[31m.csv", "[bold]b.csv"]})
        catalog.runs.record(done, [], held_reason="NO_FILES")

    text = shop.run("why", "orders", "-p", DAY).stdout

    assert "\x1b" not in text
    assert "file a\\x1b[31m.csv" in text
    assert "file [bold]b.csv" in text
    assert "[red]NO_FILES[/red]" in text
