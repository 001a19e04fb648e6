"""Evidence has a PASS for each gate that passed, and a FAIL for each signature of one that did not."""

from datetime import UTC, datetime
from typing import Any

import pytest

from data_platform.model.certification import Certification, CertificationStatus
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict
from data_platform.stage.evidence import MAX_SIGNATURES, evidence_of

NOW = datetime(2025, 1, 7, 3, 0, tzinfo=UTC)
ORDERS = DatasetId.parse("ds://shop/orders")


def report(*verdicts: Verdict, **changes: Any) -> StageReport:
    values: dict[str, Any] = {
        "dataset": ORDERS,
        "stage": Stage.SILVER,
        "partition": None,
        "run_id": "run_20250107_1",
        "path": "lake/silver/shop/orders",
        "version": 3,
        "rows": RowCounts(),
        "verdicts": verdicts,
        "started_at": NOW,
        "finished_at": NOW,
    }
    return StageReport(**{**values, **changes})


def failed(gate: Gate, *signatures: str, reason: str = "") -> Verdict:
    results = tuple(RuleResult.failed(signature) for signature in signatures)
    return Verdict(gate=gate, outcome=Outcome.FAILED, results=results, reason=reason)


def certified(version: int | None, status: CertificationStatus = CertificationStatus.CERTIFIED) -> Certification:
    return Certification(dataset_urn=ORDERS.urn, status=status, version=version)


def test_a_gate_that_passed_is_one_pass_and_each_signature_of_another_one_fail() -> None:
    judged = report(
        failed(Gate.G4_CONTRACT, "RULE:total", "MISSING_FIELD:id"),
        Verdict(gate=Gate.DQ, outcome=Outcome.PASSED),
        quarantine_table="quarantine.shop__orders",
    )

    evidence = evidence_of(judged, certified(41), held=True, now=NOW)

    assert [(e.gate, e.result, e.failure_signature) for e in evidence] == [
        ("G4_CONTRACT", "FAIL", "MISSING_FIELD:id"),
        ("G4_CONTRACT", "FAIL", "RULE:total"),
        ("DQ", "PASS", None),
    ]
    assert {(e.dataset_urn, e.run_id, e.stage, e.timestamp) for e in evidence} == {
        ("ds://shop/orders", "run_20250107_1", "silver", NOW)
    }
    assert {e.quarantine_table for e in evidence} == {"quarantine.shop__orders"}


def test_a_gate_that_did_not_run_is_no_evidence() -> None:
    judged = report(
        failed(Gate.G1_RESOLUTION, "NO_FILES"), Verdict(gate=Gate.G2_IDENTITY, outcome=Outcome.SKIPPED, reason="held")
    )

    evidence = evidence_of(judged, None, held=True, now=NOW)

    assert [(e.gate, e.result) for e in evidence] == [("G1_RESOLUTION", "FAIL")]


@pytest.mark.parametrize(
    ("reason", "signature"),
    [pytest.param("no rows", "no rows", id="its reason"), pytest.param("", "DQ", id="its name")],
)
def test_a_failed_gate_without_a_signature_is_one_fail(reason: str, signature: str) -> None:
    judged = report(failed(Gate.DQ, reason=reason))

    [evidence] = evidence_of(judged, None, held=True, now=NOW)

    assert (evidence.result, evidence.failure_signature) == ("FAIL", signature)


def test_the_signatures_of_a_gate_are_limited() -> None:
    judged = report(failed(Gate.G4_CONTRACT, *(f"RULE:r{number:03}" for number in range(MAX_SIGNATURES + 5))))

    assert len(evidence_of(judged, None, held=True, now=NOW)) == MAX_SIGNATURES


@pytest.mark.parametrize(
    ("previous", "held", "status", "version"),
    [
        pytest.param(None, False, "UNCERTIFIED", None, id="never certified"),
        pytest.param(None, True, "UNCERTIFIED", None, id="held, and never certified"),
        pytest.param(certified(42), False, "CERTIFIED", "v42", id="passed after a certified version"),
        pytest.param(certified(42), True, "HELD_AT_PREVIOUS", "v42", id="held at a certified version"),
        pytest.param(certified(0), True, "HELD_AT_PREVIOUS", "v0", id="held at the first version"),
        pytest.param(
            certified(42, CertificationStatus.HELD_AT_PREVIOUS),
            False,
            "HELD_AT_PREVIOUS",
            "v42",
            id="passed after a hold",
        ),
    ],
)
def test_evidence_shows_what_consumers_see(
    previous: Certification | None, held: bool, status: str, version: str | None
) -> None:
    [evidence] = evidence_of(report(Verdict(gate=Gate.DQ, outcome=Outcome.PASSED)), previous, held=held, now=NOW)

    assert (evidence.certified_view_status, evidence.previous_certified_version) == (status, version)


def test_a_pass_for_which_people_let_rules_be_broken_names_them() -> None:
    passed = Verdict(gate=Gate.G4_CONTRACT, outcome=Outcome.PASSED)
    dq = Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, metadata={"released": {"NULL_RATE:note": None}})
    pii = Verdict(gate=Gate.G5_PII, outcome=Outcome.PASSED)
    judged = report(passed, dq, pii, metadata={"released": {"rules": {"UNKNOWN_ENUM:note": 2, "FORMAT:id": 1}}})

    evidence = evidence_of(judged, None, held=False, now=NOW)

    assert [(e.gate, e.result, e.failure_signature) for e in evidence] == [
        ("G4_CONTRACT", "PASS", "RELEASED:UNKNOWN_ENUM:note"),
        ("G4_CONTRACT", "PASS", "RELEASED:FORMAT:id"),
        ("DQ", "PASS", "RELEASED:NULL_RATE:note"),
        ("G5_PII", "PASS", None),
    ]


def test_a_record_has_the_mode_and_the_waiver_of_its_own_signature() -> None:
    uses = [{"number": 7, "signature": "NULL_RATE:note"}, {"number": 3, "signature": "ROW_COUNT:1<2"}]
    results = tuple(RuleResult.failed(use["signature"]) for use in uses)
    waived = Verdict(gate=Gate.DQ, outcome=Outcome.WAIVED, results=results, metadata={"waivers": uses})
    judged = report(waived, Verdict(gate=Gate.G5_PII, outcome=Outcome.PASSED), metadata={"enforcement": "SOFT_FAIL"})

    evidence = evidence_of(judged, None, held=False, now=NOW)

    assert [(e.result, e.failure_signature, e.enforcement, e.waivers) for e in evidence] == [
        ("FAIL", "NULL_RATE:note", "SOFT_FAIL", "7"),
        ("FAIL", "ROW_COUNT:1<2", "SOFT_FAIL", "3"),
        ("PASS", None, "SOFT_FAIL", None),
    ]
