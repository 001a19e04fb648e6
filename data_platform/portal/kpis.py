"""The page *KPIs*: key figures of incidents, and what is covered."""

from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from data_platform.errors import InputError
from data_platform.portal.access import page_router
from data_platform.portal.kpi_view import PERIODS
from data_platform.portal.portal import portal_of
from data_platform.portal.render import show

router = page_router()


@router.get("/kpis")
def kpis(request: Request, days: Annotated[int, Query()] = PERIODS[0]) -> Response:
    """What ``data-platform kpi`` and ``signals health`` compute, with the weeks as charts, and what is not covered."""
    if days not in PERIODS:
        raise InputError("days", f"expected one of {', '.join(map(str, PERIODS))}")
    return show(request, "kpis.html", portal_of(request).kpis.get(days))
