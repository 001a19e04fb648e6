"""Datasets and processes as they are registered, found by key or name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog.lineage_table import NODE_FACET
from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.errors import NotFoundError
from data_platform.model.catalog import DatasetCard, NodeRef, ProcessCard
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.graph import Node

_LARGEST = 2**63 - 1


def find_dataset(connection: Connection, reference: str) -> DatasetCard:
    """By its id, or its full name, which is the URN of a dataset of ours.

    Raises:
        NotFoundError: There is none.
    """
    row = _row(connection, DATASET, DATASET.c.dataset_id, DATASET.c.full_name, reference)
    if row is None:
        raise NotFoundError(f"no dataset {reference[:200]!r} is in the catalog: expected an id or a full name")
    return dataset_card(row)


def find_process(connection: Connection, reference: str) -> ProcessCard:
    """By its id or its key.

    Raises:
        NotFoundError: There is none.
    """
    row = _row(connection, PROCESS, PROCESS.c.process_id, PROCESS.c.process_key, reference)
    if row is None:
        raise NotFoundError(f"no process {reference[:200]!r} is in the catalog: expected an id or a key")
    return ProcessCard(
        id=row.process_id,
        key=row.process_key,
        namespace=row.namespace,
        name=row.name,
        description=row.description,
        technology=row.technology,
        team=row.team,
        owner_email=row.owner_email,
        trigger_mode=row.trigger_mode,
        created_at=row.created_at,
        updated_at=row.updated_at,
        retired_at=row.retired_at,
    )


def dataset_card(row: Any) -> DatasetCard:
    return DatasetCard(
        id=row.dataset_id,
        full_name=row.full_name,
        namespace=row.namespace,
        name=row.name,
        status=row.status,
        description=row.description,
        category=row.category,
        tags=tuple(row.tags),
        format=row.default_format,
        partitioning=row.partitioning,
        owner_team=row.owner_team,
        owner_email=row.owner_email,
        tier=row.tier,
        table=row.table_name,
        declared=row.policy_fingerprint is not None,
        created_by=row.created_by,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def facets_of(connection: Connection, node: Node) -> dict[str, Any]:
    """What was said last of it; what has a column of its own is not among them."""
    table = NODE_FACET.c
    mine = select(table.facet, table.value).where(table.node_type == node[0], table.node_id == node[1])
    return {row.facet: row.value for row in connection.execute(mine) if not row.facet.startswith("@")}


_DATASET_REFS = select(
    DATASET.c.dataset_id.label("id"), DATASET.c.full_name.label("name"), DATASET.c.owner_team, DATASET.c.status
).where(DATASET.c.dataset_id.in_(WANTED))
_PROCESS_REFS = select(
    PROCESS.c.process_id.label("id"),
    PROCESS.c.process_key.label("name"),
    PROCESS.c.team.label("owner_team"),
    PROCESS.c.technology.label("status"),
).where(PROCESS.c.process_id.in_(WANTED))


def refs(connection: Connection, nodes: Iterable[Node]) -> dict[Node, NodeRef]:
    """Names and owners of nodes."""
    wanted = set(nodes)
    found: dict[Node, NodeRef] = {}
    for kind, statement in ((NodeType.DATASET, _DATASET_REFS), (NodeType.PROCESS, _PROCESS_REFS)):
        for row in rows_of(connection, statement, sorted(number for type_, number in wanted if type_ is kind)):
            status = row.status if kind is NodeType.DATASET else None
            found[kind, row.id] = NodeRef(type=kind, id=row.id, name=row.name, owner_team=row.owner_team, status=status)
    return found


def _row(connection: Connection, table: Any, key: Any, unique: Any, reference: str) -> Any:
    row = connection.execute(select(table).where(unique == reference.replace("\x00", ""))).one_or_none()
    if row is None and reference.isdecimal() and reference.isascii() and int(reference) <= _LARGEST:
        row = connection.execute(select(table).where(key == int(reference))).one_or_none()
    return row
