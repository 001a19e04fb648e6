"""Names, verdicts and evidence have the required form."""

from datetime import UTC, datetime

import pytest

from data_platform.model.dataset import DatasetId
from data_platform.model.evidence import Evidence
from data_platform.model.run import RowCounts, new_run_id, quarantine_name
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict, worst

ORDERS = DatasetId("sales", "orders")
NOW = datetime(2026, 2, 15, 7, 15, 32, tzinfo=UTC)


def test_a_urn_is_read_and_written() -> None:
    assert DatasetId.parse("ds://curated/orders_enriched").urn == "ds://curated/orders_enriched"


@pytest.mark.parametrize("urn", ["ds://curated", "ds://Curated/orders", "ds://a/b/c", "curated/orders", "ds://a/b\n"])
def test_what_is_no_urn_is_refused(urn: str) -> None:
    with pytest.raises(ValueError, match="expected ds://zone/name"):
        DatasetId.parse(urn)


def test_a_quarantine_table_has_the_required_name() -> None:
    assert quarantine_name(ORDERS, NOW, "run_20260215_abc123") == "sales__orders_20260215_run_abc123"


def test_run_ids_name_their_day_and_differ() -> None:
    one, other = new_run_id(NOW), new_run_id(NOW)

    assert one.startswith("run_20260215_")
    assert one != other


def test_evidence_has_the_required_payload() -> None:
    evidence = Evidence(
        dataset_urn="ds://curated/orders_enriched",
        run_id="run_20260215_abc123",
        gate="G3_SCHEMA",
        result="FAIL",
        failure_signature="SCHEMA_BREAK:order_total:DECIMAL→STRING",
        quarantine_table="quarantine.orders_20260215_run_abc123",
        certified_view_status="HELD_AT_PREVIOUS",
        previous_certified_version="v42",
        timestamp=NOW,
    )

    assert evidence.payload() == {
        "dataset_urn": "ds://curated/orders_enriched",
        "run_id": "run_20260215_abc123",
        "gate": "G3_SCHEMA",
        "result": "FAIL",
        "failure_signature": "SCHEMA_BREAK:order_total:DECIMAL→STRING",
        "quarantine_table": "quarantine.orders_20260215_run_abc123",
        "certified_view_status": "HELD_AT_PREVIOUS",
        "previous_certified_version": "v42",
        "timestamp": "2026-02-15T07:15:32Z",
    }


@pytest.mark.parametrize(
    ("outcomes", "answer"),
    [
        pytest.param([], Outcome.SKIPPED, id="no gate is no pass"),
        pytest.param([Outcome.PASSED, Outcome.SKIPPED], Outcome.SKIPPED, id="a skipped gate is no pass"),
        pytest.param([Outcome.FAILED, Outcome.ERRORED], Outcome.ERRORED, id="an error is told first"),
        pytest.param([Outcome.PASSED], Outcome.PASSED, id="all passed"),
    ],
)
def test_the_worst_outcome_is_the_outcome(outcomes: list[Outcome], answer: Outcome) -> None:
    assert worst(outcomes) is answer


def test_signatures_name_what_broke_most_first() -> None:
    results = tuple(
        RuleResult(rule=name, signature=name, outcome=outcome, rows=rows)
        for name, outcome, rows in [
            ("few", Outcome.FAILED, 1),
            ("kept", Outcome.PASSED, 0),
            ("many", Outcome.FAILED, 9),
            ("errored", Outcome.ERRORED, None),
        ]
    )

    assert Verdict(gate=Gate.DQ, outcome=Outcome.FAILED, results=results).signatures == ("many", "few", "errored")


def test_a_row_that_is_nowhere_is_noticed() -> None:
    assert RowCounts(read=5, accepted=2, quarantined=3).conserved
    assert not RowCounts(read=5, accepted=2, quarantined=2).conserved


def test_an_explanation_names_each_thing_once() -> None:
    def failure(signature: str, reason: str) -> RuleResult:
        return RuleResult(rule="r", signature=signature, outcome=Outcome.FAILED, reason=reason)

    results = (failure("UNEXPECTED_FILE:b.txt", "b.txt: it is not as *.csv"), failure("NO_FILES:*.csv", "none is here"))
    verdict = Verdict(
        gate=Gate.G1_RESOLUTION,
        outcome=Outcome.FAILED,
        results=results,
        reason="b.txt: it is not as *.csv; none is here",
    )

    assert verdict.explanation() == ("NO_FILES:*.csv: none is here", "UNEXPECTED_FILE:b.txt: it is not as *.csv")
