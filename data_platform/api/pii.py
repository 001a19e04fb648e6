"""Opens tokens of personal values, for stewards. Each request is recorded in the audit log, also a refused one."""

from typing import Annotated

from fastapi import Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.concurrency import run_in_threadpool

from data_platform.api.access import Caller, DocumentRoute, guarded_router
from data_platform.api.problem import ProblemError
from data_platform.api.service import service_of
from data_platform.api.team import actor_of
from data_platform.model.access import AccessToken, Role
from data_platform.model.detokenize import MOST_TOKENS
from data_platform.model.plain_json import plain

_LONGEST = 4000


class AuditedRoute(DocumentRoute):
    """Records a refused caller."""

    async def refuse(self, request: Request, caller: AccessToken, allowed: frozenset[Role]) -> None:
        service = service_of(request)
        await run_in_threadpool(
            service.catalog.access.record_refusal, actor_of(caller), count=None, reason="", now=service.now()
        )
        await super().refuse(request, caller, allowed)


router = guarded_router("personal data", route_class=AuditedRoute)


class DetokenizeBody(BaseModel):
    model_config = ConfigDict(extra="forbid")

    tokens: list[Annotated[str, Field(max_length=_LONGEST)]] = Field(min_length=1, max_length=MOST_TOKENS)
    reason: str = Field(min_length=1, max_length=2000, description="Why; stored in the audit log.")


class OpenedRow(BaseModel):
    token: str | None = Field(description="Without the encrypted value; null if the text was no token.")
    value: str | None = Field(description="The normalised value; null with a problem.")
    problem: str


class OpenedTokens(BaseModel):
    opened: int
    results: list[OpenedRow] = Field(description="One for each token, in the order of the request.")


@router.post("/pii/detokenize", response_model=OpenedTokens)
def post_detokenize(request: Request, caller: Caller, asked: DetokenizeBody) -> JSONResponse:
    """Show the values of tokens that a rule with `reversible` made. The audit log has who, when, which, and why."""
    service = service_of(request)
    if service.pii_keys is None:
        raise ProblemError(404, "no-keys", "this service has no keys of tokens: use a service or a machine that has")
    found = service.catalog.access.detokenize(
        asked.tokens, asked.reason, caller=caller, keys=service.pii_keys.versions(), now=service.now()
    )
    results = [{"token": item.token, "value": item.value, "problem": item.problem} for item in found]
    document = {"opened": sum(item.value is not None for item in found), "results": plain(results)}
    return JSONResponse(document, headers={"Cache-Control": "no-store"})
