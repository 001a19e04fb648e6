"""Incidents and signals. The owner of an incident, and the teams of its signals, may acknowledge and resolve it."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.page import Cursor, Limit
from data_platform.api.service import Service, service_of
from data_platform.api.shape import shape_of
from data_platform.api.team import actor_of, refuse_all_foreign, team_of
from data_platform.model.access import AccessToken
from data_platform.model.incident import Incident, IncidentState, Resolution
from data_platform.model.incident_event import IncidentEvent
from data_platform.model.page import Page
from data_platform.model.signal import Signal

router = guarded_router("incidents")

Number = Annotated[int, Path(ge=1, le=2**63 - 1)]
DatasetUrn = Annotated[str | None, Query(max_length=300, description="Only of this dataset.")]


@dataclass(frozen=True, kw_only=True)
class IncidentPage:
    """An incident with its signals, those that ended too, and its history, oldest first."""

    incident: Incident
    signals: tuple[Signal, ...]
    history: tuple[IncidentEvent, ...]


class Acknowledgement(BaseModel):
    model_config = ConfigDict(extra="forbid")

    comment: str = Field(default="", max_length=2000)


class ResolutionBody(Acknowledgement):
    """``reason`` is FIXED, EXPECTED, FALSE_ALARM or ACCEPTED; RECOVERED is the platform's own."""

    reason: Resolution


@router.get("/incidents", response_model=shape_of(Page[Incident]))
def get_incidents(
    request: Request,
    caller: Caller,
    dataset_urn: DatasetUrn = None,
    state: Annotated[list[IncidentState] | None, Query(description="Only these states.")] = None,
    cursor: Cursor = None,
    limit: Limit = 100,
) -> JSONResponse:
    """Incidents, newest first."""
    incidents = service_of(request).catalog.incidents
    return answer(incidents.find(dataset_urn, states=state or (), cursor=cursor, limit=limit), caller)


@router.get("/incidents/{number}", response_model=shape_of(IncidentPage))
def get_incident(request: Request, caller: Caller, number: Number) -> JSONResponse:
    """One incident, with its signals, the datasets that it affects downstream, and its history."""
    catalog = service_of(request).catalog
    page = IncidentPage(
        incident=catalog.incidents.get(number),
        signals=catalog.signals.of_incident(number),
        history=catalog.incidents.history(number),
    )
    return answer(page, caller)


@router.post("/incidents/{number}/acknowledge", response_model=shape_of(Incident))
def post_acknowledge(request: Request, caller: Caller, number: Number, body: Acknowledgement) -> JSONResponse:
    """Tell the others that you work on it."""
    service = service_of(request)
    refuse_foreign_incident(service, caller, number)
    incidents = service.catalog.incidents
    return answer(incidents.acknowledge(number, by=actor_of(caller), comment=body.comment, now=service.now()), caller)


@router.post("/incidents/{number}/resolve", response_model=shape_of(Incident))
def post_resolve(request: Request, caller: Caller, number: Number, body: ResolutionBody) -> JSONResponse:
    """End an incident. FIXED is refused while something of it is found: such an incident ends by itself."""
    service = service_of(request)
    refuse_foreign_incident(service, caller, number)
    resolved = service.catalog.incidents.resolve(
        number, body.reason, by=actor_of(caller), comment=body.comment, now=service.now()
    )
    return answer(resolved, caller)


@router.get("/signals", response_model=shape_of(Page[Signal]))
def get_signals(
    request: Request,
    caller: Caller,
    dataset_urn: DatasetUrn = None,
    active: Annotated[bool, Query(description="Only what the last look found.")] = True,  # noqa: FBT002 - a parameter of the URL
    cursor: Cursor = None,
    limit: Limit = 100,
) -> JSONResponse:
    """What the platform noticed by itself, newest first."""
    signals = service_of(request).catalog.signals
    return answer(signals.find(dataset_urn, active_only=active, cursor=cursor, limit=limit), caller)


def refuse_foreign_incident(service: Service, caller: AccessToken, number: int) -> None:
    """Raises: ProblemError, 403, the caller's teams neither own the incident nor a dataset of its signals."""
    catalog = service.catalog
    incident = catalog.incidents.get(number)
    datasets = {signal.finding.dataset for signal in catalog.signals.of_incident(number)}
    teams = {incident.owner_team, *(team for urn in datasets if (team := team_of(catalog, urn)))}
    refuse_all_foreign(caller, sorted(teams))
