"""The facts of the key figures: incidents of a period, and certifications with their evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import case, exists, func, select

from data_platform.catalog.evidence_table import EVIDENCE
from data_platform.catalog.table import RUN
from data_platform.model.dataset import Stage
from data_platform.model.kpi import Share
from data_platform.model.verdict import QUALIFYING

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection


def find_evidence_shares(connection: Connection, since: datetime) -> dict[str, Share]:
    """By dataset, how many certifications since then there were, and how many of them have evidence."""
    # as an expression, so that the index of runs is used, and not that of all evidence of the dataset
    dataset = EVIDENCE.c.dataset_urn.concat("")
    recorded = exists().where(EVIDENCE.c.run_id == RUN.c.run_id, dataset == RUN.c.dataset_urn)
    query = (
        select(RUN.c.dataset_urn, func.count().label("whole"), func.sum(case((recorded, 1), else_=0)).label("part"))
        .where(RUN.c.outcome.in_(QUALIFYING), RUN.c.finished_at >= since, RUN.c.stage == Stage.CERTIFIED.value)
        .group_by(RUN.c.dataset_urn)
    )
    return {row.dataset_urn: Share(part=int(row.part), whole=row.whole) for row in connection.execute(query)}
