"""Which datasets this installation has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.table import DATASET
from data_platform.model.registration import Registration

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection


def save_dataset(connection: Connection, urn: str, values: dict[str, Any], *, now: datetime) -> None:
    known = connection.execute(select(DATASET).where(DATASET.c.urn == urn)).mappings().one_or_none()
    if known is None:
        connection.execute(insert(DATASET).values(urn=urn, created_at=now, updated_at=now, **values))
    elif any(known[name] != value for name, value in values.items()):
        connection.execute(update(DATASET).where(DATASET.c.urn == urn).values(updated_at=now, **values))


def find_datasets(connection: Connection) -> tuple[Registration, ...]:
    return tuple(
        Registration(
            urn=row.urn,
            table=row.table_name,
            owner_team=row.owner_team,
            tier=row.tier,
            description=row.description,
            policy_fingerprint=row.policy_fingerprint,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
        for row in connection.execute(select(DATASET).order_by(DATASET.c.urn))
    )
