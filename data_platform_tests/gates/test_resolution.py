"""G1_RESOLUTION: a delivery is whole, or it is held."""

from decimal import Decimal

import pytest

from data_platform.gates import resolution
from data_platform.model.verdict import Outcome, Severity, Verdict


def whole() -> Verdict:
    return resolution.judge("ds://x/orders", files=["a.csv"], delivery_id="d1", problems={})


def test_a_complete_delivery_passes_with_its_metadata() -> None:
    verdict = whole()

    assert verdict.outcome is Outcome.PASSED
    assert verdict.metadata == {"dataset_urn": "ds://x/orders", "delivery_id": "d1", "files": ["a.csv"]}


def test_a_cut_off_file_holds_the_delivery() -> None:
    verdict = resolution.judge(
        "ds://x/orders", files=["a.csv"], delivery_id="d1", problems={"MANIFEST_SIZE:a.csv:1≠2": "a.csv: cut off"}
    )

    assert verdict.outcome is Outcome.FAILED
    assert verdict.signatures == ("MANIFEST_SIZE:a.csv:1≠2",)
    assert verdict.reason == "a.csv: cut off"


def test_a_warning_is_reported_and_holds_nothing() -> None:
    verdict = resolution.judge(
        "ds://x/orders", files=["a.csv"], delivery_id="d1", problems={}, warnings={"EMPTY_FILE:b.csv": "b.csv: empty"}
    )

    assert (verdict.outcome, verdict.reason) == (Outcome.PASSED, "b.csv: empty")
    assert [r.severity for r in verdict.results if r.outcome is Outcome.FAILED] == [Severity.WARN]


def test_a_file_has_as_many_records_as_its_own_trailer_counts() -> None:
    by_file = {"a.csv": (2, 3), "b.csv": (3, 3), "c.csv": (4, 3)}
    verdict = resolution.judge_counts(whole(), records=9, promised=9, totals={}, by_file=by_file)

    assert verdict.signatures == ("RECORD_COUNT:a.csv:2≠3", "RECORD_COUNT:c.csv:4≠3")
    assert "a.csv: not as its trailer says" in verdict.reason


def test_no_file_is_no_pass() -> None:
    assert resolution.judge("ds://x/orders", files=[], delivery_id="", problems={}).outcome is Outcome.FAILED


def test_a_file_that_was_not_read_to_its_end_holds_the_delivery() -> None:
    verdict = resolution.judge_counts(
        whole(), records=5, promised=None, totals={}, unread=1, unread_reason="a.csv:2: NUL"
    )

    assert verdict.signatures == ("REST_UNREAD",)
    assert verdict.reason == "a.csv:2: NUL"


def test_records_and_totals_must_be_those_that_the_sender_counted() -> None:
    good = resolution.judge_counts(
        whole(), records=5, promised=5, totals={"amount": (Decimal("12.50"), Decimal("12.5"))}
    )
    short = resolution.judge_counts(whole(), records=4, promised=5, totals={"amount": (None, Decimal("12.5"))})

    assert good.outcome is Outcome.PASSED
    assert short.signatures == ("CONTROL_TOTAL:amount", "RECORD_COUNT:4≠5")


@pytest.mark.parametrize(
    ("found", "said", "why"),
    [
        pytest.param(Decimal(3), Decimal(4), "another sum", id="another sum"),
        pytest.param(None, Decimal(4), "no column", id="no such column"),
        pytest.param(Decimal(3), Decimal("NaN"), "no number", id="no number was promised"),
    ],
)
def test_a_total_that_differs_has_a_reason(found: Decimal | None, said: Decimal, why: str) -> None:
    verdict = resolution.judge_counts(whole(), records=5, promised=None, totals={"amount": (found, said)})

    assert why in verdict.results[-1].reason
    assert verdict.results[-1].reason.startswith("amount: ")
