"""Updates search documents when their nodes change, in the write transaction of the change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, text, update

from data_platform.catalog.registry_table import DATASET, PROCESS
from data_platform.catalog.search.document import COLUMNS, LABELS, NAME, TEXT, read_documents
from data_platform.catalog.search.vocabulary import add_words
from data_platform.catalog.search_table import SEARCH_DOCUMENT, SEARCH_FACET
from data_platform.catalog.upsert import chunks, replace
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

    from data_platform.catalog.search.document import Document

_PLACES = f"{NAME}, {LABELS}, {COLUMNS}, {TEXT}"
_STEP = 1000
"""Documents in memory at a time: with many columns they take some tens of megabytes."""


def reindex(connection: Connection, nodes: Iterable[tuple[NodeType, int]]) -> None:
    """Updates the documents of ``nodes``; unchanged documents are not written."""
    listed = sorted(set(nodes))
    for start in range(0, len(listed), _STEP):
        documents = read_documents(connection, listed[start : start + _STEP])
        _write(connection, documents)


def rebuild(connection: Connection) -> int:
    """Rebuilds all documents, for a catalog whose nodes are older than its search; returns their number."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("INSERT INTO search_index (search_index) VALUES ('delete-all')"))
    connection.execute(delete(SEARCH_FACET))
    connection.execute(delete(SEARCH_DOCUMENT))
    nodes = [(NodeType.DATASET, number) for number in connection.execute(select(DATASET.c.dataset_id)).scalars()]
    nodes += [(NodeType.PROCESS, number) for number in connection.execute(select(PROCESS.c.process_id)).scalars()]
    reindex(connection, nodes)
    return len(nodes)


def _write(connection: Connection, documents: Sequence[Document]) -> None:
    stored = _stored(connection, documents)
    changed, fresh = [], []
    for document in documents:
        row = stored.get(document.node)
        if row is None:
            fresh.append(document)
        elif any(row[name] != value for name, value in document.row.items()):
            changed.append(document)
    _unindex(connection, [stored[document.node]["document_id"] for document in changed])
    for document in changed:
        same = SEARCH_DOCUMENT.c.document_id == stored[document.node]["document_id"]
        connection.execute(update(SEARCH_DOCUMENT).where(same).values(**document.row))
    if fresh:
        connection.execute(insert(SEARCH_DOCUMENT), [document.row for document in fresh])
        stored |= _stored(connection, fresh)
    written = [*changed, *fresh]
    _index(connection, [stored[document.node]["document_id"] for document in written])
    add_words(connection, (document.row[place] for document in written for place in (NAME, LABELS, COLUMNS, TEXT)))
    # a tag may change without its words, so the facets of all documents are compared
    _write_facets(connection, {stored[document.node]["document_id"]: document for document in documents})


def _stored(connection: Connection, documents: Iterable[Document]) -> dict[tuple[NodeType, int], Any]:
    rows_by_node: dict[tuple[NodeType, int], Any] = {}
    nodes = [document.node for document in documents]
    for kind in NodeType:
        for part in chunks(number for kind_of, number in nodes if kind_of is kind):
            condition = SEARCH_DOCUMENT.c.node_type == kind, SEARCH_DOCUMENT.c.node_id.in_(part)
            rows = connection.execute(select(SEARCH_DOCUMENT).where(*condition)).mappings()
            rows_by_node |= {(kind, row["node_id"]): row for row in rows}
    return rows_by_node


def _write_facets(connection: Connection, documents: dict[int, Document]) -> None:
    keys = ("facet", "value_key", "document_id")
    before: dict[tuple[str, str, int], str] = {}
    for part in chunks(documents):
        query = select(SEARCH_FACET).where(SEARCH_FACET.c.document_id.in_(part))
        before |= {(row.facet, row.value_key, row.document_id): row.value for row in connection.execute(query)}
    after = {(*key, number): value for number, document in documents.items() for key, value in document.facets.items()}
    for facet, value_key, number in before.keys() - after.keys():
        same = SEARCH_FACET.c.facet == facet, SEARCH_FACET.c.value_key == value_key
        connection.execute(delete(SEARCH_FACET).where(*same, SEARCH_FACET.c.document_id == number))
    rows = {key: {**dict(zip(keys, key, strict=True)), "value": value} for key, value in after.items()}
    fresh = [row for key, row in rows.items() if key not in before]
    if fresh:
        connection.execute(insert(SEARCH_FACET), fresh)
    changed = [row for key, row in rows.items() if key in before and before[key] != row["value"]]
    replace(connection, SEARCH_FACET, changed, keys=keys)


def _unindex(connection: Connection, documents: list[int]) -> None:
    """Deletes documents from the FTS5 index, which stores no text: the old text must still be in the row."""
    insertion = f"INSERT INTO search_index (search_index, rowid, {_PLACES}) SELECT 'delete', document_id, {_PLACES}"
    _execute_each(connection, insertion, documents)


def _index(connection: Connection, documents: list[int]) -> None:
    insertion = f"INSERT INTO search_index (rowid, {_PLACES}) SELECT document_id, {_PLACES}"
    _execute_each(connection, insertion, documents)


def _execute_each(connection: Connection, insertion: str, documents: list[int]) -> None:
    if documents and connection.dialect.name == "sqlite":
        statement = text(f"{insertion} FROM search_document WHERE document_id = :document")
        connection.execute(statement, [{"document": number} for number in documents])
