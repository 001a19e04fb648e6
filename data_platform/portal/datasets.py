"""The page *Datasets*: search and facets."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from data_platform.api.service import service_of
from data_platform.model.lineage import NodeType
from data_platform.model.search import MOST_HITS, SearchPage, SearchRequest
from data_platform.portal.access import page_router
from data_platform.portal.datasets_view import DatasetsFilter, datasets_view
from data_platform.portal.portal import portal_of
from data_platform.portal.render import show

router = page_router()

Word = Annotated[str, Query(max_length=200)]


@router.get("/datasets")
def datasets(
    request: Request,
    q: Annotated[str, Query(max_length=2_100)] = "",
    state: Word = "",
    zone: Word = "",
    owner: Word = "",
    tier: Word = "",
    status: Word = "",
    page: Annotated[int, Query(ge=1, le=1_000_000)] = 1,
) -> Response:
    """Declared datasets; with words also what the catalog knows beside them."""
    chosen = {"state": state, "zone": zone, "owner": owner, "tier": tier, "status": status}
    asked = DatasetsFilter(words=q, page=page, **{name: value or None for name, value in chosen.items()})
    found = _search(request, q) if q.strip() else None
    overview = portal_of(request).overviews.current()
    view = datasets_view(overview, asked, found.hits if found else None, found.read_as if found else None)
    return show(request, "datasets.html", view)


def _search(request: Request, words: str) -> SearchPage:
    """What the catalog finds; nothing for signs without a letter or digit."""
    if not any(sign.isalnum() for sign in words):
        return SearchPage(hits=())
    asked = SearchRequest(text=words, kind=NodeType.DATASET, limit=MOST_HITS)
    return service_of(request).catalog.registry.search(asked)
