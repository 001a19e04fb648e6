"""How the gates judged the partitions of datasets, and when each was certified: the facts of a health score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import case, exists, func, select

from data_platform.catalog.table import RULE_RESULT, RUN, VERDICT
from data_platform.catalog.timeliness import are_certified
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.health import GateScore
from data_platform.model.verdict import QUALIFYING, Gate, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy import Subquery
    from sqlalchemy.engine import Connection

    from data_platform.model.partition_key import PartitionKey


def find_gate_scores(
    connection: Connection, urns: Iterable[str], since: PartitionKey
) -> dict[str, dict[Gate, GateScore]]:
    """By dataset and gate, over the last run of each stage for each partition from ``since`` on.

    A gate of two stages has passed a partition if it passed both.
    """
    day = _by_day(since).c
    query = select(
        day.dataset_urn,
        day.gate,
        func.count().label("days"),
        func.sum(day.passed).label("passed"),
        func.sum(day.passed * day.warned).label("warned"),
        func.avg(day.compliance).label("compliance"),
    ).group_by(day.dataset_urn, day.gate)
    found: dict[str, dict[Gate, GateScore]] = {}
    for row in rows_of(connection, query, urns):
        if row.gate in Gate.__members__:
            score = GateScore(days=row.days, passed=int(row.passed), warned=int(row.warned), compliance=row.compliance)
            found.setdefault(row.dataset_urn, {})[Gate.named(row.gate)] = score
    return found


def _by_day(since: PartitionKey) -> Subquery:
    """By dataset, gate and partition: whether the gate passed all of its stages, and whether it warned."""
    last = (
        select(func.max(RUN.c.id))
        .where(RUN.c.dataset_urn.in_(WANTED), RUN.c.partition >= since)
        .group_by(RUN.c.dataset_urn, RUN.c.stage, RUN.c.partition)
    )
    warning = exists().where(
        RULE_RESULT.c.run == VERDICT.c.run,
        RULE_RESULT.c.verdict == VERDICT.c.position,
        RULE_RESULT.c.outcome != Outcome.PASSED.value,
    )
    return (
        select(
            RUN.c.dataset_urn,
            VERDICT.c.gate,
            func.min(_one_if(VERDICT.c.outcome.in_(QUALIFYING))).label("passed"),
            func.max(_one_if(warning)).label("warned"),
            func.avg(VERDICT.c.compliance).label("compliance"),
        )
        .join(VERDICT, VERDICT.c.run == RUN.c.id)
        .where(RUN.c.id.in_(last))
        .group_by(RUN.c.dataset_urn, VERDICT.c.gate, RUN.c.partition)
        .subquery()
    )


def find_first_certified(
    connection: Connection, urns: Iterable[str], since: PartitionKey
) -> dict[str, dict[PartitionKey, datetime]]:
    """When each partition from ``since`` on was certified first."""
    query = (
        select(RUN.c.dataset_urn, RUN.c.partition, func.min(RUN.c.finished_at).label("at"))
        .where(*are_certified(since))
        .group_by(RUN.c.dataset_urn, RUN.c.partition)
    )
    found: dict[str, dict[PartitionKey, datetime]] = {}
    for row in rows_of(connection, query, urns):
        urn, partition, at = tuple(row)
        found.setdefault(urn, {})[partition] = at
    return found


def _one_if(condition: Any) -> Any:
    return case((condition, 1), else_=0)
