"""One page of answers, best first: how well a hit fits, then the shorter name, then the alphabet.

How well it fits is the best place that has every word, and does not depend on what else is in the catalog, as
``bm25`` would: so that a row that is added moves no other, and a cursor leads on to exactly what was not seen yet.
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
"""With fewer hits than this, and none of exactly this name, words may have been mistyped."""
_FACET_BYTES = 500


def search(connection: Connection, request: SearchRequest, vocabulary: Vocabulary | None = None) -> SearchPage:
    """``vocabulary`` is the one that the process keeps; without it one is read for this call.

    Raises:
        InputError: There is nothing to look for, too much, or the cursor is another request's.
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
    """Of words that nothing begins with; if all are known, of all."""
    vocabulary.refresh(connection)
    words = list(dict.fromkeys(word for term in terms for word in term.words))
    unknown = [word for word in words if not vocabulary.knows(word)]
    meant = {word: vocabulary.meant(word) for word in unknown or words}
    return {word: others for word, others in meant.items() if others}


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
    """One more than the page has, to know whether there is another."""
    document = SEARCH_DOCUMENT.c
    columns = document.document_id, document.node_type, document.node_id, document.full_key
    fit = _fit(connection.dialect, request, terms, read_as)
    found: Select[Any] = select(*columns, func.length(document.full_key).label("length"), fit.label("fit"))
    for condition in _filters(request):
        found = found.where(condition)
    if terms:
        everywhere = Question(terms, similar=read_as).holds(connection.dialect)
        found = found.where(or_(everywhere, _is_named(request.text)))
    inner = found.subquery()
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
    """A place in ``FITS``."""
    if not terms:
        return literal(FITS.index("filter"))
    asked = Question(terms)
    steps = [
        _is_named(request.text),
        replace(asked, places=1, beginnings=False).holds(dialect),
        *(replace(asked, places=places).holds(dialect) for places in (1, 2, 3, 4)),
    ]
    if not read_as:
        steps.pop()  # whatever is left was found by its description
        return case(*((step, place) for place, step in enumerate(steps)), else_=len(steps))
    steps.append(replace(asked, places=1, similar=read_as).holds(dialect))
    return case(*((step, place) for place, step in enumerate(steps)), else_=len(steps))


def _is_meant(request: SearchRequest) -> ColumnElement[bool]:
    """Neither inside a dataset of ours, nor a draft that so far only a request to register knows.

    Whoever asks for drafts by their status means those too.
    """
    document = SEARCH_DOCUMENT.c
    outside: ColumnElement[bool] = document.internal.is_(False)
    if request.status is not None:
        return outside
    asked_for = document.node_id.in_(select(DATASET_REGISTRATION.c.dataset_id))
    used = document.node_id.in_(select(RUN_DATASET.c.dataset_id))
    is_dataset = document.node_type == str(NodeType.DATASET)
    return and_(outside, not_(and_(is_dataset, document.status == "DRAFT", asked_for, not_(used))))


def _filters(request: SearchRequest) -> Iterator[ColumnElement[bool]]:
    document = SEARCH_DOCUMENT.c
    if not request.internal:
        shown = _is_meant(request)
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
