"""Finds which partitions have tokens of which key, in what silver holds now and in what consumers see of gold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from data_platform.catalog.table import CERTIFICATION, RUN
from data_platform.model.dataset import Stage
from data_platform.model.token_use import TokenUse, keys_in

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection


def find_token_uses(connection: Connection, urn: str | None) -> tuple[TokenUse, ...]:
    """Ordered by dataset, partition and stage; of every dataset that was ever written, if ``urn`` is None.

    A held run has no version, because its rows are not in the table.
    """
    slices = (RUN.c.dataset_urn, RUN.c.partition)
    given = () if urn is None else (RUN.c.dataset_urn == urn,)
    in_silver = select(func.max(RUN.c.id)).where(RUN.c.stage == Stage.SILVER.value, RUN.c.version.is_not(None), *given)
    seen = CERTIFICATION.c.version >= RUN.c.version
    certified = select(func.max(RUN.c.id)).join(CERTIFICATION, CERTIFICATION.c.dataset_urn == RUN.c.dataset_urn)
    in_gold = certified.where(RUN.c.stage == Stage.GOLD.value, seen, *given)
    newest = (RUN.c.id.in_(in_silver.group_by(*slices)) | RUN.c.id.in_(in_gold.group_by(*slices)),)
    rows = connection.execute(select(RUN.c.stage, *slices, RUN.c.metadata).where(*newest)).all()
    uses = (
        TokenUse(
            dataset_urn=row.dataset_urn,
            stage=Stage(row.stage),
            partition=row.partition,
            version=version,
            key_id=key_id,
        )
        for row in rows
        for key_id, version in keys_in(row.metadata).items()
    )
    return tuple(sorted(uses, key=lambda use: (use.dataset_urn, use.partition or "", use.stage.value, use.version)))
