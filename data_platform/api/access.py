"""Roles and permissions: ``PERMISSIONS`` lists every route that needs a token. Other guarded routes cannot be created.

A request is authorized before its body is read.
"""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Security
from fastapi.routing import APIRoute
from fastapi.security import HTTPBearer
from starlette.responses import Response
from starlette.types import Message

from data_platform.api.body import read_body
from data_platform.api.problem import ProblemError
from data_platform.api.service import service_of
from data_platform.api.storable import check_document, check_parameters
from data_platform.model.access import AccessToken, Role
from data_platform.model.detokenize import ROLE

API = "/api/v1"
DOCUMENT_BYTES = 1_048_576
"""The limit of a request's body that is a document, not an event."""

_READERS = frozenset(Role)
_PRODUCERS = frozenset({Role.PLATFORM_ADMIN, Role.DATA_STEWARD, Role.DATA_OWNER})
_STEWARDS = frozenset({Role.PLATFORM_ADMIN, Role.DATA_STEWARD})
_ADMINS = frozenset({Role.PLATFORM_ADMIN})
_VIEWERS = frozenset({ROLE})

PERMISSIONS: dict[str, frozenset[Role]] = {
    f"POST {API}/run_event": _PRODUCERS,
    f"POST {API}/lineage": _PRODUCERS,
    f"POST {API}/lineage/batch": _PRODUCERS,
    "POST /report_asset_materialization/{key}": _PRODUCERS,
    "POST /report_asset_check/{key}": _PRODUCERS,
    "POST /report_asset_observation/{key}": _PRODUCERS,
    f"GET {API}/dataset": _READERS,
    f"GET {API}/dataset/{{reference}}": _READERS,
    f"GET {API}/dataset/{{reference}}/versions": _READERS,
    f"GET {API}/dataset/{{reference}}/schema": _READERS,
    f"GET {API}/dataset/{{reference}}/lineage": _READERS,
    f"GET {API}/dataset/{{reference}}/impact": _READERS,
    f"GET {API}/dataset/{{reference}}/consumers": _READERS,
    f"GET {API}/dataset/{{reference}}/last_successful_run": _READERS,
    f"GET {API}/dataset/{{reference}}/certified": _READERS,
    f"GET {API}/dataset/{{reference}}/certifications": _READERS,
    f"GET {API}/dataset/{{reference}}/why": _READERS,
    f"GET {API}/groups/{{name}}/certified": _READERS,
    f"GET {API}/process/{{key}}": _READERS,
    f"GET {API}/process/{{key}}/runs": _READERS,
    f"GET {API}/run/{{run_uuid}}": _READERS,
    f"GET {API}/sla/status": _READERS,
    f"GET {API}/search": _READERS,
    f"POST {API}/dataset/register": _PRODUCERS,
    f"POST {API}/dataset/deprecate": _PRODUCERS,
    f"GET {API}/registrations": _PRODUCERS,
    f"POST {API}/registrations/{{number}}/approve": _STEWARDS,
    f"POST {API}/registrations/{{number}}/reject": _STEWARDS,
    f"GET {API}/quarantine": _PRODUCERS,
    f"GET {API}/quarantine/{{name}}": _PRODUCERS,
    f"GET {API}/quarantine/{{name}}/diff": _PRODUCERS,
    f"POST {API}/quarantine/{{name}}/assign": _PRODUCERS,
    f"POST {API}/quarantine/{{name}}/discard": _PRODUCERS,
    f"POST {API}/quarantine/{{name}}/replay": _PRODUCERS,
    f"POST {API}/quarantine/{{name}}/release": _PRODUCERS,
    f"POST {API}/quarantine/{{name}}/release/approve": _STEWARDS,
    f"POST {API}/quarantine/{{name}}/release/withdraw": _PRODUCERS,
    f"GET {API}/waivers": _READERS,
    f"POST {API}/waivers": _PRODUCERS,
    f"POST {API}/waivers/{{number}}/approve": _STEWARDS,
    f"POST {API}/waivers/{{number}}/revoke": _STEWARDS,
    f"GET {API}/incidents": _READERS,
    f"GET {API}/incidents/{{number}}": _READERS,
    f"POST {API}/incidents/{{number}}/acknowledge": _PRODUCERS,
    f"POST {API}/incidents/{{number}}/resolve": _PRODUCERS,
    f"GET {API}/signals": _READERS,
    f"GET {API}/health": _READERS,
    f"GET {API}/events/lifecycle": _READERS,
    f"GET {API}/alerts": _READERS,
    f"GET {API}/maintenance": _READERS,
    f"POST {API}/maintenance": _PRODUCERS,
    f"POST {API}/maintenance/{{number}}/end": _PRODUCERS,
    f"GET {API}/incidents/{{number}}/rca": _READERS,
    f"GET {API}/deployments": _READERS,
    f"POST {API}/deployments": _PRODUCERS,
    f"POST {API}/pii/detokenize": _VIEWERS,
    f"GET {API}/audit": _STEWARDS,
    f"GET {API}/token": _ADMINS,
    f"POST {API}/token": _ADMINS,
    f"POST {API}/token/{{name}}/revoke": _ADMINS,
}
PUBLIC = frozenset({"GET /healthz", "GET /readyz", "GET /metrics", "GET /openapi.json", "GET /docs"})


