"""Results of stages: one row for each run and stage, written once.

A row's ``digest`` covers everything that was recorded with it. So repeating a call whose response was lost changes
nothing, and a call with another content under the same run id is refused.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, insert, select

from data_platform.catalog.schema import save_schemas
from data_platform.catalog.table import RUN
from data_platform.catalog.verdict import add_verdicts, find_outcomes
from data_platform.errors import UsageError
from data_platform.model.dataset import Stage
from data_platform.model.run import RowCounts, RunRow
from data_platform.model.verdict import QUALIFYING, Outcome

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from data_platform.model.evidence import Evidence
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.run import StageReport


def digest_of(
    report: StageReport, evidence: Sequence[Evidence], quarantine: QuarantineEntry | None, held_reason: str
) -> str:
    records = [{name: value for name, value in asdict(item).items() if name != "evidence_id"} for item in evidence]
    content = [asdict(report), records, quarantine and asdict(quarantine), held_reason]
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


@dataclass(frozen=True)
class NewRun:
    """``digest`` covers everything that is recorded with ``report``."""

    report: StageReport
    digest: str
    held_reason: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        return self.report.run_id, self.report.dataset.urn, self.report.stage.value


def add_runs(connection: Connection, runs: Sequence[NewRun]) -> dict[int, NewRun]:
    """Adds those whose content is not recorded yet, in their order; returns them by the keys of their rows.

    Raises:
        UsageError: A run has recorded something else for a dataset and stage.
    """
    recorded, fresh = _recorded_digests(connection, runs), []
    for run in runs:
        before = recorded.setdefault(run.key, "")
        if before not in ("", run.digest):
            raise UsageError(
                f"{run.report.run_id} has already recorded {run.report.stage} of {run.report.dataset.urn}, with "
                "another content: what is on record stays; run again under a run id of its own"
            )
        if not before:
            fresh.append(run)
            recorded[run.key] = run.digest
    if not fresh:
        return {}
    columns = {one.fingerprint: (one, run.report.finished_at) for run in reversed(fresh) if (one := run.report.schema)}
    save_schemas(connection, columns)
    adding = insert(RUN).returning(RUN.c.id, RUN.c.run_id, RUN.c.dataset_urn, RUN.c.stage)
    rows = connection.execute(adding, [{"digest": run.digest, **_values(run)} for run in fresh])
    keys = {(row.run_id, row.dataset_urn, row.stage): int(row.id) for row in rows}
    added = {keys[run.key]: run for run in fresh}
    add_verdicts(connection, {key: run.report.verdicts for key, run in added.items()})
    return added


def _recorded_digests(connection: Connection, runs: Sequence[NewRun]) -> dict[tuple[str, str, str], str]:
    of_runs = (
        RUN.c.run_id.in_({run.report.run_id for run in runs}),
        RUN.c.dataset_urn.in_({run.report.dataset.urn for run in runs}),
        RUN.c.stage.in_({run.report.stage.value for run in runs}),
    )
    query = select(RUN.c.run_id, RUN.c.dataset_urn, RUN.c.stage, RUN.c.digest).where(*of_runs)
    return {(row.run_id, row.dataset_urn, row.stage): row.digest for row in connection.execute(query)}


def _values(run: NewRun) -> dict[str, Any]:
    report = run.report
    reasons = (f"{v.gate}: {v.reason}" for v in report.verdicts if v.reason and not v.passed)
    return {
        "run_id": report.run_id,
        "dataset_urn": report.dataset.urn,
        "stage": report.stage.value,
        "partition": report.partition,
        "outcome": report.outcome.value,
        "path": report.path,
        "version": report.version,
        **{f"rows_{name}": count for name, count in asdict(report.rows).items()},
        "started_at": report.started_at,
        "finished_at": report.finished_at,
        "reason": run.held_reason or "; ".join(reasons),
        "signatures": _signatures(report),
        "quarantine_table": report.quarantine_table,
        "quarantine_path": report.quarantine_path,
        "delivery_id": report.delivery_id,
        "policy_fingerprint": report.policy_fingerprint,
        "schema_fingerprint": report.schema.fingerprint if report.schema is not None else None,
        "input_versions": dict(report.input_versions),
        "metadata": dict(report.metadata),
    }


def _signatures(report: StageReport) -> dict[str, int | None]:
    """Rows by signature of each rule that did not pass, including rules that only warn; the most rows first."""
    rows_by_signature: dict[str, int | None] = {}
    for result in (result for verdict in report.verdicts for result in verdict.results):
        if result.outcome is not Outcome.PASSED and (rows_by_signature.get(result.signature) or 0) <= (
            result.rows or 0
        ):
            rows_by_signature[result.signature] = result.rows
    return dict(sorted(rows_by_signature.items(), key=lambda item: (-(item[1] or 0), item[0])))


def _of_stage(run_id: str, urn: str, stage: Stage) -> tuple[Any, ...]:
    return (RUN.c.run_id == run_id, RUN.c.dataset_urn == urn, RUN.c.stage == stage.value)


def find_key(connection: Connection, run_id: str, urn: str, stage: Stage) -> int | None:
    return connection.execute(select(RUN.c.id).where(*_of_stage(run_id, urn, stage))).scalar_one_or_none()


def find_latest(
    connection: Connection, urn: str, stage: Stage, partition: PartitionKey | None, *, passed_only: bool = False
) -> RunRow | None:
    slice_ = (
        RUN.c.dataset_urn == urn, RUN.c.stage == stage.value, RUN.c.partition.is_not_distinct_from(partition),
        *([RUN.c.outcome.in_(QUALIFYING)] if passed_only else []),
    )  # fmt: skip
    rows = _find(connection, slice_, 1)
    return rows[0] if rows else None


def find_last_signatures(connection: Connection, urn: str, partition: PartitionKey | None) -> frozenset[str]:
    """Those of the last run of each stage for the partition."""
    of_slice = (
        RUN.c.dataset_urn == urn,
        RUN.c.stage.in_([stage.value for stage in Stage]),
        RUN.c.partition.is_not_distinct_from(partition),
    )
    last = select(func.max(RUN.c.id)).where(*of_slice).group_by(RUN.c.stage)
    found = connection.execute(select(RUN.c.signatures).where(RUN.c.id.in_(last))).scalars()
    return frozenset(name for signatures in found for name in signatures)


def find_last_metadata(connection: Connection, urn: str, stage: Stage) -> dict[str, Any]:
    """The metadata of the last recorded run of ``stage``, of any partition; empty if there is none."""
    last = select(func.max(RUN.c.id)).where(RUN.c.dataset_urn == urn, RUN.c.stage == stage.value)
    row = connection.execute(select(RUN.c.metadata).where(RUN.c.id == last.scalar_subquery())).one_or_none()
    return dict(row.metadata) if row else {}


def find_run(connection: Connection, run_id: str, urn: str, stage: Stage) -> RunRow | None:
    rows = _find(connection, _of_stage(run_id, urn, stage), 1)
    return rows[0] if rows else None


def find_runs(connection: Connection, urn: str | None, limit: int) -> tuple[RunRow, ...]:
    return _find(connection, () if urn is None else (RUN.c.dataset_urn == urn,), limit)


def find_newest(connection: Connection) -> tuple[RunRow, ...]:
    """The last run of each dataset."""
    return _find(connection, (RUN.c.id.in_(select(func.max(RUN.c.id)).group_by(RUN.c.dataset_urn)),), None)


def find_held(
    connection: Connection, *, since: datetime | None = None, urns: Collection[str] | None = None
) -> tuple[RunRow, ...]:
    """The last run that held each slice not certified since, ordered by dataset and partition."""
    certified = RUN.alias("certified")
    later = select(certified.c.id).where(
        certified.c.dataset_urn == RUN.c.dataset_urn,
        certified.c.stage == Stage.CERTIFIED.value,
        certified.c.partition.is_not_distinct_from(RUN.c.partition),
        certified.c.outcome == Outcome.PASSED.value,
        certified.c.id > RUN.c.id,
    )
    held = [RUN.c.outcome.in_([one.value for one in Outcome if not one.qualifies]), ~later.exists()]
    if since is not None:
        held.append(RUN.c.finished_at >= since)
    if urns is not None:
        held.append(RUN.c.dataset_urn.in_(urns))
    last = select(func.max(RUN.c.id)).where(*held).group_by(RUN.c.dataset_urn, RUN.c.partition)
    rows = _find(connection, (RUN.c.id.in_(last),), None)
    return tuple(sorted(rows, key=lambda row: (row.dataset_urn, row.partition or "")))


def _find(connection: Connection, conditions: tuple[Any, ...], limit: int | None) -> tuple[RunRow, ...]:
    """Newest first, in the order of recording; clocks of two machines may differ."""
    rows = connection.execute(select(RUN).where(*conditions).order_by(RUN.c.id.desc()).limit(limit)).all()
    verdicts = find_outcomes(connection, [row.id for row in rows])
    return tuple(run_of(row, verdicts.get(row.id, {})) for row in rows)


def run_of(row: Row[Any], verdicts: dict[str, Outcome]) -> RunRow:
    return RunRow(
        run_id=row.run_id,
        dataset_urn=row.dataset_urn,
        stage=Stage(row.stage),
        partition=row.partition,
        outcome=Outcome(row.outcome),
        path=row.path,
        version=row.version,
        rows=RowCounts(
            read=row.rows_read,
            accepted=row.rows_accepted,
            quarantined=row.rows_quarantined,
            dropped=row.rows_dropped,
        ),
        started_at=row.started_at,
        finished_at=row.finished_at,
        reason=row.reason,
        signatures=row.signatures,
        verdicts=verdicts,
        quarantine_table=row.quarantine_table,
        quarantine_path=row.quarantine_path,
        delivery_id=row.delivery_id,
        policy_fingerprint=row.policy_fingerprint,
        schema_fingerprint=row.schema_fingerprint or "",
        input_versions=row.input_versions,
        metadata=row.metadata,
    )
