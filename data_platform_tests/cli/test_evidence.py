"""``evidence list`` finds verdicts of gates, and prints FR-10's fields as JSON, and the record's place."""

import pytest

from data_platform.model.evidence import FIELDS
from data_platform_tests.cli.shop import DAY, HELD_RUN, ORDERS, RUN, SIGNATURE, Shop, certify, hold


def test_evidence_is_listed_with_the_newest_first(shop: Shop) -> None:
    certify(shop)
    hold(shop)

    lines = [line.split() for line in shop.run("evidence", "list").stdout.splitlines()[1:]]

    assert lines == [
        ["2025-01-07", "03:00:05", ORDERS, "silver", DAY, "G5_PII", "FAIL", SIGNATURE, "2", "rows"],
        ["2025-01-07", "03:00:05", ORDERS, "gold_certified", DAY, "CERTIFICATION", "CERTIFIED"],
    ]


@pytest.mark.parametrize(
    ("options", "runs"),
    [
        pytest.param((), [HELD_RUN, RUN], id="all"),
        pytest.param(("--failed",), [HELD_RUN], id="what did not pass"),
        pytest.param(("--run", RUN), [RUN], id="of a run"),
        pytest.param(("--gate", "G5_PII"), [HELD_RUN], id="of a gate"),
        pytest.param(("--limit", "1"), [HELD_RUN], id="the last"),
        pytest.param(("orders",), [HELD_RUN, RUN], id="of a dataset"),
        pytest.param(("customers",), [], id="of a dataset without any"),
    ],
)
def test_evidence_is_found_by_what_is_asked(shop: Shop, options: tuple[str, ...], runs: list[str]) -> None:
    certify(shop)
    hold(shop)

    found = shop.json("evidence", "list", *options)

    assert [item["run_id"] for item in found] == runs
    assert all(
        tuple(item) == (*FIELDS, "reason", "enforcement", "waivers", "stage", "partition", "evidence_id")
        for item in found
    )
    assert all(bool(item["reason"]) == (item["run_id"] == HELD_RUN) for item in found)


def test_an_empty_list_is_reported(shop: Shop) -> None:
    assert shop.run("evidence", "list").stdout == "no evidence matches\n"


def test_a_gate_that_does_not_exist_is_wrong_use_and_never_an_empty_list(shop: Shop) -> None:
    result = shop.run("evidence", "list", "--gate", "G4")

    assert result.exit_code == 2
    assert "G4_CONTRACT" in result.stderr
