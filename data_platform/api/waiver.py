"""Waivers: requests to accept a failed rule, and decisions on them. A token with teams may act for its teams only."""

from datetime import datetime
from typing import Annotated

from fastapi import Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.partition import read_partition
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.api.team import actor_of, refuse_foreign
from data_platform.model.verdict import Gate
from data_platform.model.waiver import Waiver, WaiverRequest, WaiverStatus

router = guarded_router("waivers")

Number = Annotated[int, Path(ge=1, le=2**63 - 1)]
ENTRY = shape_of(Waiver)


class WaiverBody(BaseModel):
    """``partition`` is a day, ``last_partition`` the last one of a range; neither for a dataset without partitions."""

    model_config = ConfigDict(extra="forbid")

    dataset_urn: str = Field(min_length=1, max_length=300)
    gate: Gate
    signature: str = Field(min_length=1, max_length=2000)
    partition: str | None = None
    last_partition: str | None = None
    reason: str = Field(min_length=1, max_length=2000)
    expires_at: datetime


class Decision(BaseModel):
    model_config = ConfigDict(extra="forbid")

    comment: str = Field(default="", max_length=4000)


@router.post("/waivers", status_code=201, response_model=ENTRY)
def post_waiver(request: Request, caller: Caller, asked: WaiverBody) -> JSONResponse:
    """Request a waiver of one failed rule. It counts once somebody else has approved it."""
    service = service_of(request)
    refuse_foreign(service.catalog, caller, asked.dataset_urn)
    first, last = read_partition("partition", asked.partition), read_partition("last_partition", asked.last_partition)
    wanted = WaiverRequest(
        dataset_urn=asked.dataset_urn,
        gate=asked.gate,
        signature=asked.signature,
        first=first,
        last=last or first,
        reason=asked.reason,
        expires_at=asked.expires_at,
    )
    return answer(service.catalog.waivers.request(wanted, by=actor_of(caller), now=service.now()), caller, 201)


@router.get("/waivers", response_model=list[ENTRY])  # type: ignore[valid-type]
def get_waivers(
    request: Request,
    caller: Caller,
    dataset_urn: Annotated[str | None, Query(max_length=300, description="Only of this dataset.")] = None,
    status: Annotated[WaiverStatus | None, Query(description="Only this status.")] = None,
) -> JSONResponse:
    """Waivers, oldest first."""
    service = service_of(request)
    waivers = service.catalog.waivers.find(dataset_urn, now=service.now())
    return answer([waiver for waiver in waivers if status in (None, waiver.status)], caller)


@router.post("/waivers/{number}/approve", response_model=ENTRY)
def post_approve_waiver(request: Request, caller: Caller, number: Number, decision: Decision) -> JSONResponse:
    """Approve a waiver. You cannot approve your own. The held day is certified by running it again."""
    service = service_of(request)
    refuse_foreign(service.catalog, caller, service.catalog.waivers.get(number, now=service.now()).dataset_urn)
    waiver = service.catalog.waivers.approve(number, by=actor_of(caller), comment=decision.comment, now=service.now())
    return answer(waiver, caller)


@router.post("/waivers/{number}/revoke", response_model=ENTRY)
def post_revoke_waiver(request: Request, caller: Caller, number: Number, decision: Decision) -> JSONResponse:
    """End a waiver, or reject a pending one. What was certified stays certified."""
    service = service_of(request)
    refuse_foreign(service.catalog, caller, service.catalog.waivers.get(number, now=service.now()).dataset_urn)
    waiver = service.catalog.waivers.revoke(number, by=actor_of(caller), comment=decision.comment, now=service.now())
    return answer(waiver, caller)
