"""Quarantined rows: what is open and since when, and what people decide about it.

A token with teams may act only on datasets of its teams. A steward other than the requester approves a release. The
service has no Spark: a requested replay is started by a sensor (``orchestration.replay_request``).
"""

from datetime import timedelta
from typing import Annotated

from fastapi import Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.document import DifferenceDocument, ReplayReceipt
from data_platform.api.page import Cursor, Limit
from data_platform.api.partition import read_partition
from data_platform.api.service import Service, service_of
from data_platform.api.shape import shape_of
from data_platform.api.team import actor_of, refuse_foreign, team_of
from data_platform.errors import NotFoundError
from data_platform.model.access import AccessToken
from data_platform.model.page import Page
from data_platform.model.quarantine import QuarantineEntry, QuarantineStatus
from data_platform.model.quarantine_card import QuarantineCard, QuarantinePage, card_of
from data_platform.model.quarantine_decision import Decision
from data_platform.model.quarantine_filter import QuarantineFilter
from data_platform.model.registration import Actor

router = guarded_router("quarantine")

Name = Annotated[str, Path(min_length=1, max_length=500, description="The name of a quarantine table.")]


class Assignment(BaseModel):
    model_config = ConfigDict(extra="forbid")

    to: str = Field(min_length=1, max_length=200)


class Discard(BaseModel):
    model_config = ConfigDict(extra="forbid")

    reason: str = Field(min_length=1, max_length=4000)


class Release(Discard):
    """``rules`` limits the release to rows that break no other rule; all rules of the entry if it is empty."""

    rules: tuple[str, ...] = ()


@router.get("/quarantine", response_model=shape_of(Page[QuarantineCard]))
def get_quarantine(
    request: Request,
    caller: Caller,
    dataset: Annotated[str | None, Query(max_length=2000, description="A URN, such as ds://zone/name.")] = None,
    partition: Annotated[str | None, Query(max_length=50, description="A day, such as 2013-01-31.")] = None,
    older_than_days: Annotated[int, Query(ge=0, le=100_000)] = 0,
    closed: Annotated[bool, Query(description="Include closed entries.")] = False,  # noqa: FBT002
    limit: Limit = 100,
    cursor: Cursor = None,
) -> JSONResponse:
    """Quarantine tables, newest first, with owner, age and what to do; by default those that are open."""
    service = service_of(request)
    day, now = read_partition("partition", partition), service.now()
    oldest = now - timedelta(days=older_than_days) if older_than_days else None
    wanted = QuarantineFilter(
        dataset_urn=dataset,
        partition=day,
        status=None if closed else QuarantineStatus.OPEN,
        created_before=oldest,
    )
    found = service.catalog.quarantine.page(wanted, cursor=cursor, limit=limit)
    return answer(Page(tuple(card_of(one.entry, one.team, now) for one in found.items), found.cursor), caller)


@router.get("/quarantine/{name}", response_model=shape_of(QuarantinePage))
def get_entry(request: Request, caller: Caller, name: Name) -> JSONResponse:
    """One quarantine table, with the decisions about it and the log of what people did."""
    service, entry = service_of(request), entry_named(service_of(request), name)
    card = card_of(entry, team_of(service.catalog, entry.dataset_urn) or "", service.now())
    decisions, actions = service.catalog.quarantine.decisions(name), service.catalog.quarantine.actions(name)
    return answer(QuarantinePage(card=card, decisions=decisions, actions=actions), caller)


@router.get("/quarantine/{name}/diff", response_model=DifferenceDocument)
def get_diff(request: Request, caller: Caller, name: Name) -> JSONResponse:
    """What today's policy says about its rows, as `data-platform quarantine diff --json`. Nothing is written."""
    return answer(service_of(request).diff.run(entry_named(service_of(request), name).name), caller)


@router.post("/quarantine/{name}/assign", response_model=shape_of(QuarantineEntry))
def post_assign(request: Request, caller: Caller, name: Name, asked: Assignment) -> JSONResponse:
    """Assign an open entry to a person."""
    service, by = _may_change(request, caller, name)
    return answer(service.catalog.quarantine.assign(name, asked.to, by=by, now=service.now()), caller)


@router.post("/quarantine/{name}/discard", response_model=shape_of(QuarantineEntry))
def post_discard(request: Request, caller: Caller, name: Name, asked: Discard) -> JSONResponse:
    """Close an entry whose rows nobody wants. They stay in quarantine, and in every count."""
    service, by = _may_change(request, caller, name)
    return answer(service.catalog.quarantine.discard(name, asked.reason, by=by, now=service.now()), caller)


@router.post("/quarantine/{name}/replay", status_code=202, response_model=ReplayReceipt)
def post_replay(request: Request, caller: Caller, name: Name) -> JSONResponse:
    """Ask for a replay. Dagster's sensor `quarantine_replays` starts it; `command` is the same without Dagster."""
    service, by = _may_change(request, caller, name)
    entry = service.catalog.quarantine.request_replay(name, by=by, now=service.now())
    receipt = ReplayReceipt(
        entry=entry.name,
        status=entry.status.value,
        started_by="quarantine_replays",
        command=f"data-platform quarantine replay {entry.name}",
    )
    return answer(receipt.model_dump(), caller, 202)


@router.post("/quarantine/{name}/release", status_code=201, response_model=shape_of(Decision))
def post_release(request: Request, caller: Caller, name: Name, asked: Release) -> JSONResponse:
    """Request that rows are let through although they break the policy. A steward approves it."""
    service, by = _may_change(request, caller, name)
    requested = service.catalog.quarantine.request_release(
        name, asked.reason, rules=asked.rules, by=by, now=service.now()
    )
    return answer(requested, caller, 201)


@router.post("/quarantine/{name}/release/approve", response_model=shape_of(Decision))
def post_approve(request: Request, caller: Caller, name: Name) -> JSONResponse:
    """Approve the requested release, which the next run of the day applies. You cannot approve your own request."""
    service, by = _may_change(request, caller, name)
    return answer(service.catalog.quarantine.approve_release(name, by=by, now=service.now()), caller)


@router.post("/quarantine/{name}/release/withdraw", response_model=shape_of(Decision))
def post_withdraw(request: Request, caller: Caller, name: Name) -> JSONResponse:
    """Withdraw a release: the next run of the day judges the rows without it."""
    service, by = _may_change(request, caller, name)
    return answer(service.catalog.quarantine.withdraw_release(name, by=by, now=service.now()), caller)


def _may_change(request: Request, caller: AccessToken, name: str) -> tuple[Service, Actor]:
    """Raises: ProblemError, NotFoundError: 403 for a dataset of another team, or there is no such entry."""
    service = service_of(request)
    refuse_foreign(service.catalog, caller, entry_named(service, name).dataset_urn)
    return service, actor_of(caller)


def entry_named(service: Service, name: str) -> QuarantineEntry:
    """Raises: NotFoundError."""
    entry = service.catalog.quarantine.entry(name)
    if entry is None:
        raise NotFoundError("there is no quarantine table of this name: the list of quarantine has the names")
    return entry
