"""Runs of the jobs that make the datasets upstream, versions without a run, and what stages write now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog.lineage.latest_value import value_of
from data_platform.catalog.lineage.run_fold import DEPLOY_REF
from data_platform.catalog.lineage_table import PROCESS_RUN
from data_platform.catalog.registry_table import DATASET_VERSION
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.internal import JOBS
from data_platform.model.lineage import RunState
from data_platform.model.partition_key import PartitionKey

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from data_platform.catalog.cause.upstream import Upstream


@dataclass(frozen=True, kw_only=True)
class JobRow:
    """A run of a job, before its partition is known: ``nominal_start`` and ``version_tag`` tell it, if they do."""

    run_id: str
    process: str
    dataset: str
    state: RunState
    started_at: datetime
    ended_at: datetime | None
    error: str = ""
    nominal_start: datetime | None = None
    version_tag: str = ""
    deploy_ref: str = ""
    schema: str = ""
    rows: int | None = None
    parent_run: str = ""

    @property
    def tagged_partition(self) -> PartitionKey | None:
        """A version's tag begins with its partition, if it has one."""
        try:
            return PartitionKey(self.version_tag.partition("/")[0])
        except ValueError:
            return None


_VERSION = (
    DATASET_VERSION.c.dataset_id, DATASET_VERSION.c.version_tag, DATASET_VERSION.c.schema_hash,
    DATASET_VERSION.c.row_count, DATASET_VERSION.c.produced_at, DATASET_VERSION.c.produced_by_run_id,
)  # fmt: skip


def find_job_rows(connection: Connection, upstream: Upstream, since: datetime) -> tuple[JobRow, ...]:
    """The runs since ``since``. Of the platform's own jobs only those that failed: the others are judged stages."""
    external = {urn: number for urn, number in upstream.datasets.items() if _is_external(upstream.makers[urn])}
    versions = _versions(connection, external, since)
    keys = {number: key for key, number in upstream.processes.items()}
    outputs: dict[str, list[str]] = {}
    for urn, makers in upstream.makers.items():
        for key in makers:
            outputs.setdefault(key, []).append(urn)
    rows = []
    for row in _runs(connection, upstream, since):
        process = keys[row.process_id]
        for urn in outputs.get(process, ()):
            version = versions.pop((external.get(urn, 0), row.run_uuid), None)
            rows.append(_job_row(row, process, urn, version))
    names = {number: urn for urn, number in external.items()}
    alone = (version for (_, run), version in versions.items() if run is None or run.startswith("@"))
    return (*rows, *(_without_run(version, names[version.dataset_id]) for version in alone))


def _is_external(makers: Iterable[str]) -> bool:
    return not any(key.startswith(f"{JOBS}/") for key in makers)


def _versions(
    connection: Connection, external: dict[str, int], since: datetime
) -> dict[tuple[int, str | None], Row[Any]]:
    """Versions of external datasets by their run; those without one under their tag."""
    query = select(*_VERSION).where(
        DATASET_VERSION.c.dataset_id.in_(WANTED),
        DATASET_VERSION.c.produced_at >= since,
        DATASET_VERSION.c.historical.is_(False),
        DATASET_VERSION.c.state_change.is_(None),
    )
    rows = rows_of(connection, query, external.values())
    return {(row.dataset_id, row.produced_by_run_id or f"@{row.version_tag}"): row for row in rows}


def _runs(connection: Connection, upstream: Upstream, since: datetime) -> Iterator[Row[Any]]:
    table = PROCESS_RUN.c
    own = [number for key, number in upstream.processes.items() if key.startswith(f"{JOBS}/")]
    others = [number for key, number in upstream.processes.items() if not key.startswith(f"{JOBS}/")]
    unfinished = table.status.in_([RunState.FAILED.value, RunState.ABORTED.value])
    for numbers, states in ((own, [unfinished]), (others, [])):
        for started in (table.start_ts >= since, table.start_ts.is_(None) & (table.created_at >= since)):
            query = select(PROCESS_RUN).where(
                table.process_id.in_(WANTED), started, table.historical.is_(False), *states
            )
            yield from rows_of(connection, query, numbers)


def _job_row(row: Row[Any], process: str, urn: str, version: Row[Any] | None) -> JobRow:
    state = RunState(row.status)
    return JobRow(
        run_id=row.run_uuid,
        process=process,
        dataset=urn,
        state=state,
        started_at=row.start_ts or row.first_event_at,
        ended_at=(row.end_ts or row.last_event_at) if state.ended else None,
        error=row.error_message or "",
        nominal_start=row.nominal_start_ts,
        version_tag=version.version_tag if version is not None else "",
        deploy_ref=value_of(row.facets_json, DEPLOY_REF) or "",
        schema=(version.schema_hash or "") if version is not None else "",
        rows=version.row_count if version is not None else None,
        parent_run=row.parent_run_uuid or "",
    )


def _without_run(version: Row[Any], urn: str) -> JobRow:
    """A delivery that only its marker or a dataset event reported."""
    return JobRow(
        run_id=version.version_tag,
        process="",
        dataset=urn,
        state=RunState.COMPLETED,
        started_at=version.produced_at,
        ended_at=version.produced_at,
        version_tag=version.version_tag,
        schema=version.schema_hash or "",
        rows=version.row_count,
    )