class GuardedRoute(APIRoute):
    """Checks the token and its role first. Further checks, such as the caller's teams, are in the route's function."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()
        (method,) = self.methods or ("GET",)
        allowed = PERMISSIONS[f"{method} {self.path_format}"]

        async def guarded(request: Request) -> Response:
            caller = request.state.caller = await authenticate(request)
            if caller.role not in allowed:
                await self.refuse(request, caller, allowed)
            check_parameters(request)
            return await inner(await self.receive(request))

        return guarded

    async def refuse(self, request: Request, caller: AccessToken, allowed: frozenset[Role]) -> None:  # noqa: ARG002
        """Raises: ProblemError, 403."""
        roles = ", ".join(sorted(allowed))
        raise ProblemError(403, "forbidden", f"the token {caller.name} has the role {caller.role}; this needs {roles}")

    async def receive(self, request: Request) -> Request:
        """The request that is passed to the route's function."""
        return request


class DocumentRoute(GuardedRoute):
    """Reads the body after the token check and up to its limit, and then passes it on to the framework."""

    async def receive(self, request: Request) -> Request:
        if request.method == "GET":
            return request
        raw = await read_body(request, DOCUMENT_BYTES, "documents")
        check_document(raw)

        async def replay() -> Message:
            return {"type": "http.request", "body": raw, "more_body": False}

        return Request(request.scope, replay)


def guarded_router(tag: str, *, prefix: str = API, route_class: type[GuardedRoute] = DocumentRoute) -> APIRouter:
    """A router for routes below ``prefix``; the security scheme is only for the OpenAPI document."""
    scheme = HTTPBearer(auto_error=False, description="A token of `data-platform token create`")
    return APIRouter(
        prefix=prefix,
        route_class=route_class,
        tags=[tag],
        dependencies=[Security(scheme)],
    )


async def authenticate(request: Request) -> AccessToken:
    """Raises: ProblemError, 401 without a valid token."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        raise _unauthorized("Bearer", "a token is required: send it as 'Authorization: Bearer …'")
    service = service_of(request)
    caller = await service.callers.find(token.strip(), now=service.now())
    if caller is None:
        raise _unauthorized('Bearer error="invalid_token"', "the token is invalid, has expired, or was revoked")
    return caller


def _unauthorized(challenge: str, detail: str) -> ProblemError:
    return ProblemError(401, "unauthorized", detail, headers={"WWW-Authenticate": challenge})


async def _caller(request: Request) -> AccessToken:  # async, since a plain function would cost a thread
    caller: AccessToken = request.state.caller
    return caller


Caller = Annotated[AccessToken, Depends(_caller)]
