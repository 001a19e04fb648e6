"""Versions that have arrived, in order of arrival."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, func, select, update

from data_platform.catalog.arrival_table import DATASET_ARRIVAL
from data_platform.catalog.dataset_row import is_named, name_of_row, name_of_urn
from data_platform.catalog.lineage.latest_value import value_of
from data_platform.catalog.lineage_table import PROCESS_RUN
from data_platform.catalog.registry_table import DATASET, DATASET_VERSION, PROCESS
from data_platform.catalog.upsert import WANTED, add_missing, rows_of
from data_platform.model.arrival import ArrivedVersion
from data_platform.model.lineage import DatasetRole, EventType, RunState

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.node import Nodes
    from data_platform.catalog.lineage.process_run import FoldedRuns
    from data_platform.model.arrival import ArrivedAgain
    from data_platform.model.lineage import LineageEvent

_KEY = ("dataset_id", "version_tag", "occasion")
_ARRIVED_TAGS = (
    # not a list of pairs: for it a database would scan both tables
    select(DATASET.c.full_name, DATASET.c.namespace, DATASET.c.name, DATASET_ARRIVAL.c.version_tag)
    .join(DATASET, DATASET.c.dataset_id == DATASET_ARRIVAL.c.dataset_id)
    .where(
        DATASET.c.full_name.in_(bindparam("urns", expanding=True)),
        DATASET_ARRIVAL.c.version_tag.in_(bindparam("tags", expanding=True)),
    )
)
_FROM_COMPLETED_RUNS = (
    select(DATASET_VERSION.c.dataset_id, DATASET_VERSION.c.version_tag)
    .join(PROCESS_RUN, PROCESS_RUN.c.run_uuid == DATASET_VERSION.c.produced_by_run_id)
    .where(
        DATASET_VERSION.c.produced_by_run_id.in_(WANTED),
        DATASET_VERSION.c.historical.is_(False),
        DATASET_VERSION.c.state_change.is_(None),
        PROCESS_RUN.c.status == RunState.COMPLETED,
    )
    .order_by(DATASET_VERSION.c.dataset_version_id)
)
_ARRIVED = (
    select(
        DATASET_ARRIVAL.c.arrival_id,
        DATASET_ARRIVAL.c.version_tag,
        DATASET_ARRIVAL.c.arrived_at,
        DATASET.c.namespace,
        DATASET.c.name,
        DATASET_VERSION.c.dataset_version_id,
        DATASET_VERSION.c.row_count,
        DATASET_VERSION.c.byte_count,
        DATASET_VERSION.c.path,
        DATASET_VERSION.c.metadata_json,
        DATASET_VERSION.c.produced_by_run_id,
        PROCESS_RUN.c.nominal_start_ts,
        PROCESS.c.process_key,
    )
    .join(DATASET, DATASET.c.dataset_id == DATASET_ARRIVAL.c.dataset_id)
    .outerjoin(
        DATASET_VERSION,
        (DATASET_VERSION.c.dataset_id == DATASET_ARRIVAL.c.dataset_id)
        & (DATASET_VERSION.c.version_tag == DATASET_ARRIVAL.c.version_tag),
    )
    .outerjoin(PROCESS_RUN, PROCESS_RUN.c.run_uuid == DATASET_VERSION.c.produced_by_run_id)
    .outerjoin(PROCESS, PROCESS.c.process_id == PROCESS_RUN.c.process_id)
    .order_by(DATASET_ARRIVAL.c.arrival_id)
)


def add_arrivals(
    connection: Connection,
    nodes: Nodes,
    events: Iterable[LineageEvent],
    tags: Mapping[tuple[int, str], str],
    runs: FoldedRuns,
    empty: Collection[tuple[int, str]],
    *,
    now: datetime,
) -> None:
    """Adds arrivals of versions that ``events`` complete: new ones, and those that waited for the end of their run.

    ``tags`` maps a dataset and a run to the version that the run reported; versions in ``empty`` have no data.
    """
    existing_runs: dict[str, None] = {}
    versions: dict[tuple[int, str], None] = {}
    for event in events:
        outputs = [m for m in event.datasets if m.role is DatasetRole.OUTPUT]
        outputs_with_tags = [(nodes.datasets[m.name], m.version_tag) for m in outputs]
        if event.run_uuid is None:
            is_new = event.type is EventType.DATASET and not event.historical
            versions |= {(number, tag): None for number, tag in outputs_with_tags if tag is not None and is_new}
        elif event.run_uuid in runs.completed:
            run_uuid = event.run_uuid
            written = [] if event.historical else [(number, tag or run_uuid) for number, tag in outputs_with_tags]
            versions |= {(number, tags.get((number, tag), tag)): None for number, tag in written}
        elif event.run_uuid not in runs.fresh and (outputs_with_tags or event.type is EventType.COMPLETE):
            existing_runs[event.run_uuid] = None
    versions |= {
        (row.dataset_id, row.version_tag): None for row in rows_of(connection, _FROM_COMPLETED_RUNS, existing_runs)
    }
    arrived = [key for key in versions if key not in empty]
    rows = [{"dataset_id": number, "version_tag": tag, "occasion": 0, "arrived_at": now} for number, tag in arrived]
    add_missing(connection, DATASET_ARRIVAL, rows, keys=_KEY)


def delete_arrivals(connection: Connection, empty: Iterable[tuple[int, str]]) -> None:
    """Deletes the arrivals of versions that turn out to have no data."""
    for number, tag in empty:
        same = (DATASET_ARRIVAL.c.dataset_id == number) & (DATASET_ARRIVAL.c.version_tag == tag)
        connection.execute(delete(DATASET_ARRIVAL).where(same))


def rename(connection: Connection, dataset: int, before: str, after: str) -> None:
    """Renames an arrival under a run's id when the run reports the tag, so that it does not arrive again."""
    same = (DATASET_ARRIVAL.c.dataset_id == dataset) & (DATASET_ARRIVAL.c.version_tag == before)
    named = (DATASET_ARRIVAL.c.dataset_id == dataset) & (DATASET_ARRIVAL.c.version_tag == after)
    if connection.execute(select(DATASET_ARRIVAL.c.arrival_id).where(named)).first() is not None:
        connection.execute(delete(DATASET_ARRIVAL).where(same))
    else:
        connection.execute(update(DATASET_ARRIVAL).where(same).values(version_tag=after))


