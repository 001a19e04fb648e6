"""Builds the search document of a node: its names, labels, columns and descriptions.

It has the columns of every schema that a dataset ever had, since users often look for a column that was removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog.registry_table import DATASET, DATASET_SCHEMA, PROCESS
from data_platform.catalog.search.term import fold, text_of
from data_platform.catalog.similar_key import similar_full, similar_name
from data_platform.catalog.upsert import chunks
from data_platform.model.internal import is_internal_job, whole_of
from data_platform.model.lineage import Name, NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.engine import Connection

NAME, LABELS, COLUMNS, TEXT = "name_words", "label_words", "column_words", "text_words"
"""The four fields that are searched, best first; also the names of their columns."""

_MOST_BYTES = {NAME: 5_000, LABELS: 20_000, COLUMNS: 200_000, TEXT: 50_000}
"""PostgreSQL accepts 1 MB of words a document; longer text is cut, so that nothing fails."""
_VALUE_BYTES = 500
_MOST_FACETS = 5_000


@dataclass(frozen=True)
class Document:
    """``row`` is a row of ``search_document`` without its key; ``facets`` maps kind and key to the value."""

    row: dict[str, Any]
    facets: dict[tuple[str, str], str]

    @property
    def node(self) -> tuple[NodeType, int]:
        return NodeType(self.row["node_type"]), self.row["node_id"]


def read_documents(connection: Connection, nodes: Iterable[tuple[NodeType, int]]) -> list[Document]:
    """Builds the documents of existing nodes from their current rows."""
    requested = list(nodes)
    datasets = sorted({number for kind, number in requested if kind is NodeType.DATASET})
    processes = sorted({number for kind, number in requested if kind is NodeType.PROCESS})
    documents: list[Document] = []
    for part in chunks(datasets):
        columns = _columns(connection, part)
        query = select(DATASET).where(DATASET.c.dataset_id.in_(part))
        documents += [_dataset_document(row, columns.get(row.dataset_id, {})) for row in connection.execute(query)]
    for part in chunks(processes):
        query = select(PROCESS).where(PROCESS.c.process_id.in_(part))
        documents += [_process_document(row) for row in connection.execute(query)]
    return documents


def _columns(connection: Connection, datasets: list[int]) -> dict[int, dict[str, str]]:
    """Maps each dataset to its columns with their latest descriptions."""
    columns_by_dataset: dict[int, dict[str, str]] = {}
    column = DATASET_SCHEMA.c
    query = select(column.dataset_id, column.column_name, column.column_metadata).where(column.dataset_id.in_(datasets))
    for row in connection.execute(query.order_by(column.schema_id)):
        description = (row.column_metadata or {}).get("description")
        columns = columns_by_dataset.setdefault(row.dataset_id, {})
        columns[row.column_name] = description if isinstance(description, str) else columns.get(row.column_name, "")
    return columns_by_dataset


def _dataset_document(row: Any, columns: dict[str, str]) -> Document:
    tags = [str(tag) for tag in row.tags or []]
    labels = [row.namespace, row.category, *tags, row.owner_team, row.owner_email, row.default_format, row.table_name]
    texts = {NAME: [row.name], LABELS: labels, COLUMNS: list(columns), TEXT: [row.description, *columns.values()]}
    values = [("TAG", tag) for tag in tags] + [("COLUMN", name) for name in columns]
    facets = {(kind, fold(value, most_bytes=_VALUE_BYTES)): value for kind, value in values[:_MOST_FACETS]}
    fields: dict[str, Any] = {"status": row.status, "team": _key(row.owner_team), "category": _key(row.category)}
    name = Name(row.namespace, row.name)
    fields |= {"similar_full": similar_full(name), "similar_name": similar_name(name)}
    fields |= {"internal": whole_of(name) is not None and row.policy_fingerprint is None}
    return Document(_row(NodeType.DATASET, row.dataset_id, row.full_name, row.name, fields, texts), facets)


def _process_document(row: Any) -> Document:
    labels = [row.namespace, row.technology, row.team, row.owner_email]
    texts = {NAME: [row.name], LABELS: labels, COLUMNS: [], TEXT: [row.description]}
    fields: dict[str, Any] = {
        "status": None,
        "team": _key(row.team),
        "category": None,
        "similar_full": None,
        "similar_name": None,
    }
    fields["internal"] = is_internal_job(Name(row.namespace, row.name))
    return Document(_row(NodeType.PROCESS, row.process_id, row.process_key, row.name, fields, texts), {})


def _row(
    kind: NodeType, number: int, full_name: str, name: str, fields: dict[str, Any], texts: dict[str, list[str | None]]
) -> dict[str, Any]:
    words = {
        place: text_of([text for text in values if text], most_bytes=_MOST_BYTES[place])
        for place, values in texts.items()
    }
    keys = {"full_name": full_name, "full_key": fold(full_name), "name_key": fold(name)}
    return {"node_type": str(kind), "node_id": number, **keys, **fields, **words}


def _key(value: str | None) -> str | None:
    return None if value is None else fold(value, most_bytes=_VALUE_BYTES)
