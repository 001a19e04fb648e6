"""Reports of certifications by a group: of the publication that shows a version, and of one that waits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data_platform.gates.released import RELEASED, sentence
from data_platform.model.dataset import Stage
from data_platform.model.group_waiting import WAITING_FOR_GROUP
from data_platform.model.plain_json import plain
from data_platform.model.publication import PUBLICATION
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from data_platform.model.group_waiting import Waiting
    from data_platform.model.publication import Candidate
    from data_platform.model.schema import Schema
    from data_platform.policies import Dataset


def published_report(
    schemas: Mapping[str, Schema],
    dataset: Dataset,
    candidate: Candidate,
    version: int,
    old: int | None,
    of_publication: Mapping[str, str],
    now: datetime,
) -> StageReport:
    """The certification of the candidate's partition, which consumers see since ``version`` was published.

    ``schemas`` are stored columns by their fingerprints.
    """
    return StageReport(
        dataset=dataset.id,
        stage=Stage.CERTIFIED,
        partition=candidate.partition,
        run_id=candidate.run_id,
        path=candidate.path,
        version=version,
        rows=RowCounts(read=candidate.rows, accepted=candidate.rows),
        verdicts=(_verdict(candidate, version, old, of_publication),),
        started_at=candidate.started_at,
        finished_at=now,
        schema=schemas.get(candidate.schema_fingerprint),
        delivery_id=candidate.delivery_id,
        policy_fingerprint=candidate.policy_fingerprint,
        input_versions={f"{dataset.urn}@gold": version},
        metadata={**candidate.metadata, PUBLICATION: dict(of_publication)},
        derived=dataset.derived,
    )


def _verdict(candidate: Candidate, version: int, old: int | None, of_publication: Mapping[str, str]) -> Verdict:
    """The pointer moved from ``old`` to ``version``."""
    result = RuleResult(
        rule="pointer", signature="CERTIFIED", outcome=Outcome.PASSED, severity=Severity.BLOCK, rows=None
    )
    versions = {"previous_version": old, "certified_version": version}
    return Verdict(
        gate=Gate.CERTIFICATION,
        outcome=Outcome.PASSED,
        results=(result,),
        reason=sentence(candidate.metadata.get(RELEASED, {})),
        metadata={**candidate.verdict, **versions, PUBLICATION: dict(of_publication)},
    )


def waiting_report(report: StageReport, waiting: Waiting) -> StageReport:
    """The report of a stage that passed, and has no version that consumers see yet."""
    reason = waiting.reason
    result = RuleResult(
        rule="publish group",
        signature=f"{WAITING_FOR_GROUP}:{waiting.group}",
        outcome=Outcome.SKIPPED,
        severity=Severity.WARN,
        rows=None,
        reason=reason,
    )
    verdict = Verdict(gate=Gate.CERTIFICATION, outcome=Outcome.SKIPPED, results=(result,), reason=reason)
    details: dict[str, Any] = {"group": waiting.group, "missing": [plain(vars(one)) for one in waiting.missing]}
    metadata = {**report.metadata, WAITING_FOR_GROUP: details}
    return replace(report, version=None, verdicts=(verdict,), metadata=metadata)
