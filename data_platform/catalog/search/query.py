"""Runs a search for one page, best first: how well a hit fits, then the shorter name, then alphabetically.

A hit's fit is the best field that has every word. Unlike ``bm25`` it does not depend on the rest of the catalog: so
a new row does not move others, and a cursor continues exactly after the last hit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import and_, case, func, literal, not_, or_, select, tuple_

from data_platform.catalog.lineage_table import RUN_DATASET
from data_platform.catalog.registry_table import DATASET_REGISTRATION
from data_platform.catalog.search.cursor import Cursor, Place, read_cursor, write_cursor
from data_platform.catalog.search.expression import Question
from data_platform.catalog.search.hit import FITS, read_hits
from data_platform.catalog.search.request import checked, terms_of
from data_platform.catalog.search.term import fold
from data_platform.catalog.search.vocabulary import Vocabulary
from data_platform.catalog.search_table import SEARCH_DOCUMENT, SEARCH_FACET
from data_platform.model.lineage import NodeType
from data_platform.model.search import SearchPage

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.engine import Connection, Dialect

    from data_platform.catalog.search.term import Term
    from data_platform.model.search import SearchRequest

_FEW = 3
"""With fewer hits than this, and none with exactly this name, words may be mistyped."""
_FACET_BYTES = 500


def search(connection: Connection, request: SearchRequest, vocabulary: Vocabulary | None = None) -> SearchPage:
    """``vocabulary`` is the cached one of the process; without it one is read for this call.

    Raises:
        InputError: The request is empty or too long, or the cursor is another request's.
    """
    request = checked(request)
    terms = terms_of(request)
    if request.cursor is not None:
        cursor = read_cursor(request, request.cursor)
        rows = _rows(connection, request, terms, cursor.read_as, cursor.after)
        return _page(connection, request, terms, rows, cursor.read_as)
    rows = _rows(connection, request, terms, {}, None)
    if terms and len(rows) < _FEW and not any(row.fit == FITS.index("exact") for row in rows):
        read_as = _read_as(connection, terms, vocabulary or Vocabulary())
        if read_as:
            rows = _rows(connection, request, terms, read_as, None)
            return _page(connection, request, terms, rows, read_as)
    return _page(connection, request, terms, rows, {})


def _read_as(connection: Connection, terms: Sequence[Term], vocabulary: Vocabulary) -> dict[str, tuple[str, ...]]:
    """Corrects words that begin no indexed word; if there are none, all words."""
    vocabulary.refresh(connection)
    words = list(dict.fromkeys(word for term in terms for word in term.words))
    unknown = [word for word in words if not vocabulary.has_prefix(word)]
    corrections = {word: vocabulary.corrections(word) for word in unknown or words}
    return {word: others for word, others in corrections.items() if others}


def _page(
    connection: Connection,
    request: SearchRequest,
    terms: Sequence[Term],
    rows: Sequence[Any],
    read_as: dict[str, tuple[str, ...]],
) -> SearchPage:
    shown = rows[: request.limit]
    cursor = None
    if len(rows) > request.limit:
        last = shown[-1]
        place = Place(fit=last.fit, length=last.length, full_key=last.full_key, document=last.document_id)
        cursor = write_cursor(request, Cursor(after=place, read_as=read_as))
    words = {word for term in terms for part in term.words for word in (part, *read_as.get(part, ()))}
    return SearchPage(hits=read_hits(connection, shown, words), cursor=cursor, read_as=read_as)


def _rows(
    connection: Connection,
    request: SearchRequest,
    terms: Sequence[Term],
    read_as: dict[str, tuple[str, ...]],
    after: Place | None,
) -> Sequence[Any]:
    """Reads one row more than the page has, to detect a next page."""
    document = SEARCH_DOCUMENT.c
    columns = document.document_id, document.node_type, document.node_id, document.full_key
    fit = _fit(connection.dialect, request, terms, read_as)
    matches: Select[Any] = select(*columns, func.length(document.full_key).label("length"), fit.label("fit"))
    for condition in _filters(request):
        matches = matches.where(condition)
    if terms:
        everywhere = Question(terms, similar=read_as).holds(connection.dialect)
        matches = matches.where(or_(everywhere, _is_named(request.text)))
    inner = matches.subquery()
    order = inner.c.fit, inner.c.length, inner.c.full_key, inner.c.document_id
    query = select(inner).order_by(*order).limit(request.limit + 1)
    if after is not None:
        place = (literal(after.fit), literal(after.length), literal(after.full_key), literal(after.document))
        query = query.where(tuple_(*order) > tuple_(*place))
    return connection.execute(query).all()


def _is_named(text: str) -> ColumnElement[bool]:
    key = fold(text)
    return or_(SEARCH_DOCUMENT.c.full_key == key, SEARCH_DOCUMENT.c.name_key == key)


def _fit(
    dialect: Dialect, request: SearchRequest, terms: Sequence[Term], read_as: dict[str, tuple[str, ...]]
) -> ColumnElement[int]:
    """The index in ``FITS``."""
    if not terms:
        return literal(FITS.index("filter"))
    question = Question(terms)
    steps = [
        _is_named(request.text),
        replace(question, places=1, beginnings=False).holds(dialect),
        *(replace(question, places=places).holds(dialect) for places in (1, 2, 3, 4)),
    ]
    if not read_as:
        steps.pop()  # all other hits match in their description
        return case(*((step, place) for place, step in enumerate(steps)), else_=len(steps))
    steps.append(replace(question, places=1, similar=read_as).holds(dialect))
    return case(*((step, place) for place, step in enumerate(steps)), else_=len(steps))


def _is_listed(request: SearchRequest) -> ColumnElement[bool]:
    """Excludes parts of a platform dataset, and drafts that only a registration request names.

    A filter by status includes such drafts.
    """
    document = SEARCH_DOCUMENT.c
    outside: ColumnElement[bool] = document.internal.is_(False)
    if request.status is not None:
        return outside
    requested = document.node_id.in_(select(DATASET_REGISTRATION.c.dataset_id))
    used = document.node_id.in_(select(RUN_DATASET.c.dataset_id))
    is_dataset = document.node_type == str(NodeType.DATASET)
    return and_(outside, not_(and_(is_dataset, document.status == "DRAFT", requested, not_(used))))


def _filters(request: SearchRequest) -> Iterator[ColumnElement[bool]]:
    document = SEARCH_DOCUMENT.c
    if not request.internal:
        shown = _is_listed(request)
        yield or_(shown, _is_named(request.text)) if request.text.strip() else shown
    if request.kind is not None:
        yield document.node_type == str(request.kind)
    if request.status is not None:
        yield document.status == request.status.upper()
    for column, value in ((document.team, request.team), (document.category, request.category)):
        if value is not None:
            yield column == fold(value, most_bytes=_FACET_BYTES)
    for facet, values in (("TAG", request.tags), ("COLUMN", request.columns)):
        for value in values:
            same = SEARCH_FACET.c.facet == facet, SEARCH_FACET.c.value_key == fold(value, most_bytes=_FACET_BYTES)
            yield document.document_id.in_(select(SEARCH_FACET.c.document_id).where(and_(*same)))
