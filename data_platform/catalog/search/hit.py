"""Reads the hits of one page from the rows of their nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.catalog.search.term import terms
from data_platform.catalog.search_table import SEARCH_FACET
from data_platform.model.lineage import Name, NodeType
from data_platform.model.search import SearchHit

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

FITS = ("exact", "name", "name", "label", "column", "description", "similar", "similar", "filter")
"""Levels of fit, best first: whole words in the name before beginnings, corrected words in the name before others.

The last one is for a request without words.
"""

_MOST_COLUMNS = 5


def read_hits(connection: Connection, rows: Sequence[Any], words: Iterable[str]) -> tuple[SearchHit, ...]:
    """``rows`` are documents in their order; a document whose node no longer exists is left out."""
    numbers: dict[str, list[int]] = {kind: [] for kind in NodeType}
    for row in rows:
        numbers[row.node_type].append(row.node_id)
    nodes: dict[tuple[str, int], Any] = {}
    for kind, table, key in ((NodeType.DATASET, DATASET, "dataset_id"), (NodeType.PROCESS, PROCESS, "process_id")):
        node_rows = connection.execute(select(table).where(table.c[key].in_(numbers[kind]))).mappings()
        nodes |= {(str(kind), node[key]): node for node in node_rows}
    columns = _columns(connection, [row.document_id for row in rows], tuple(words))
    pairs = ((row, nodes.get((row.node_type, row.node_id))) for row in rows)
    return tuple(_hit(row, node, columns.get(row.document_id, ())) for row, node in pairs if node is not None)


def _hit(row: Any, node: Any, columns: tuple[str, ...]) -> SearchHit:
    kind = NodeType(row.node_type)
    is_dataset = kind is NodeType.DATASET
    return SearchHit(
        kind=kind,
        id=row.node_id,
        full_name=node["full_name" if is_dataset else "process_key"],
        namespace=node["namespace"],
        name=node["name"],
        description=node["description"],
        team=node["owner_team" if is_dataset else "team"],
        category=node["category"] if is_dataset else None,
        tags=tuple(node["tags"] or ()) if is_dataset else (),
        status=node["status"] if is_dataset else "RETIRED" if node["retired_at"] else None,
        found_in=FITS[row.fit],
        reference=Name(node["namespace"], node["name"]).reference if is_dataset else node["process_key"],
        columns=columns,
    )


def _columns(connection: Connection, documents: Sequence[int], words: tuple[str, ...]) -> dict[int, tuple[str, ...]]:
    """Columns with a word that begins with one of ``words``, by document."""
    if not words or not documents:
        return {}
    columns_by_document: dict[int, list[str]] = {}
    condition = SEARCH_FACET.c.document_id.in_(documents), SEARCH_FACET.c.facet == "COLUMN"
    query = (
        select(SEARCH_FACET.c.document_id, SEARCH_FACET.c.value).where(*condition).order_by(SEARCH_FACET.c.value_key)
    )
    for number, column in connection.execute(query):
        if any(word.startswith(words) for term in terms(column) for word in term.words):
            columns_by_document.setdefault(number, []).append(column)
    return {number: tuple(columns[:_MOST_COLUMNS]) for number, columns in columns_by_document.items()}
