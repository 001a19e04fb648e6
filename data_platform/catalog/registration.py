"""Registers what the policies declare. A dataset that only events named before becomes ACTIVE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.dataset_row import is_named, name_of_urn
from data_platform.catalog.lineage.edge import change_graph
from data_platform.catalog.registry_table import DATASET, PROCESS, SLA
from data_platform.catalog.search import reindex
from data_platform.model.lineage import NodeType
from data_platform.model.registration import Registration

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection

DECLARED_BY = "policies"


def save_dataset(connection: Connection, urn: str, values: dict[str, Any], *, now: datetime) -> None:
    name = name_of_urn(urn)
    existing = connection.execute(select(DATASET).where(is_named(name))).mappings().one_or_none()
    values = {"status": "ACTIVE", **values}
    if existing is None:
        keys = {"namespace": name.namespace, "name": name.name, "full_name": urn}
        defaults = {"created_by": DECLARED_BY, "created_at": now, "updated_at": now}
        statement = insert(DATASET).values(**keys, **defaults, **values).returning(DATASET.c.dataset_id)
        reindex(connection, [(NodeType.DATASET, connection.execute(statement).scalar_one())])
        change_graph(connection)  # its stages may be in the graph already, and now become parts of the dataset
    elif any(existing[column] != value for column, value in values.items()):
        same = DATASET.c.dataset_id == existing["dataset_id"]
        connection.execute(update(DATASET).where(same).values(updated_at=now, **values))
        reindex(connection, [(NodeType.DATASET, existing["dataset_id"])])


def save_sla(connection: Connection, name: str, seconds: int, *, now: datetime) -> int:
    """Inserts the service level of this name or updates it to ``seconds``; returns its key."""
    existing = connection.execute(select(SLA).where(SLA.c.name == name)).one_or_none()
    if existing is None:
        values = {"name": name, "sla_window_sec": seconds, "created_at": now}
        connection.execute(insert(SLA).values(**values))
    elif existing.sla_window_sec != seconds:
        connection.execute(update(SLA).where(SLA.c.sla_id == existing.sla_id).values(sla_window_sec=seconds))
    return int(connection.execute(select(SLA.c.sla_id).where(SLA.c.name == name)).scalar_one())


def save_process(connection: Connection, key: str, values: dict[str, Any], *, now: datetime) -> None:
    """Declared values replace those from events; values that are not declared stay."""
    existing = connection.execute(select(PROCESS).where(PROCESS.c.process_key == key)).mappings().one_or_none()
    if existing is None:
        namespace, _, name = key.partition("/")
        keys = {"process_key": key, "namespace": namespace, "name": name, "created_at": now, "updated_at": now}
        statement = insert(PROCESS).values(**keys, **values).returning(PROCESS.c.process_id)
        reindex(connection, [(NodeType.PROCESS, connection.execute(statement).scalar_one())])
    elif any(existing[name] != value for name, value in values.items()):
        same = PROCESS.c.process_id == existing["process_id"]
        connection.execute(update(PROCESS).where(same).values(updated_at=now, **values))
        reindex(connection, [(NodeType.PROCESS, existing["process_id"])])


def find_datasets(connection: Connection) -> tuple[Registration, ...]:
    declared = select(DATASET).where(DATASET.c.policy_fingerprint.is_not(None)).order_by(DATASET.c.full_name)
    return tuple(
        Registration(
            urn=row.full_name,
            table=row.table_name,
            owner_team=row.owner_team,
            tier=row.tier,
            description=row.description,
            policy_fingerprint=row.policy_fingerprint,
            created_at=row.created_at,
            updated_at=row.updated_at,
        )
        for row in connection.execute(declared)
    )
