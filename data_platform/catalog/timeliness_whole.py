"""What is there of datasets without partitions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from data_platform.catalog.registry_table import DATASET, DATASET_VERSION
from data_platform.catalog.table import RUN
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.dataset import Stage
from data_platform.model.lateness import StageEnd
from data_platform.model.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.engine import Connection


def find_updated(connection: Connection, urns: Iterable[str]) -> dict[str, datetime]:
    """The end of the last run that certified each dataset, or the time of the last version of an external one."""
    wanted = list(urns)
    runs = select(RUN.c.dataset_urn, func.max(RUN.c.finished_at).label("at")).where(
        RUN.c.dataset_urn.in_(WANTED),
        RUN.c.stage == Stage.CERTIFIED.value,
        RUN.c.partition.is_(None),
        RUN.c.outcome == Outcome.PASSED.value,
    )
    versions = (
        select(DATASET.c.full_name, func.max(DATASET_VERSION.c.produced_at).label("at"))
        .join(DATASET_VERSION, DATASET_VERSION.c.dataset_id == DATASET.c.dataset_id)
        .where(DATASET.c.full_name.in_(WANTED), DATASET_VERSION.c.historical.is_(False))
        .where(DATASET_VERSION.c.produced_at.is_not(None))
        .group_by(DATASET.c.full_name)
    )
    reported = {row.full_name: row.at for row in rows_of(connection, versions, wanted)}
    return reported | {row.dataset_urn: row.at for row in rows_of(connection, runs.group_by(RUN.c.dataset_urn), wanted)}


def find_whole_ends(connection: Connection, urns: Iterable[str]) -> dict[str, StageEnd]:
    """The last result of each dataset, whatever its stage."""
    last = select(func.max(RUN.c.id)).where(RUN.c.dataset_urn.in_(WANTED), RUN.c.partition.is_(None))
    columns = (RUN.c[name] for name in ("dataset_urn", "stage", "outcome", "finished_at", "reason"))
    query = select(*columns).where(RUN.c.id.in_(last.group_by(RUN.c.dataset_urn)))
    return {
        row.dataset_urn: StageEnd(
            stage=Stage(row.stage), outcome=Outcome(row.outcome), finished_at=row.finished_at, reason=row.reason
        )
        for row in rows_of(connection, query, urns)
    }
