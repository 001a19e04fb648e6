"""Registration requests for datasets, and decisions on them. A token with teams may edit only datasets of its teams."""

from typing import Annotated

from fastapi import Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.page import Cursor
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.api.team import actor_of, refuse_foreign
from data_platform.catalog import Catalog
from data_platform.model.access import AccessToken
from data_platform.model.dataset_page import DatasetCard
from data_platform.model.lineage import Name
from data_platform.model.registration import (
    RegistrationEntry,
    RegistrationPage,
    RegistrationRequest,
    RegistrationStatus,
)

router = guarded_router("registrations")

Number = Annotated[int, Path(ge=1, le=2**63 - 1)]
ENTRY = shape_of(RegistrationEntry)


class RegisterRequest(BaseModel):
    """Fields of a ``RegistrationRequest``, which checks their values."""

    model_config = ConfigDict(extra="forbid")

    namespace: str
    name: str
    description: str | None = None
    category: str | None = None
    tags: tuple[str, ...] | None = None
    format: str | None = None
    partitioning: str | None = None
    owner_team: str | None = None
    owner_email: str | None = None
    sla_window_seconds: int | None = None


class Decision(BaseModel):
    model_config = ConfigDict(extra="forbid")

    comment: str = Field(default="", max_length=4000)


class Deprecation(Decision):
    full_name: str = Field(min_length=1, max_length=2000)


@router.post("/dataset/register", status_code=201, response_model=ENTRY)
def post_register(request: Request, caller: Caller, asked: RegisterRequest) -> JSONResponse:
    """Request the registration of a dataset, or a change of its fields. A steward decides."""
    service = service_of(request)
    wanted = RegistrationRequest(**asked.model_dump())
    reference = Name(wanted.namespace, wanted.name).reference
    refuse_foreign(service.catalog, caller, reference, wanted.owner_team)
    entry = service.catalog.registry.request_registration(wanted, by=actor_of(caller), now=service.now())
    return answer(entry, caller, 201)


@router.get("/registrations", response_model=shape_of(RegistrationPage))
def get_registrations(
    request: Request,
    caller: Caller,
    status: Annotated[RegistrationStatus | None, Query(description="PENDING by default; all if `any` is true.")] = None,
    every: Annotated[bool, Query(alias="any", description="Include decided requests.")] = False,  # noqa: FBT002
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Cursor = None,
) -> JSONResponse:
    """Requests, oldest first; by default those that wait for a decision."""
    wanted = status or (None if every else RegistrationStatus.PENDING)
    return answer(service_of(request).catalog.registry.registrations(wanted, cursor=cursor, limit=limit), caller)


@router.post("/registrations/{number}/approve", response_model=ENTRY)
def post_approve(request: Request, caller: Caller, number: Number, decision: Decision) -> JSONResponse:
    """Approve a request: the dataset becomes ACTIVE with the requested values. You cannot approve your own request."""
    service = service_of(request)
    refuse_foreign_entry(service.catalog, caller, number)
    entry = service.catalog.registry.approve_registration(
        number, by=actor_of(caller), comment=decision.comment, now=service.now()
    )
    return answer(entry, caller)


@router.post("/registrations/{number}/reject", response_model=ENTRY)
def post_reject(request: Request, caller: Caller, number: Number, decision: Decision) -> JSONResponse:
    """Reject a request: the dataset stays as it is."""
    service = service_of(request)
    refuse_foreign_entry(service.catalog, caller, number)
    entry = service.catalog.registry.reject_registration(
        number, by=actor_of(caller), comment=decision.comment, now=service.now()
    )
    return answer(entry, caller)


@router.post("/dataset/deprecate", response_model=shape_of(DatasetCard))
def post_deprecate(request: Request, caller: Caller, asked: Deprecation) -> JSONResponse:
    """Mark a dataset as deprecated, so that consumers stop using it. Nothing is removed."""
    service = service_of(request)
    dataset = service.catalog.lineage.dataset(asked.full_name)
    name = dataset.reference
    refuse_foreign(service.catalog, caller, name)
    service.catalog.registry.deprecate_dataset(name, by=actor_of(caller), comment=asked.comment, now=service.now())
    return answer(service.catalog.lineage.dataset(name), caller)


def refuse_foreign_entry(catalog: Catalog, caller: AccessToken, number: int) -> None:
    """Raises: ProblemError, NotFoundError: 403 for a dataset of another team, or there is no such registration."""
    entry = catalog.registry.registration(number)
    refuse_foreign(catalog, caller, entry.reference, entry.requested.get("owner_team"))
