"""Evidence of the gates' verdicts, as requirement FR-10 defines it: a PASS for each gate, a FAIL for each signature.

A gate that did not run because an earlier one held the batch has judged nothing, and is no evidence. If people let rows
or a batch through, the PASS has ``RELEASED:<signature>`` in place of a failure signature, one for each rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.gates.released import RELEASED, RULES
from data_platform.model.certification import CertificationStatus
from data_platform.model.evidence import Evidence
from data_platform.model.run import ENFORCEMENT
from data_platform.model.verdict import Gate, Outcome
from data_platform.model.waiver import numbers_of, uses_of

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.certification import Certification
    from data_platform.model.run import StageReport
    from data_platform.model.verdict import Verdict

MAX_SIGNATURES = 20
"""The limit of signatures in a gate's evidence; the verdict has all of them."""


def evidence_of(
    report: StageReport, previous: Certification | None, *, held: bool, now: datetime
) -> tuple[Evidence, ...]:
    """``previous`` is the pointer before this stage ended; a held stage does not change it."""
    version = previous.version if previous else None
    status = previous.status if previous else CertificationStatus.UNCERTIFIED
    if held:
        status = CertificationStatus.HELD_AT_PREVIOUS if version is not None else CertificationStatus.UNCERTIFIED
    evidence: list[Evidence] = []
    for verdict in report.verdicts:
        if not verdict.judged:
            continue
        signatures: tuple[str | None, ...] = (None,)
        if verdict.outcome is not Outcome.PASSED:
            signatures = verdict.signatures[:MAX_SIGNATURES] or (verdict.reason or verdict.gate.value,)
        elif released := _released(report, verdict):
            signatures = tuple(f"RELEASED:{signature}" for signature in released[:MAX_SIGNATURES])
        evidence += [
            Evidence(
                dataset_urn=report.dataset.urn,
                run_id=report.run_id,
                gate=verdict.gate.value,
                result="PASS" if verdict.passed else "FAIL",
                failure_signature=signature,
                quarantine_table=report.quarantine_table,
                certified_view_status=status.value,
                previous_certified_version=None if version is None else f"v{version}",
                timestamp=now,
                stage=report.stage.value,
                partition=report.partition,
                enforcement=report.metadata.get(ENFORCEMENT),
                waivers=numbers_of(uses_of(verdict, signature)),
            )
            for signature in signatures
        ]
    return tuple(evidence)


def _released(report: StageReport, verdict: Verdict) -> list[str]:
    """The rules that people let this gate's batch break; single rows are released from rules of the contract."""
    if verdict.gate is Gate.G4_CONTRACT:
        return list(report.metadata.get(RELEASED, {}).get(RULES, ()))
    return list(verdict.metadata.get(RELEASED, ()))
