"""Search over names, descriptions, owners, tags and columns."""

from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import JSONResponse

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.page import Cursor
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.model.lineage import NodeType
from data_platform.model.search import MOST_HITS, SearchPage, SearchRequest

router = guarded_router("search")

Words = Annotated[str | None, Query(max_length=200)]
Many = Annotated[list[Annotated[str, Query(max_length=500)]], Query(max_length=20)]


@router.get("/search", response_model=shape_of(SearchPage))
def get_search(
    request: Request,
    caller: Caller,
    q: Annotated[str, Query(max_length=2100, description="Words, or a part of a name; typos are tolerated.")] = "",
    kind: NodeType | None = None,
    team: Words = None,
    category: Words = None,
    status: Words = None,
    tag: Many = [],  # noqa: B006 - the framework copies it
    column: Many = [],  # noqa: B006
    internal: Annotated[  # noqa: FBT002 - a query
        bool, Query(description="Include stages, their jobs, and drafts that are not approved.")
    ] = False,
    limit: Annotated[int, Query(ge=1, le=MOST_HITS, description="Hits per page.")] = 20,
    cursor: Cursor = None,
) -> JSONResponse:
    """Datasets and processes, best match first. Words are optional if a filter is given."""
    asked = SearchRequest(
        text=q,
        kind=kind,
        team=team,
        category=category,
        status=status,
        tags=tuple(tag),
        columns=tuple(column),
        internal=internal,
        limit=limit,
        cursor=cursor,
    )
    return answer(service_of(request).catalog.registry.search(asked), caller)
