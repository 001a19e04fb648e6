"""Holds a certification: the pointer stays where it is, and the reason is recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from data_platform.model.dataset import Stage
from data_platform.model.run import ENFORCEMENT, RowCounts, StageReport
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict
from data_platform.stage import event_emitter
from data_platform.stage.evidence import evidence_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.installation import Platform
    from data_platform.model.certification import Certification
    from data_platform.stage.candidate import Attempt


class Cause(Protocol):
    """Why a partition of gold cannot be certified."""

    def results(self) -> Iterator[RuleResult]: ...

    def reason(self) -> str: ...


def hold(platform: Platform, attempt: Attempt, previous: Certification | None, causes: Sequence[Cause]) -> StageReport:
    """Records that the attempt was held because of ``causes``: consumers keep what they see."""
    dataset, now = attempt.dataset, platform.now()
    results = tuple(result for cause in causes for result in cause.results())
    reason = "; ".join(cause.reason() for cause in causes)
    report = StageReport(
        dataset=dataset.id,
        stage=Stage.CERTIFIED,
        partition=attempt.partition,
        run_id=attempt.run_id,
        path=platform.table(dataset, Stage.GOLD).path,
        version=None,
        rows=RowCounts(),
        verdicts=(Verdict(gate=Gate.CERTIFICATION, outcome=Outcome.FAILED, results=results, reason=reason),),
        started_at=attempt.started_at,
        finished_at=now,
        policy_fingerprint=dataset.fingerprint,
        derived=dataset.derived,
        metadata={ENFORCEMENT: dataset.enforcement.mode.value},
    )
    platform.catalog.runs.record(
        report,
        evidence_of(report, previous, held=True, now=now),
        held_reason=reason,
        events=event_emitter.events_of(platform, dataset, report),
        outbox=platform.settings.openlineage_url is not None,
    )
    event_emitter.pass_on_in_passing(platform)
    platform.on_step("hold", {"dataset": dataset.urn, "stage": Stage.CERTIFIED.value, "report": report})
    return report
