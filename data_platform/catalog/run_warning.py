"""Warnings of runs that passed: of the last run of each stage of a partition, if no later partition is without them.

A partition that has the rows of another one keeps that warning until it is delivered again: a good day after it does
not correct it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select, text, tuple_

from data_platform.catalog.table import RULE_RESULT, RUN, VERDICT
from data_platform.catalog.upsert import chunks
from data_platform.model.dataset import Stage
from data_platform.model.delivered_content import REPEATED_DELIVERY
from data_platform.model.run_warning import RunWarning
from data_platform.model.verdict import QUALIFYING, Gate, Outcome, Severity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from datetime import datetime

    from sqlalchemy import Select
    from sqlalchemy.engine import Connection, Row

_FAILED = text("rule_result.outcome <> 'passed'")  # the text of the index, which a parameter would not match


def find_warnings(connection: Connection, *, since: datetime, runs: Collection[str] = ()) -> tuple[RunWarning, ...]:
    """Of runs that ended at ``since`` or later, and of the ``runs`` with these ids, whenever they ended."""
    first = connection.execute(
        select(RUN.c.id)
        .where(RUN.c.outcome == Outcome.PASSED.value, RUN.c.finished_at >= since)
        .order_by(RUN.c.finished_at)
        .limit(1)
    ).scalar_one_or_none()
    rows = [] if first is None else list(connection.execute(_warnings().where(RULE_RESULT.c.run >= first)))
    for part in chunks(runs):
        ids = select(RUN.c.id).where(RUN.c.run_id.in_(part))
        rows += connection.execute(_warnings().where(RULE_RESULT.c.run.in_(ids)))
    found = list({(row.id, row.gate, row.signature): row for row in rows}.values())
    last = _last_runs(connection, {(row.dataset_urn, row.stage, row.partition) for row in found})
    newest = _newest_partitions(connection, {(row.dataset_urn, row.stage) for row in found})
    current = [row for row in found if last[row.dataset_urn, row.stage, row.partition] == row.id]
    still = {(row.dataset_urn, row.stage, row.partition, _subject(row)) for row in current}
    return tuple(
        _warning(row)
        for row in current
        if row.signature == REPEATED_DELIVERY
        or (row.dataset_urn, row.stage, newest.get((row.dataset_urn, row.stage)), _subject(row)) in still
    )


def _warnings() -> Select[Any]:
    return (
        select(
            RUN.c.id,
            RUN.c.run_id,
            RUN.c.dataset_urn,
            RUN.c.stage,
            RUN.c.partition,
            RUN.c.finished_at,
            VERDICT.c.gate,
            RULE_RESULT.c.signature,
            RULE_RESULT.c.reason,
            RULE_RESULT.c.row_count,
        )
        .join(RUN, RUN.c.id == RULE_RESULT.c.run)
        .join(VERDICT, (VERDICT.c.run == RULE_RESULT.c.run) & (VERDICT.c.position == RULE_RESULT.c.verdict))
        .where(_FAILED, RULE_RESULT.c.severity == Severity.WARN.value, RUN.c.outcome.in_(QUALIFYING))
        .order_by(RULE_RESULT.c.run, RULE_RESULT.c.verdict, RULE_RESULT.c.position)
    )


def _last_runs(connection: Connection, slices: Iterable[tuple[Any, ...]]) -> dict[tuple[Any, ...], int]:
    """The last run of each stage of a partition, whatever its outcome."""
    found: dict[tuple[Any, ...], int] = {}
    query = select(func.max(RUN.c.id))
    for dataset, stage, partition in slices:
        conditions = (RUN.c.dataset_urn == dataset, RUN.c.stage == stage)
        same = RUN.c.partition.is_(None) if partition is None else RUN.c.partition == partition
        found[dataset, stage, partition] = connection.execute(query.where(*conditions, same)).scalar_one()
    return found


def _newest_partitions(connection: Connection, stages: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Any]:
    """The newest partition of each dataset and stage that passed; None for one without partitions."""
    found: dict[tuple[str, str], Any] = {}
    for part in chunks(stages):
        query = select(RUN.c.dataset_urn, RUN.c.stage, func.max(RUN.c.partition).label("newest")).where(
            tuple_(RUN.c.dataset_urn, RUN.c.stage).in_(part), RUN.c.outcome.in_(QUALIFYING)
        )
        rows = connection.execute(query.group_by(RUN.c.dataset_urn, RUN.c.stage))
        found |= {(row.dataset_urn, row.stage): row.newest for row in rows}
    return found


def _subject(row: Row[Any]) -> str:
    """The kind and the column of a signature: the same fault of another day may have another number or value."""
    if row.signature.startswith("PII"):  # whose column is last
        return str(row.signature)
    return ":".join(row.signature.split(":")[:2])


def _warning(row: Row[Any]) -> RunWarning:
    return RunWarning(
        run_id=row.run_id,
        dataset_urn=row.dataset_urn,
        stage=Stage(row.stage),
        partition=row.partition,
        finished_at=row.finished_at,
        gate=Gate.named(row.gate),
        signature=_subject(row),
        reason=row.reason,
        rows=row.row_count,
    )
