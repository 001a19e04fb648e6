"""Deployments over HTTP: a CI job reports each of them once, or as often as it likes."""

from datetime import datetime
from typing import Annotated

from fastapi import Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field

from data_platform.api.access import Caller, guarded_router
from data_platform.api.answer import answer
from data_platform.api.service import service_of
from data_platform.api.shape import shape_of
from data_platform.api.team import actor_of, refuse_foreign
from data_platform.catalog.cursor import MOST
from data_platform.model.deployment import Deployment

router = guarded_router("deployments")

ENTRY = shape_of(Deployment)


class DeploymentBody(BaseModel):
    """``target`` is the key of a process, the start of such keys, or the URN of a dataset. ``at`` is now by default."""

    model_config = ConfigDict(extra="forbid")

    deploy_ref: str = Field(min_length=1, max_length=200)
    target: str = Field(min_length=1, max_length=1000)
    at: datetime | None = None
    by: str | None = Field(default=None, min_length=1, max_length=200)
    url: str | None = Field(default=None, min_length=1, max_length=2000)


@router.post("/deployments", status_code=201, response_model=ENTRY, responses={200: {"model": ENTRY}})
def post_deployment(request: Request, caller: Caller, told: DeploymentBody) -> JSONResponse:
    """Record a deployment. One that is recorded already is returned as it is, with status 200."""
    service = service_of(request)
    if told.target.startswith("ds://"):
        refuse_foreign(service.catalog, caller, told.target)
    now = service.now()
    wanted = Deployment(
        deploy_ref=told.deploy_ref, target=told.target, at=told.at or now, by=told.by or caller.name, url=told.url
    )
    recorded, is_new = service.catalog.deployments.add(wanted, by=actor_of(caller), now=now)
    return answer(recorded, caller, 201 if is_new else 200)


@router.get("/deployments", response_model=list[ENTRY])  # type: ignore[valid-type]
def get_deployments(
    request: Request,
    caller: Caller,
    target: Annotated[str | None, Query(max_length=1000, description="Only of this target.")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
) -> JSONResponse:
    """Deployments, newest first."""
    return answer(service_of(request).catalog.deployments.find(target, limit=limit), caller)
