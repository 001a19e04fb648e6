"""The page *Today*: the board of deadlines."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from data_platform.portal.access import page_router
from data_platform.portal.moment import LONGEST, moment_of
from data_platform.portal.portal import portal_of
from data_platform.portal.render import show
from data_platform.portal.today_view import BoardFilter, today_view

router = page_router()

Word = Annotated[str | None, Query(max_length=200)]


@router.get("/")
def today(
    request: Request, owner: Word = None, tier: Word = None, at: Annotated[str | None, Query(max_length=LONGEST)] = None
) -> Response:
    """What is late, at risk, held, due and certified; with ``at`` judged as of that time."""
    overviews = portal_of(request).overviews
    overview = overviews.as_of(moment_of(at)) if at else overviews.current()
    view = today_view(overview, BoardFilter(owner=owner or None, tier=tier or None), is_as_of=bool(at))
    return show(request, "today.html", view)
