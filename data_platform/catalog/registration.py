"""What this installation's policies declare. A dataset that only an event named before becomes ACTIVE by it."""

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
    known = connection.execute(select(DATASET).where(is_named(name))).mappings().one_or_none()
    values = {"status": "ACTIVE", **values}
    if known is None:
        fresh = {"namespace": name.namespace, "name": name.name, "full_name": urn}
        always = {"created_by": DECLARED_BY, "created_at": now, "updated_at": now}
        statement = insert(DATASET).values(**fresh, **always, **values).returning(DATASET.c.dataset_id)
        reindex(connection, [(NodeType.DATASET, connection.execute(statement).scalar_one())])
        change_graph(connection)  # its stages may be in the graph already, and are parts of it from now on
    elif any(known[column] != value for column, value in values.items()):
        same = DATASET.c.dataset_id == known["dataset_id"]
        connection.execute(update(DATASET).where(same).values(updated_at=now, **values))
        reindex(connection, [(NodeType.DATASET, known["dataset_id"])])


def save_sla(connection: Connection, name: str, seconds: int, *, now: datetime) -> int:
    """The key of the service level of this name, made or brought up to ``seconds``."""
    known = connection.execute(select(SLA).where(SLA.c.name == name)).one_or_none()
    if known is None:
        values = {"name": name, "sla_window_sec": seconds, "created_at": now}
        connection.execute(insert(SLA).values(**values))
    elif known.sla_window_sec != seconds:
        connection.execute(update(SLA).where(SLA.c.sla_id == known.sla_id).values(sla_window_sec=seconds))
    return int(connection.execute(select(SLA.c.sla_id).where(SLA.c.name == name)).scalar_one())


def save_process(connection: Connection, key: str, values: dict[str, Any], *, now: datetime) -> None:
    """Also of a process that only events named before: what is declared counts, and what is not stays."""
    known = connection.execute(select(PROCESS).where(PROCESS.c.process_key == key)).mappings().one_or_none()
    if known is None:
        namespace, _, name = key.partition("/")
        fresh = {"process_key": key, "namespace": namespace, "name": name, "created_at": now, "updated_at": now}
        statement = insert(PROCESS).values(**fresh, **values).returning(PROCESS.c.process_id)
        reindex(connection, [(NodeType.PROCESS, connection.execute(statement).scalar_one())])
    elif any(known[name] != value for name, value in values.items()):
        same = PROCESS.c.process_id == known["process_id"]
        connection.execute(update(PROCESS).where(same).values(updated_at=now, **values))
        reindex(connection, [(NodeType.PROCESS, known["process_id"])])


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
