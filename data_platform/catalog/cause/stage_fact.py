"""The judged stages of the datasets upstream: those of the newest partitions, and those of versions that were read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import Text, select, tuple_, type_coerce

from data_platform.catalog.table import RUN, VERDICT
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.cause_fact import StageFact
from data_platform.model.dataset import Stage
from data_platform.model.run import JUDGED_UNDER
from data_platform.model.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from sqlalchemy import ColumnElement
    from sqlalchemy.engine import Connection, Row

    from data_platform.model.partition_key import PartitionKey

DAYS = 4
"""So many partitions before that of the incident are read: on a Monday, the last one of the week before too."""
MORE_DAYS = 70
"""The same of datasets that had no good run in these, such as monthly ones."""

_COLUMNS = (
    RUN.c.id, RUN.c.run_id, RUN.c.dataset_urn, RUN.c.stage, RUN.c.partition, RUN.c.outcome, RUN.c.started_at,
    RUN.c.finished_at, RUN.c.version, RUN.c.rows_read, RUN.c.signatures, RUN.c.delivery_id, RUN.c.policy_fingerprint,
    RUN.c.schema_fingerprint, RUN.c.input_versions, type_coerce(RUN.c.metadata, Text).label("metadata_text"),
)  # fmt: skip
_JUDGED_UNDER = re.compile(rf'"{JUDGED_UNDER}": "([^"]*)"')
"""Reads one key of the metadata, which are long, without parsing them."""


def find_stage_facts(
    connection: Connection, urns: Iterable[str], partition: PartitionKey | None, since: datetime
) -> tuple[StageFact, ...]:
    names = sorted(urns)
    rows = list(_around(connection, names, partition, since, DAYS))
    if partition is not None:
        passed = {row.dataset_urn for row in rows if row.partition != partition and row.outcome == Outcome.PASSED.value}
        rare = [urn for urn in names if urn not in passed]
        rows += _around(connection, rare, partition, since, MORE_DAYS)
    rows += _of_read_versions(connection, rows)
    unique = {row.id: row for row in rows}
    errored = _errored(connection, unique.values())
    return tuple(_fact(row, errored.get(row.id, ())) for row in unique.values())


def find_slice_facts(
    connection: Connection, urns: Iterable[str], partitions: Iterable[PartitionKey], since: datetime
) -> tuple[StageFact, ...]:
    """All judged stages of the ``partitions``, and of datasets without partitions since ``since``, without errors."""
    names = sorted(urns)
    slices = [RUN.c.partition == partition for partition in sorted(partitions)]
    rows: list[Row[Any]] = []
    for condition in (*slices, RUN.c.partition.is_(None) & (RUN.c.started_at >= since)):
        query = select(*_COLUMNS).where(RUN.c.dataset_urn.in_(WANTED), RUN.c.stage.in_(list(Stage)), condition)
        rows += rows_of(connection, query, names)
    return tuple(_fact(row, ()) for row in rows)


def _around(
    connection: Connection, urns: list[str], partition: PartitionKey | None, since: datetime, days: int
) -> Iterator[Row[Any]]:
    """Rows of the partitions up to the next, and of datasets without partitions since ``since``."""
    conditions: list[ColumnElement[bool]] = [RUN.c.partition.is_(None) & (RUN.c.started_at >= since)]
    if partition is not None:
        conditions.append(RUN.c.partition.between(partition.shifted(-days), partition.next))
    else:
        conditions.append(RUN.c.partition.is_not(None) & (RUN.c.started_at >= since))
    for condition in conditions:  # apart, since an index serves each of them and not both at once
        query = select(*_COLUMNS).where(RUN.c.dataset_urn.in_(WANTED), RUN.c.stage.in_(list(Stage)), condition)
        yield from rows_of(connection, query, urns)


def _of_read_versions(connection: Connection, rows: Iterable[Row[Any]]) -> list[Row[Any]]:
    """The runs of certified versions that were read, and that are of older partitions."""
    listed = list(rows)
    certified = {(row.dataset_urn, row.version) for row in listed if row.stage == Stage.CERTIFIED.value}
    read = {pair for row in listed for pair in row.input_versions.items() if "@" not in pair[0]}
    known = {row.dataset_urn for row in listed}
    missing = sorted(pair for pair in read - certified if pair[0] in known)
    if not missing:
        return []
    key = tuple_(RUN.c.dataset_urn, RUN.c.stage, RUN.c.version)
    wanted = [(urn, Stage.CERTIFIED.value, version) for urn, version in missing]
    runs = [(row.run_id, row.dataset_urn) for row in rows_of(connection, select(RUN).where(key.in_(WANTED)), wanted)]
    of_run = select(*_COLUMNS).where(tuple_(RUN.c.run_id, RUN.c.dataset_urn).in_(WANTED))
    return list(rows_of(connection, of_run, sorted(set(runs))))


def _errored(connection: Connection, rows: Iterable[Row[Any]]) -> dict[int, tuple[str, ...]]:
    """The gates that could not judge, by the number of the run's row."""
    numbers = [row.id for row in rows if row.outcome == Outcome.ERRORED.value]
    query = select(VERDICT.c.run, VERDICT.c.gate).where(
        VERDICT.c.run.in_(WANTED), VERDICT.c.outcome == Outcome.ERRORED.value
    )
    gates: dict[int, list[str]] = {}
    for row in rows_of(connection, query.order_by(VERDICT.c.run, VERDICT.c.position), numbers):
        gates.setdefault(row.run, []).append(row.gate)
    return {run: tuple(dict.fromkeys(listed)) for run, listed in gates.items()}


def _fact(row: Row[Any], errored: tuple[str, ...]) -> StageFact:
    judged_under = _JUDGED_UNDER.search(row.metadata_text or "")
    return StageFact(
        run_id=row.run_id,
        dataset=row.dataset_urn,
        stage=Stage(row.stage),
        partition=row.partition,
        outcome=Outcome(row.outcome),
        started_at=row.started_at,
        finished_at=row.finished_at,
        version=row.version,
        rows_read=row.rows_read,
        signatures=tuple(sorted(row.signatures)),
        errored=errored,
        delivery=row.delivery_id,
        policy=row.policy_fingerprint,
        judged_under=judged_under[1] if judged_under else "",
        schema=row.schema_fingerprint or "",
        inputs=tuple(sorted((name, version) for name, version in row.input_versions.items() if "@" not in name)),
    )
