"""The forms of a quarantined batch: assign, discard, replay, release. Each does what its route of the API does."""

from datetime import datetime

from fastapi import Request
from starlette.responses import Response

from data_platform.api.problem import ProblemError
from data_platform.api.quarantine import Name, entry_named
from data_platform.api.service import service_of
from data_platform.api.team import actor_of, refuse_foreign
from data_platform.catalog import Catalog
from data_platform.portal.access import page_router
from data_platform.portal.link import quarantine_link
from data_platform.portal.portal import portal_of
from data_platform.portal.render import see_other

router = page_router()

RULE = "rule."
"""The start of the names of the fields that choose rules; the last part is a number, since a field has one value."""


@router.post("/quarantine/{name}/assign")
def assign(request: Request, name: Name) -> Response:
    """Names who works on it."""
    catalog = _may_change(request, name)
    catalog.quarantine.assign(name, _field(request, "to"), by=actor_of(request.state.caller), now=_now(request))
    return _changed(request, name)


@router.post("/quarantine/{name}/discard")
def discard(request: Request, name: Name) -> Response:
    """Closes it: nobody wants its rows."""
    catalog = _may_change(request, name)
    catalog.quarantine.discard(name, _field(request, "reason"), by=actor_of(request.state.caller), now=_now(request))
    return _changed(request, name)


@router.post("/quarantine/{name}/replay")
def replay(request: Request, name: Name) -> Response:
    """Requests that its rows are judged again; Dagster's sensor starts the run."""
    catalog = _may_change(request, name)
    catalog.quarantine.request_replay(name, by=actor_of(request.state.caller), now=_now(request))
    return _changed(request, name)


@router.post("/quarantine/{name}/release")
def release(request: Request, name: Name) -> Response:
    """Requests that rows are let through although they break the chosen rules."""
    catalog = _may_change(request, name)
    rules = [value for field, value in request.state.form.items() if field.startswith(RULE)]
    if not rules:
        raise ProblemError(422, "no-rule", "choose at least one rule that the rows may break")
    by = actor_of(request.state.caller)
    catalog.quarantine.request_release(name, _field(request, "reason"), rules=rules, by=by, now=_now(request))
    return _changed(request, name)


@router.post("/quarantine/{name}/release/approve")
def approve_release(request: Request, name: Name) -> Response:
    """Approves the requested release, which the next run of the day applies."""
    catalog = _may_change(request, name)
    catalog.quarantine.approve_release(name, by=actor_of(request.state.caller), now=_now(request))
    return _changed(request, name)


@router.post("/quarantine/{name}/release/withdraw")
def withdraw_release(request: Request, name: Name) -> Response:
    """Withdraws the release: the next run judges the rows without it."""
    catalog = _may_change(request, name)
    catalog.quarantine.withdraw_release(name, by=actor_of(request.state.caller), now=_now(request))
    return _changed(request, name)


def _may_change(request: Request, name: str) -> Catalog:
    """Raises: ProblemError, NotFoundError: 403 for a dataset of another team, or there is no such batch."""
    service = service_of(request)
    refuse_foreign(service.catalog, request.state.caller, entry_named(service, name).dataset_urn)
    return service.catalog


def _field(request: Request, name: str) -> str:
    return str(request.state.form.get(name, ""))


def _now(request: Request) -> datetime:
    return service_of(request).now()


def _changed(request: Request, name: str) -> Response:
    portal_of(request).overviews.forget()
    return see_other(quarantine_link(name))
