"""Keeps the search's documents like their nodes. The caller holds the one write transaction that changed the nodes."""

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
"""Documents made at a time: with many columns each they take some tens of megabytes."""


def reindex(connection: Connection, nodes: Iterable[tuple[NodeType, int]]) -> None:
    """Bring what is found of ``nodes`` up to their rows; of those that have not changed nothing is written."""
    listed = sorted(set(nodes))
    for start in range(0, len(listed), _STEP):
        documents = read_documents(connection, listed[start : start + _STEP])
        _keep(connection, documents)


def rebuild(connection: Connection) -> int:
    """Make all documents anew, for a catalog that had nodes before it had a search; how many there are."""
    if connection.dialect.name == "sqlite":
        connection.execute(text("INSERT INTO search_index (search_index) VALUES ('delete-all')"))
    connection.execute(delete(SEARCH_FACET))
    connection.execute(delete(SEARCH_DOCUMENT))
    nodes = [(NodeType.DATASET, number) for number in connection.execute(select(DATASET.c.dataset_id)).scalars()]
    nodes += [(NodeType.PROCESS, number) for number in connection.execute(select(PROCESS.c.process_id)).scalars()]
    reindex(connection, nodes)
    return len(nodes)


def _keep(connection: Connection, documents: Sequence[Document]) -> None:
    known = _known(connection, documents)
    changed, fresh = [], []
    for document in documents:
        row = known.get(document.node)
        if row is None:
            fresh.append(document)
        elif any(row[name] != value for name, value in document.row.items()):
            changed.append(document)
    _unindex(connection, [known[document.node]["document_id"] for document in changed])
    for document in changed:
        same = SEARCH_DOCUMENT.c.document_id == known[document.node]["document_id"]
        connection.execute(update(SEARCH_DOCUMENT).where(same).values(**document.row))
    if fresh:
        connection.execute(insert(SEARCH_DOCUMENT), [document.row for document in fresh])
        known |= _known(connection, fresh)
    written = [*changed, *fresh]
    _index(connection, [known[document.node]["document_id"] for document in written])
    add_words(connection, (document.row[place] for document in written for place in (NAME, LABELS, COLUMNS, TEXT)))
    # a tag may change in a way that its words do not show, so these are of all documents
    _keep_facets(connection, {known[document.node]["document_id"]: document for document in documents})


def _known(connection: Connection, documents: Iterable[Document]) -> dict[tuple[NodeType, int], Any]:
    found: dict[tuple[NodeType, int], Any] = {}
    nodes = [document.node for document in documents]
    for kind in NodeType:
        for part in chunks(number for of, number in nodes if of is kind):
            here = SEARCH_DOCUMENT.c.node_type == kind, SEARCH_DOCUMENT.c.node_id.in_(part)
            rows = connection.execute(select(SEARCH_DOCUMENT).where(*here)).mappings()
            found |= {(kind, row["node_id"]): row for row in rows}
    return found


def _keep_facets(connection: Connection, documents: dict[int, Document]) -> None:
    keys = ("facet", "value_key", "document_id")
    before: dict[tuple[str, str, int], str] = {}
    for part in chunks(documents):
        query = select(SEARCH_FACET).where(SEARCH_FACET.c.document_id.in_(part))
        before |= {(row.facet, row.value_key, row.document_id): row.value for row in connection.execute(query)}
    after = {(*key, number): value for number, one in documents.items() for key, value in one.facets.items()}
    for facet, value_key, number in before.keys() - after.keys():
        same = SEARCH_FACET.c.facet == facet, SEARCH_FACET.c.value_key == value_key
        connection.execute(delete(SEARCH_FACET).where(*same, SEARCH_FACET.c.document_id == number))
    rows = {key: {**dict(zip(keys, key, strict=True)), "value": value} for key, value in after.items()}
    fresh = [row for key, row in rows.items() if key not in before]
    if fresh:
        connection.execute(insert(SEARCH_FACET), fresh)
    written_anew = [row for key, row in rows.items() if key in before and before[key] != row["value"]]
    replace(connection, SEARCH_FACET, written_anew, keys=keys)


def _unindex(connection: Connection, documents: list[int]) -> None:
    """FTS5 keeps no text of its own here: what goes out of it is told to it, as long as the row has it."""
    given = f"INSERT INTO search_index (search_index, rowid, {_PLACES}) SELECT 'delete', document_id, {_PLACES}"
    _each(connection, given, documents)


def _index(connection: Connection, documents: list[int]) -> None:
    given = f"INSERT INTO search_index (rowid, {_PLACES}) SELECT document_id, {_PLACES}"
    _each(connection, given, documents)


def _each(connection: Connection, given: str, documents: list[int]) -> None:
    if documents and connection.dialect.name == "sqlite":
        statement = text(f"{given} FROM search_document WHERE document_id = :document")
        connection.execute(statement, [{"document": number} for number in documents])
