"""Only a failure that matches exactly is waived, and it stays visible as one."""

from datetime import UTC, datetime
from typing import Any

import pytest

from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform.model.waiver import WAIVERS, Waiver, WaiverStatus, covers_day, waive

NOON = datetime(2025, 1, 7, 12, tzinfo=UTC)
DAY = PartitionKey("2025-01-06")
TOO_FEW = RuleResult.failed("ROW_COUNT:1<2", "row count 1 < min_rows 2")


def waiver(**changes: Any) -> Waiver:
    values: dict[str, Any] = {
        "number": 3, "dataset_urn": "ds://shop/orders", "gate": Gate.DQ, "signature": "ROW_COUNT:1<2", "first": DAY,
        "last": DAY, "reason": "a holiday", "author": "ann", "requested_at": NOON, "expires_at": NOON,
        "status": WaiverStatus.APPROVED, "approver": "bob", "approved_at": NOON,
    }  # fmt: skip
    return Waiver(**{**values, **changes})


def failed(*results: RuleResult, gate: Gate = Gate.DQ, **changes: Any) -> Verdict:
    return Verdict(gate=gate, outcome=Outcome.FAILED, results=results, **changes)


def test_a_waived_failure_is_never_a_pass_and_names_its_waiver() -> None:
    [verdict] = waive([failed(TOO_FEW)], [waiver()], DAY)

    assert (verdict.outcome, verdict.passed, verdict.signatures) == (Outcome.WAIVED, False, ("ROW_COUNT:1<2",))
    [result] = verdict.results
    assert result.outcome is Outcome.WAIVED
    assert result.reason == "waived by waiver 3 of bob until 2025-01-07 12:00 UTC: row count 1 < min_rows 2"
    assert [use["number"] for use in verdict.metadata[WAIVERS]] == [3]


@pytest.mark.parametrize(
    ("one", "partition"),
    [
        pytest.param(waiver(gate=Gate.G4_CONTRACT), DAY, id="another gate"),
        pytest.param(waiver(signature="ROW_COUNT"), DAY, id="the beginning of the signature"),
        pytest.param(waiver(signature="row_count:1<2"), DAY, id="another case"),
        pytest.param(waiver(status=WaiverStatus.PENDING), DAY, id="not approved"),
        pytest.param(waiver(status=WaiverStatus.REVOKED), DAY, id="revoked"),
        pytest.param(waiver(status=WaiverStatus.EXPIRED), DAY, id="expired"),
        pytest.param(waiver(), DAY.next, id="another day"),
        pytest.param(waiver(), None, id="a dataset without partitions"),
        pytest.param(waiver(first=None, last=None), DAY, id="a waiver without a day, for a day"),
    ],
)
def test_a_failure_that_does_not_match_exactly_stays_failed(one: Waiver, partition: PartitionKey | None) -> None:
    verdict = failed(TOO_FEW)

    assert waive([verdict], [one], partition) == (verdict,)


@pytest.mark.parametrize("day", [DAY, DAY.next, DAY.next.next])
def test_a_range_covers_each_of_its_days(day: PartitionKey) -> None:
    [verdict] = waive([failed(TOO_FEW)], [waiver(last=DAY.next.next)], day)

    assert verdict.outcome is Outcome.WAIVED
    assert covers_day(verdict.metadata[WAIVERS][0], day)
    assert not covers_day(verdict.metadata[WAIVERS][0], DAY.previous)


@pytest.mark.parametrize(
    "verdict",
    [
        pytest.param(Verdict(gate=Gate.DQ, outcome=Outcome.ERRORED, results=(TOO_FEW,)), id="an errored gate"),
        pytest.param(failed(TOO_FEW, RuleResult.errored("MEAN:x", "?")), id="a rule that raised beside it"),
        pytest.param(failed(TOO_FEW, RuleResult.failed("MEAN:x")), id="another failed rule"),
        pytest.param(failed(), id="a failure without a rule"),
        pytest.param(Verdict(gate=Gate.DQ, outcome=Outcome.SKIPPED), id="a gate that did not run"),
        pytest.param(failed(TOO_FEW, gate=Gate.G5_PII), id="personal data"),
        pytest.param(failed(TOO_FEW, gate=Gate.CERTIFICATION), id="a certification"),
    ],
)
def test_what_nobody_can_accept_is_not_waived(verdict: Verdict) -> None:
    assert waive([verdict], [waiver(), waiver(gate=verdict.gate)], DAY) == (verdict,)


def test_two_waivers_may_cover_the_two_rules_of_a_gate() -> None:
    verdict = failed(TOO_FEW, RuleResult.failed("MEAN:x"))

    [waived] = waive([verdict], [waiver(), waiver(number=4, signature="MEAN:x")], DAY)

    assert waived.outcome is Outcome.WAIVED
    assert [use["number"] for use in waived.metadata[WAIVERS]] == [3, 4]


@pytest.mark.parametrize(
    ("compliance", "outcome"),
    [
        pytest.param(0.9, Outcome.WAIVED, id="enough rows were kept, so quarantined rows held nothing"),
        pytest.param(0.4, Outcome.FAILED, id="too few rows were kept, which the waiver does not cover"),
        pytest.param(None, Outcome.FAILED, id="nobody knows how many rows were kept"),
    ],
)
def test_quarantined_rows_need_a_waiver_only_if_they_hold_the_batch(compliance: float | None, outcome: Outcome) -> None:
    quarantined = RuleResult.counted("INVARIANT:total:positive", 3, Severity.QUARANTINE)
    verdict = failed(
        TOO_FEW, quarantined, gate=Gate.G4_CONTRACT, compliance=compliance, metadata={"min_compliance": 0.5}
    )

    [judged] = waive([verdict], [waiver(gate=Gate.G4_CONTRACT)], DAY)

    assert judged.outcome is outcome
    assert judged.results[1] == quarantined