def last_number(connection: Connection) -> int:
    return connection.execute(select(func.max(DATASET_ARRIVAL.c.arrival_id))).scalar() or 0


def add_again(connection: Connection, again: Iterable[ArrivedAgain], after: int, *, now: datetime) -> None:
    """Adds another arrival of versions whose last arrival is up to number ``after``; newer ones are skipped."""
    for one in again:
        number = select(DATASET.c.dataset_id).where(is_named(name_of_urn(one.urn)))
        same = (DATASET_ARRIVAL.c.dataset_id == number.scalar_subquery()) & (DATASET_ARRIVAL.c.version_tag == one.tag)
        newest = connection.execute(select(func.max(DATASET_ARRIVAL.c.arrival_id)).where(same)).scalar()
        if newest is not None and newest <= after:
            dataset_id = connection.execute(number).scalar_one()
            row = {"dataset_id": dataset_id, "version_tag": one.tag, "occasion": one.occasion, "arrived_at": now}
            add_missing(connection, DATASET_ARRIVAL, [row], keys=_KEY)


def find_names_after(connection: Connection, after: int, limit: int) -> tuple[tuple[int, str], ...]:
    query = (
        select(DATASET_ARRIVAL.c.arrival_id, DATASET.c.namespace, DATASET.c.name)
        .join(DATASET, DATASET.c.dataset_id == DATASET_ARRIVAL.c.dataset_id)
        .where(DATASET_ARRIVAL.c.arrival_id > after)
        .order_by(DATASET_ARRIVAL.c.arrival_id)
        .limit(limit)
    )
    return tuple((row.arrival_id, name_of_row(row).reference) for row in connection.execute(query))


def find_numbered(connection: Connection, numbers: Sequence[int]) -> tuple[ArrivedVersion, ...]:
    query = _ARRIVED.where(DATASET_ARRIVAL.c.arrival_id.in_(WANTED))
    return tuple(_arrived(row) for row in rows_of(connection, query, sorted(numbers)))


def find_arrived(connection: Connection, wanted: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Those of ``wanted`` (URN and tag) that have arrived."""
    requested = set(wanted)
    parameters = {"urns": sorted({urn for urn, _ in requested}), "tags": sorted({tag for _, tag in requested})}
    return {
        (name_of_row(row).reference, row.version_tag) for row in connection.execute(_ARRIVED_TAGS, parameters)
    } & requested


def find_untagged_run(connection: Connection, urn: str, process: str, since: datetime) -> str | None:
    """The last run of ``process`` since ``since`` that wrote the dataset without a version tag."""
    query = (
        select(PROCESS_RUN.c.run_uuid)
        .join(PROCESS, PROCESS.c.process_id == PROCESS_RUN.c.process_id)
        .join(DATASET_VERSION, DATASET_VERSION.c.produced_by_run_id == PROCESS_RUN.c.run_uuid)
        .join(DATASET, DATASET.c.dataset_id == DATASET_VERSION.c.dataset_id)
        .where(
            PROCESS.c.process_key == process,
            is_named(name_of_urn(urn)),
            DATASET_VERSION.c.version_tag == PROCESS_RUN.c.run_uuid,
            PROCESS_RUN.c.last_event_at >= since,
        )
        .order_by(PROCESS_RUN.c.last_event_at.desc())
        .limit(1)
    )
    run_uuid: str | None = connection.execute(query).scalar()
    return run_uuid


def _arrived(row: Any) -> ArrivedVersion:
    report = value_of(row.metadata_json or {}, "@report")
    return ArrivedVersion(
        number=row.arrival_id,
        urn=name_of_row(row).reference,
        tag=row.version_tag,
        arrived_at=row.arrived_at,
        run_uuid=row.produced_by_run_id,
        process=row.process_key,
        nominal_start=row.nominal_start_ts,
        row_count=row.row_count,
        byte_count=row.byte_count,
        path=row.path,
        report=report if isinstance(report, dict) else {},
        gone=row.dataset_version_id is None,
    )
