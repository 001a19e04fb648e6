"""Certification: moves the pointer of a dataset to its gold table's version, or leaves it where it is.

A version qualifies only if every commit since the certified one passed every gate, or changes nothing that a reader
sees (``standing``). Held slices were restored before. A slice that failed in a mode that does not hold is still there,
and keeps every later version from being certified (``failed_slice``). So gold then contains only rows that passed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.gates.released import RELEASED, sentence
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.quarantine_decision import RELEASES
from data_platform.model.run import ENFORCEMENT, RowCounts, StageReport
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform.model.waiver import WAIVERS, distinct_uses
from data_platform.stage import decision, event_emitter
from data_platform.stage.candidate import Attempt
from data_platform.stage.certified_pointer import evidence_of_move, pointer_of
from data_platform.stage.failed_slice import new_slices, obstacles
from data_platform.stage.finished_run import finished_meanwhile
from data_platform.stage.gold_history import floor_of, refuse_unjudged, writes_since
from data_platform.stage.group import rule_of
from data_platform.stage.group_candidate import add_candidate
from data_platform.stage.group_publication import publish_or_wait
from data_platform.stage.held_certification import hold
from data_platform.stage.lease import leased
from data_platform.stage.maintenance import rewrite_gold_timestamps, show_pointer, was_rewritten_by_others
from data_platform.stage.prerequisite import require_in_place, require_judged, version_of
from data_platform.stage.reconcile import reconcile
from data_platform.stage.refused_version import refuse_damaged, refuse_discarded
from data_platform.stage.rejudge import evidence_of as rejudged_evidence
from data_platform.stage.rejudge import rejudge
from data_platform.stage.waiving import uses_in
from data_platform.stage.withdrawn_release import releases_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data_platform.installation import Platform
    from data_platform.lake.table import LakeTable
    from data_platform.model.certification import Certification
    from data_platform.model.evidence import Evidence
    from data_platform.model.run import RunRow
    from data_platform.policies import Dataset
    from data_platform.stage.gold_history import Write
    from data_platform.stage.rejudge import Rejudgement


def certify(platform: Platform, dataset: Dataset, partition: PartitionKey | None, run_id: str) -> StageReport:
    """Moves the certified view of ``dataset`` to gold's version; the report has the version that consumers see now.

    The version of a member of a publish group waits until the group is complete, and then all of them move at once.

    Raises:
        UsageError: Gold of this partition was held.
        PolicyError: The policy moved gold to another place, but what consumers see was not moved.
        ConflictError: Another run moved the pointer at the same time, somebody else wrote to gold, or a waiver ended.
    """
    started, dataset = platform.now(), platform.current(dataset)
    with leased(platform, dataset, run_id) as lease:
        reconcile(platform, dataset, run_id)
        require_in_place(platform, dataset)
        judged = require_judged(platform, dataset, Stage.GOLD, partition)
        previous = platform.catalog.certifications.get(dataset.urn)
        table = platform.table(dataset, Stage.GOLD)
        attempt = Attempt(dataset, Stage.CERTIFIED, partition, run_id, started)
        writes = writes_since(platform, dataset, table, previous)
        slices = new_slices(platform, dataset, writes, judged)
        if causes := obstacles(platform, table, writes, judged, slices):
            return hold(platform, attempt, previous, causes)
        if was_rewritten_by_others(table, previous.version or 0 if previous else 0):
            refuse_unjudged(platform, dataset, table, previous)
            rewrite_gold_timestamps(dataset, table, run_id)
        version = table.version()  # read before it is judged: later commits are judged too, but not certified
        refuse_discarded(dataset, table, version_of(judged), partition)
        seen = previous is not None and previous.version == version
        if seen and (done := _certified_meanwhile(platform, dataset, judged, run_id, version)):
            return done
        refuse_unjudged(platform, dataset, table, previous)
        rejudged = rejudge(platform, dataset, [attempt.partition, *_new_partitions(table, previous)], version, run_id)
        if refused := [item for item in rejudged if not item.passed]:
            return hold(platform, attempt, previous, refused)
        refuse_damaged(dataset, table, version)
        lease.confirm()
        report = _report(platform, attempt, judged, previous, version, rejudged, _depends_on(slices, rejudged))
        if _advances_alone(platform, dataset, report, previous, writes, rejudged):
            return report
    return publish_or_wait(platform, dataset, report)  # which takes the leases of all members


def _advances_alone(
    platform: Platform,
    dataset: Dataset,
    report: StageReport,
    previous: Certification | None,
    writes: Sequence[Write],
    rejudged: Sequence[Rejudgement],
) -> bool:
    """Moves the pointer; False for a member of a publish group, whose version is recorded, and waits."""
    evidence = rejudged_evidence(rejudged, report.run_id, report.finished_at)
    group = rule_of(platform, dataset)
    if group is None:
        _advance(platform, dataset, report, previous, evidence)
        return True
    add_candidate(platform, group, dataset, report, previous, writes, evidence)
    return False


def _certified_meanwhile(
    platform: Platform, dataset: Dataset, judged: RunRow, run_id: str, version: int
) -> StageReport | None:
    return finished_meanwhile(
        platform,
        dataset,
        Stage.CERTIFIED,
        judged.partition,
        run_id=run_id,
        delivery_id=judged.delivery_id,
        input_versions={f"{dataset.urn}@gold": version},
    )


def _depends_on(slices: Sequence[RunRow], rejudged: Sequence[Rejudgement]) -> dict[str, list[Any]]:
    """The waivers and releases on which the slices depend that consumers would see for the first time."""
    before = [use for row in slices for use in row.metadata.get(WAIVERS, ())]
    waivers = distinct_uses([*before, *uses_in(verdict for item in rejudged for verdict in item.verdicts)])
    return {WAIVERS: waivers, RELEASES: sorted(releases_of(slices))}


def _advance(
    platform: Platform,
    dataset: Dataset,
    report: StageReport,
    previous: Certification | None,
    rejudged: Sequence[Evidence],
) -> None:
    """Moves the pointer to the version of ``report``, with the evidence for it."""
    old = previous.version if previous else None
    platform.catalog.certifications.certify(
        pointer_of(report),
        expected=old,
        waivers=[use["number"] for use in report.metadata.get(WAIVERS, ())],
        releases=report.metadata.get(RELEASES, ()),
        evidence=[*rejudged, evidence_of_move(report, old)],
        report=report,
        events=event_emitter.events_of(platform, dataset, report),
        outbox=platform.settings.openlineage_url is not None,
    )
    event_emitter.pass_on_in_passing(platform)
    platform.on_step("certify", {"dataset": dataset.urn, "stage": Stage.CERTIFIED.value, "report": report})
    show_pointer(platform, dataset)


def _report(
    platform: Platform,
    attempt: Attempt,
    judged: RunRow,
    previous: Certification | None,
    version: int,
    rejudged: Sequence[Rejudgement],
    depends_on: Mapping[str, list[Any]],
) -> StageReport:
    dataset, table = attempt.dataset, platform.table(attempt.dataset, Stage.GOLD)
    rows, released = judged.rows.accepted, decision.released_by(judged)
    metadata: dict[str, Any] = {ENFORCEMENT: dataset.enforcement.mode.value}
    if released:
        metadata[RELEASED] = released
    metadata |= {name: values for name, values in depends_on.items() if values}
    return StageReport(
        dataset=dataset.id,
        stage=Stage.CERTIFIED,
        partition=attempt.partition,
        run_id=attempt.run_id,
        path=table.path,
        version=version,
        rows=RowCounts(read=rows, accepted=rows),
        verdicts=(_verdict(previous.version if previous else None, version, rejudged, released),),
        started_at=attempt.started_at,
        finished_at=platform.now(),
        schema=table.schema(),
        delivery_id=judged.delivery_id,
        policy_fingerprint=_judged_under(dataset, judged, rejudged),
        input_versions={f"{dataset.urn}@gold": version},
        metadata=metadata,
        derived=dataset.derived,
    )


def _judged_under(dataset: Dataset, judged: RunRow, rejudged: Sequence[Rejudgement]) -> str:
    """The fingerprint of the policy that judged the certified rows; an edit that no gate reads does not change it."""
    again = any(item.partition == judged.partition for item in rejudged)
    return dataset.fingerprint if again else judged.policy_fingerprint


def _verdict(old: int | None, version: int, rejudged: Sequence[Rejudgement], released: Mapping[str, Any]) -> Verdict:
    result = RuleResult(
        rule="pointer", signature="CERTIFIED", outcome=Outcome.PASSED, severity=Severity.BLOCK, rows=None
    )
    return Verdict(
        gate=Gate.CERTIFICATION,
        outcome=Outcome.PASSED,
        results=(result,),
        reason=sentence(released),
        metadata={
            "previous_version": old,
            "certified_version": version,
            "judged_again": [item.partition or "everything" for item in rejudged],
            **({RELEASED: released} if released else {}),
        },
    )


def _new_partitions(table: LakeTable, previous: Certification | None) -> list[PartitionKey | None]:
    """The partitions of each data commit since the certified version: consumers have not seen these rows yet."""
    since = table.history_since(floor_of(previous))
    texts = [commit.note.get("partition") for commit in since if commit.note.get("kind") == "data"]
    return [PartitionKey(text) if text else None for text in texts]
