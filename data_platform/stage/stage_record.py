"""Records a judged candidate in the catalog: its report, evidence and events, and the quarantine that it replaces."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from data_platform.gates.released import RELEASED
from data_platform.model.dataset import Stage
from data_platform.model.personal import redacted_json, shown_schema
from data_platform.model.quarantine import OWN_COLUMNS, Supersedes
from data_platform.model.quarantine_decision import RELEASES
from data_platform.model.run import BASELINE, ENFORCEMENT, JUDGED_UNDER, RowCounts, StageReport
from data_platform.model.token_use import KEY_ID, TOKEN_KEYS
from data_platform.model.verdict import Outcome
from data_platform.model.waiver import WAIVERS, distinct_uses
from data_platform.stage import event_emitter
from data_platform.stage.evidence import evidence_of
from data_platform.stage.maintenance import move_to_same_rows, show_pointer
from data_platform.stage.registration import declare
from data_platform.stage.schema_victim import with_victims
from data_platform.stage.unjudged_stage import BASELINE_GATES
from data_platform.stage.waiving import uses_in

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from datetime import datetime

    from data_platform.installation import Platform
    from data_platform.lake.table import LakeTable
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.verdict import Verdict
    from data_platform.stage.candidate import Candidate


@dataclass(frozen=True, kw_only=True)
class StageOutcome:
    """The result of a candidate. ``version`` is None if nothing of it stays in the table.

    ``judged_version`` is the version of a candidate that was rolled back; ``samples`` are places of quarantined rows;
    ``measures`` are what the write observed.
    """

    verdicts: tuple[Verdict, ...]
    rows: RowCounts
    version: int | None
    judged_version: int | None = None
    quarantined: QuarantineEntry | None = None
    samples: list[dict[str, Any]] = field(default_factory=list)
    measures: Mapping[Hashable, Any] = field(default_factory=dict)


def record_stage(platform: Platform, candidate: Candidate, table: LakeTable, outcome: StageOutcome) -> StageReport:
    """Records the outcome in one transaction, and sends its events on. Returns the report."""
    dataset, catalog = candidate.dataset, platform.catalog
    outcome = replace(outcome, verdicts=with_victims(platform, dataset, outcome.verdicts))
    now = platform.now()
    report = _report(candidate, table, outcome, now)
    qualifies = report.outcome.qualifies
    declare(platform, dataset, now)
    previous = catalog.certifications.get(dataset.urn)
    restored = candidate.stage is Stage.GOLD and outcome.judged_version is not None
    move = move_to_same_rows(platform, dataset, table) if restored else None
    catalog.runs.record(
        report,
        evidence_of(report, previous, held=not qualifies, now=now),
        quarantine=outcome.quarantined,
        held_reason=None if qualifies else ", ".join(broken_signatures(outcome.verdicts)) or "a gate did not pass",
        move=move,
        applied=_applied(candidate, outcome) if qualifies else {},
        supersedes=_supersedes(candidate, outcome),
        events=event_emitter.events_of(platform, dataset, report),
        outbox=platform.settings.openlineage_url is not None,
    )
    if move is not None:
        show_pointer(platform, dataset)
    event_emitter.pass_on_in_passing(platform)
    return report


def _supersedes(candidate: Candidate, outcome: StageOutcome) -> Supersedes:
    """All, if the whole input was read; else rows that an earlier run quarantined are still to be worked on."""
    if candidate.is_read:
        return Supersedes.ALL
    return Supersedes.NONE if outcome.quarantined is None else Supersedes.SAME_DELIVERY


def _applied(candidate: Candidate, outcome: StageOutcome) -> dict[int, int]:
    return candidate.decisions.applied(outcome.measures, outcome.verdicts, outcome.rows.accepted)


def broken_signatures(verdicts: tuple[Verdict, ...]) -> dict[str, int | None]:
    """The signatures of the broken rules of each gate that failed, with their row counts."""
    rows_by_signature: dict[str, int | None] = {}
    for verdict in verdicts:
        if not verdict.outcome.qualifies:
            for result in verdict.results:
                if result.outcome is not Outcome.PASSED:
                    rows_by_signature[result.signature] = result.rows
    return rows_by_signature


def _report(candidate: Candidate, table: LakeTable, outcome: StageOutcome, now: datetime) -> StageReport:
    dataset, version, quarantined = candidate.dataset, outcome.version, outcome.quarantined
    return StageReport(
        dataset=dataset.id,
        stage=candidate.stage,
        partition=candidate.partition,
        run_id=candidate.attempt.run_id,
        path=table.path,
        version=version,
        rows=outcome.rows,
        verdicts=outcome.verdicts,
        started_at=candidate.attempt.started_at,
        finished_at=now,
        schema=shown_schema(table.schema(), candidate.declared, OWN_COLUMNS) if version is not None else None,
        quarantine_table=quarantined.full_name if quarantined else None,
        quarantine_path=quarantined.path if quarantined else None,
        delivery_id=candidate.delivery_id,
        policy_fingerprint=dataset.fingerprint,
        input_versions=candidate.input_versions,
        metadata=_metadata(candidate, outcome),
        derived=dataset.derived,
    )


def _metadata(candidate: Candidate, outcome: StageOutcome) -> dict[str, Any]:
    metadata = dict(candidate.metadata)
    if outcome.judged_version is not None:
        metadata["judged_version"] = outcome.judged_version
    if outcome.samples:
        metadata["samples"] = outcome.samples
    if released := candidate.decisions.released(outcome.measures, outcome.verdicts):
        metadata[RELEASED] = released
    dataset, stage = candidate.dataset, candidate.stage
    # Fingerprints of policies and ids of keys are not text of a delivery, and are not redacted.
    own: dict[str, Any] = {JUDGED_UNDER: dataset.judgement(stage), ENFORCEMENT: dataset.enforcement.mode.value}
    if uses := distinct_uses([*metadata.pop(WAIVERS, ()), *uses_in(outcome.verdicts)]):
        own[WAIVERS] = uses
    used = candidate.decisions.releases(outcome.measures, outcome.verdicts)
    if releases := {*metadata.pop(RELEASES, ()), *(decision.id for decision in used)}:
        own[RELEASES] = sorted(releases)
    if stage in BASELINE_GATES and dataset.baseline is not None:
        own[BASELINE] = True
    own |= {name: metadata.pop(name) for name in (KEY_ID, TOKEN_KEYS) if name in metadata}
    return redacted_json(metadata) | own
