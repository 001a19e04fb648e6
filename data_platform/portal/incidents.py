"""Incidents: the list, and the page of one with its root cause, on which people acknowledge and resolve it."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Query, Request
from starlette.responses import Response

from data_platform.api.incident import Number, refuse_foreign_incident
from data_platform.api.page import Cursor
from data_platform.api.problem import ProblemError
from data_platform.api.service import service_of
from data_platform.api.team import actor_of
from data_platform.model.incident import ACTIVE_STATES, Incident, IncidentState, Resolution
from data_platform.model.incident_event import IncidentEvent
from data_platform.model.root_cause import RootCause
from data_platform.model.signal import Signal
from data_platform.portal.access import PAGES, page_router
from data_platform.portal.portal import portal_of, root_cause_of
from data_platform.portal.quarantine_reader import open_batches
from data_platform.portal.quarantine_view import BatchRef
from data_platform.portal.render import see_other, show

router = page_router()
_SHOWN = 50
_OWN = tuple(reason for reason in Resolution if reason is not Resolution.RECOVERED)


@dataclass(frozen=True, kw_only=True)
class IncidentList:
    """``state`` is the one asked for; None shows those that are open or acknowledged. ``cursor`` is the next page."""

    state: IncidentState | None
    states: tuple[IncidentState, ...]
    rows: tuple[Incident, ...]
    cursor: str | None


@dataclass(frozen=True, kw_only=True)
class IncidentView:
    """``time_zone`` is that of the dataset's days. ``reasons`` are those that a person may resolve it with.

    ``quarantine`` are open batches of the dataset and day, for those who may open them.
    ``may_act`` is whether the caller may acknowledge and resolve it: by role, and by team.
    """

    incident: Incident
    time_zone: str
    root_cause: RootCause
    signals: tuple[Signal, ...]
    history: tuple[IncidentEvent, ...]
    quarantine: tuple[BatchRef, ...]
    may_act: bool
    reasons: tuple[Resolution, ...] = _OWN


@router.get("/incidents")
def incidents_page(
    request: Request, state: Annotated[IncidentState | None, Query()] = None, cursor: Cursor = None
) -> Response:
    """Incidents, newest first: the active ones, or those of one state."""
    found = service_of(request).catalog.incidents.find(
        states=ACTIVE_STATES if state is None else (state,), cursor=cursor, limit=_SHOWN
    )
    view = IncidentList(state=state, states=tuple(IncidentState), rows=tuple(found.items), cursor=found.cursor)
    return show(request, "incidents.html", view)


@router.get("/incidents/{number}")
def incident_page(request: Request, number: Number) -> Response:
    """What happened, why, who is affected, and what was done about it."""
    service = service_of(request)
    catalog = service.catalog
    incident = catalog.incidents.get(number)
    line = portal_of(request).overviews.current().by_urn.get(incident.dataset)
    view = IncidentView(
        incident=incident,
        time_zone=line.time_zone if line else "UTC",
        root_cause=root_cause_of(request, number),
        signals=catalog.signals.of_incident(number),
        history=catalog.incidents.history(number),
        quarantine=open_batches(request, incident.dataset, incident.partition),
        may_act=incident.state.is_active and _may_act(request, number),
    )
    return show(request, "incident.html", view)


@router.post("/incidents/{number}/acknowledge")
def acknowledge(request: Request, number: Number) -> Response:
    """Tells the others that somebody works on it."""
    service = service_of(request)
    refuse_foreign_incident(service, request.state.caller, number)
    by = actor_of(request.state.caller)
    service.catalog.incidents.acknowledge(number, by=by, comment=_comment(request), now=service.now())
    return _changed(request, number)


@router.post("/incidents/{number}/resolve")
def resolve(request: Request, number: Number) -> Response:
    """Ends it with a reason; FIXED is refused while something of it is found."""
    service = service_of(request)
    refuse_foreign_incident(service, request.state.caller, number)
    by = actor_of(request.state.caller)
    service.catalog.incidents.resolve(number, _reason(request), by=by, comment=_comment(request), now=service.now())
    return _changed(request, number)


def _changed(request: Request, number: int) -> Response:
    portal_of(request).overviews.forget()
    return see_other(f"/incidents/{number}")


def _may_act(request: Request, number: int) -> bool:
    caller = request.state.caller
    if caller.role not in PAGES["POST /incidents/{number}/acknowledge"]:
        return False
    try:
        refuse_foreign_incident(service_of(request), caller, number)
    except ProblemError:
        return False
    return True


def _comment(request: Request) -> str:
    return str(request.state.form.get("comment", "")).strip()


def _reason(request: Request) -> Resolution:
    given = request.state.form.get("reason", "")
    try:
        return Resolution(given)
    except ValueError:
        names = ", ".join(_OWN)
        raise ProblemError(422, "unknown-reason", f"choose why it ends: one of {names}") from None
