"""Alerts: who received which, and announced work, whose alerts wait until its end."""

from datetime import datetime
from typing import Annotated

from fastapi import Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.page import Limit
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.api.team import actor_of, refuse_all_foreign, refuse_foreign
from data_platform.model.access import AccessToken
from data_platform.model.alert import Delivery
from data_platform.model.maintenance_window import EVERYTHING, LONGEST, MaintenanceWindow

router = guarded_router("alerts")

Number = Annotated[int, Path(ge=1, le=2**63 - 1)]
Wanted = Annotated[int | None, Query(ge=1, le=2**63 - 1)]
WINDOW = shape_of(MaintenanceWindow)


class WindowBody(BaseModel):
    """``subject`` is ``*``, the URN of a dataset or the name of an owner team."""

    model_config = ConfigDict(extra="forbid")

    subject: str = Field(min_length=1, max_length=300)
    starts_at: datetime
    ends_at: datetime
    reason: str = Field(min_length=1, max_length=2000)


@router.get("/alerts", response_model=list[shape_of(Delivery)])  # type: ignore[misc]
def get_alerts(
    request: Request, caller: Caller, incident: Wanted = None, maintenance: Wanted = None, limit: Limit = 100
) -> JSONResponse:
    """What was sent to whom, what waits, was silenced or failed, newest first; of one incident or one window."""
    alerts = service_of(request).catalog.alerts
    return answer(alerts.newest(incident=incident, maintenance=maintenance, limit=limit), caller)


@router.get("/maintenance", response_model=list[WINDOW])  # type: ignore[valid-type]
def get_maintenance(request: Request, caller: Caller) -> JSONResponse:
    """Windows of the last 31 days and those to come, oldest first."""
    service = service_of(request)
    return answer(service.catalog.maintenance.since(service.now() - LONGEST), caller)


@router.post("/maintenance", status_code=201, response_model=WINDOW)
def post_maintenance(request: Request, caller: Caller, asked: WindowBody) -> JSONResponse:
    """Announce work. Until its end nobody is alerted of incidents with their root there."""
    service = service_of(request)
    _refuse_foreign(request, caller, asked.subject)
    window = service.catalog.maintenance.add(
        asked.subject,
        starts_at=asked.starts_at,
        ends_at=asked.ends_at,
        reason=asked.reason,
        by=actor_of(caller),
        now=service.now(),
    )
    return answer(window, caller, 201)


@router.post("/maintenance/{number}/end", response_model=WINDOW)
def post_end_maintenance(request: Request, caller: Caller, number: Number) -> JSONResponse:
    """End a window before its time."""
    service = service_of(request)
    _refuse_foreign(request, caller, service.catalog.maintenance.get(number).subject)
    return answer(service.catalog.maintenance.end(number, by=actor_of(caller), now=service.now()), caller)


def _refuse_foreign(request: Request, caller: AccessToken, subject: str) -> None:
    """A token with teams may announce work on its own; on everything only one without teams."""
    if subject.startswith("ds://"):
        refuse_foreign(service_of(request).catalog, caller, subject)
    else:
        refuse_all_foreign(caller, ["" if subject == EVERYTHING else subject])
