"""Finds registered datasets and processes by key or name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog.dataset_row import name_of_row, row_of_reference
from data_platform.catalog.legacy.sighting import find_sightings
from data_platform.catalog.lineage_table import NODE_FACET
from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.errors import NotFoundError
from data_platform.model.dataset_page import DatasetCard
from data_platform.model.internal import whole_of
from data_platform.model.lineage import NodeType
from data_platform.model.lineage_graph import NodeRef
from data_platform.model.process_page import ProcessCard

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.graph import Node

_LARGEST = 2**63 - 1


def find_dataset(connection: Connection, reference: str) -> DatasetCard:
    """Finds a dataset by reference (the URN of a platform dataset), id, or full name.

    Raises:
        NotFoundError: There is no such node.
        InputError: Several datasets have this full name.
    """
    row = row_of_reference(connection, reference)
    if row is None:
        raise NotFoundError(f"no dataset {reference[:200]!r} is in the catalog: expected an id or a full name")
    return dataset_card(row)


def known_datasets(connection: Connection, references: Iterable[str]) -> list[DatasetCard]:
    """The datasets that the catalog has; the other references are left out."""
    rows = [row_of_reference(connection, reference) for reference in references]
    return [dataset_card(row) for row in rows if row is not None]


def find_process(connection: Connection, reference: str) -> ProcessCard:
    """Finds a process by id or key.

    Raises:
        NotFoundError: There is no such node.
    """
    row = _process_row(connection, reference)
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
        seen=find_sightings(connection, row.process_id),
    )


def dataset_card(row: Any) -> DatasetCard:
    return DatasetCard(
        id=row.dataset_id,
        full_name=row.full_name,
        reference=name_of_row(row).reference,
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
    """The latest facets of a node, without those stored in its columns."""
    table = NODE_FACET.c
    of_node = select(table.facet, table.value).where(table.node_type == node[0], table.node_id == node[1])
    return {row.facet: row.value for row in connection.execute(of_node) if not row.facet.startswith("@")}


_DATASET_REFS = select(
    DATASET.c.dataset_id, DATASET.c.namespace, DATASET.c.name, DATASET.c.owner_team, DATASET.c.status
).where(DATASET.c.dataset_id.in_(WANTED))
_PROCESS_REFS = select(
    PROCESS.c.process_id, PROCESS.c.process_key, PROCESS.c.namespace, PROCESS.c.name, PROCESS.c.team
).where(PROCESS.c.process_id.in_(WANTED))


def refs(connection: Connection, nodes: Iterable[Node]) -> dict[Node, NodeRef]:
    """Reads names and owners of nodes."""
    requested = set(nodes)
    datasets = sorted(number for type_, number in requested if type_ is NodeType.DATASET)
    processes = sorted(number for type_, number in requested if type_ is NodeType.PROCESS)
    dataset_refs = {(ref.type, ref.id): ref for ref in map(_dataset_ref, rows_of(connection, _DATASET_REFS, datasets))}
    return dataset_refs | {
        (ref.type, ref.id): ref for ref in map(_process_ref, rows_of(connection, _PROCESS_REFS, processes))
    }


def _dataset_ref(row: Any) -> NodeRef:
    name = name_of_row(row)
    whole = whole_of(name)
    return NodeRef(
        type=NodeType.DATASET,
        id=row.dataset_id,
        name=name.reference,
        namespace=name.namespace,
        own_name=name.name,
        owner_team=row.owner_team,
        status=row.status,
        part_of=None if whole is None else whole.reference,
    )


def _process_ref(row: Any) -> NodeRef:
    return NodeRef(
        type=NodeType.PROCESS,
        id=row.process_id,
        name=row.process_key,
        namespace=row.namespace,
        own_name=row.name,
        owner_team=row.team,
    )


def _process_row(connection: Connection, reference: str) -> Any:
    result = connection.execute(select(PROCESS).where(PROCESS.c.process_key == reference.replace("\x00", "")))
    row = result.one_or_none()
    if row is None and reference.isdecimal() and reference.isascii() and int(reference) <= _LARGEST:
        return connection.execute(select(PROCESS).where(PROCESS.c.process_id == int(reference))).one_or_none()
    return row
