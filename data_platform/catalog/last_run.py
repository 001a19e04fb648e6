"""Selects the last run of a stage for each partition that may be certified."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from data_platform.catalog.table import RUN
from data_platform.model.verdict import QUALIFYING

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select

    from data_platform.model.dataset import Stage


def last_qualifying(urn: str, stage: Stage, *conditions: ColumnElement[bool]) -> Select[Any]:
    """The ids of the runs, one for each partition; ``conditions`` are about its partition."""
    of_stage = (RUN.c.dataset_urn == urn, RUN.c.stage == stage.value, RUN.c.partition.is_not(None))
    qualifying = select(func.max(RUN.c.id)).where(*of_stage, *conditions, RUN.c.outcome.in_(QUALIFYING))
    return qualifying.group_by(RUN.c.partition)


def before_partition(partition: Any) -> tuple[ColumnElement[bool], ...]:
    """The condition of partitions earlier than ``partition``; none if it is None."""
    return () if partition is None else (RUN.c.partition < partition,)
