"""What is found of a node: its names, its labels, its columns, what is said of it.

Columns are those of every schema that a dataset ever had, since the question is often where a column went.
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
"""The four places that words are found in, best first; also their columns' names."""

_MOST_BYTES = {NAME: 5_000, LABELS: 20_000, COLUMNS: 200_000, TEXT: 50_000}
"""PostgreSQL takes 1 MB of words a document; what goes beyond is not found, and nothing fails."""
_VALUE_BYTES = 500
_MOST_FACETS = 5_000


@dataclass(frozen=True)
class Document:
    """``row`` is that of ``search_document`` without its key; ``facets`` lead from kind and key to the value."""

    row: dict[str, Any]
    facets: dict[tuple[str, str], str]

    @property
    def node(self) -> tuple[NodeType, int]:
        return NodeType(self.row["node_type"]), self.row["node_id"]


def read_documents(connection: Connection, nodes: Iterable[tuple[NodeType, int]]) -> list[Document]:
    """Of those nodes that there are, from their rows as they are now."""
    wanted = list(nodes)
    datasets = sorted({number for kind, number in wanted if kind is NodeType.DATASET})
    processes = sorted({number for kind, number in wanted if kind is NodeType.PROCESS})
    found: list[Document] = []
    for part in chunks(datasets):
        columns = _columns(connection, part)
        query = select(DATASET).where(DATASET.c.dataset_id.in_(part))
        found += [_of_dataset(row, columns.get(row.dataset_id, {})) for row in connection.execute(query)]
    for part in chunks(processes):
        query = select(PROCESS).where(PROCESS.c.process_id.in_(part))
        found += [_of_process(row) for row in connection.execute(query)]
    return found


def _columns(connection: Connection, datasets: list[int]) -> dict[int, dict[str, str]]:
    """By dataset, each column with what was said of it last."""
    found: dict[int, dict[str, str]] = {}
    column = DATASET_SCHEMA.c
    query = select(column.dataset_id, column.column_name, column.column_metadata).where(column.dataset_id.in_(datasets))
    for row in connection.execute(query.order_by(column.schema_id)):
        said = (row.column_metadata or {}).get("description")
        columns = found.setdefault(row.dataset_id, {})
        columns[row.column_name] = said if isinstance(said, str) else columns.get(row.column_name, "")
    return found


def _of_dataset(row: Any, columns: dict[str, str]) -> Document:
    tags = [str(tag) for tag in row.tags or []]
    labels = [row.namespace, row.category, *tags, row.owner_team, row.owner_email, row.default_format, row.table_name]
    texts = {NAME: [row.name], LABELS: labels, COLUMNS: list(columns), TEXT: [row.description, *columns.values()]}
    values = [("TAG", tag) for tag in tags] + [("COLUMN", name) for name in columns]
    facets = {(kind, fold(value, most_bytes=_VALUE_BYTES)): value for kind, value in values[:_MOST_FACETS]}
    own: dict[str, Any] = {"status": row.status, "team": _key(row.owner_team), "category": _key(row.category)}
    name = Name(row.namespace, row.name)
    own |= {"similar_full": similar_full(name), "similar_name": similar_name(name)}
    own |= {"internal": whole_of(name) is not None and row.policy_fingerprint is None}
    return Document(_row(NodeType.DATASET, row.dataset_id, row.full_name, row.name, own, texts), facets)


def _of_process(row: Any) -> Document:
    labels = [row.namespace, row.technology, row.team, row.owner_email]
    texts = {NAME: [row.name], LABELS: labels, COLUMNS: [], TEXT: [row.description]}
    own: dict[str, Any] = {
        "status": None,
        "team": _key(row.team),
        "category": None,
        "similar_full": None,
        "similar_name": None,
    }
    own["internal"] = is_internal_job(Name(row.namespace, row.name))
    return Document(_row(NodeType.PROCESS, row.process_id, row.process_key, row.name, own, texts), {})


def _row(
    kind: NodeType, number: int, full_name: str, name: str, own: dict[str, Any], texts: dict[str, list[str | None]]
) -> dict[str, Any]:
    words = {
        place: text_of([text for text in given if text], most_bytes=_MOST_BYTES[place])
        for place, given in texts.items()
    }
    keys = {"full_name": full_name, "full_key": fold(full_name), "name_key": fold(name)}
    return {"node_type": str(kind), "node_id": number, **keys, **own, **words}


def _key(value: str | None) -> str | None:
    return None if value is None else fold(value, most_bytes=_VALUE_BYTES)
