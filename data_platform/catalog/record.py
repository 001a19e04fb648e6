"""Records everything about a stage in one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog.certification import follow, hold
from data_platform.catalog.intent import close_intent
from data_platform.catalog.quarantine import add_entry, supersede_by
from data_platform.catalog.quarantine_decision import apply
from data_platform.catalog.run import NewRun, add_runs, digest_of
from data_platform.model.quarantine import Supersedes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection

    from data_platform.catalog.evidence.chain import EvidenceChain
    from data_platform.model.certification import PointerMove
    from data_platform.model.evidence import Evidence
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.run import StageReport


def record_stage(
    connection: Connection,
    chain: EvidenceChain,
    report: StageReport,
    evidence: Sequence[Evidence],
    *,
    quarantine: QuarantineEntry | None,
    held_reason: str | None,
    move: PointerMove | None = None,
    applied: Mapping[int, int] | None = None,
    supersedes: Supersedes = Supersedes.NONE,
) -> None:
    """``applied`` maps decisions about quarantined rows to the rows that this run applied them to."""
    urn, now = report.dataset.urn, report.finished_at
    digest = digest_of(report, evidence, quarantine, held_reason or "")
    added = add_runs(connection, [NewRun(report, digest, held_reason or "")])
    if not added:
        return
    [run] = added
    chain.append(connection, evidence)
    if quarantine is not None:
        add_entry(connection, run, quarantine)
    apply(connection, applied or {}, run_id=report.run_id, now=now)
    supersede_by(connection, report, supersedes)  # after apply: released rows are RELEASED, and not SUPERSEDED
    if held_reason is not None:
        hold(connection, urn, run_id=report.run_id, partition=report.partition, reason=held_reason, now=now)
    if move is not None:
        follow(connection, urn, move, now=now)
    close_intent(connection, report.run_id, report.stage, dataset_urn=urn, outcome="recorded", now=now)


def record_certified(connection: Connection, reports: Sequence[StageReport]) -> None:
    """Records reports of certifications, whose evidence the caller adds: any number in a few statements.

    Certification opens no intent, and quarantines and holds nothing.
    """
    add_runs(connection, [NewRun(report, digest_of(report, (), None, "")) for report in reports])
