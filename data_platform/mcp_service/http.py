"""Serves the protocol over HTTP, on the application of the service, at ``/mcp``.

Every request has an access token, as one of the API has; its role decides which tools are offered. There are no
sessions: a client may call any worker of the service, and a revoked token ends its access at once.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.requests import Request
from starlette.routing import Route

from data_platform.api.access import DOCUMENT_BYTES, authenticate
from data_platform.api.problem import ProblemError
from data_platform.mcp_service.server import Assistant, build_server

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import FastAPI
    from mcp.server.context import ServerRequestContext
    from starlette.types import Receive, Scope, Send

PATH = "/mcp"


def add_tools(app: FastAPI) -> None:
    """Adds the address, which is served while the application runs."""
    manager = StreamableHTTPSessionManager(
        build_server(app, _assistant_of), json_response=True, stateless=True, max_request_body_size=DOCUMENT_BYTES
    )
    app.router.routes.append(Route(PATH, _Endpoint(manager), methods=["POST"], include_in_schema=False))
    inner = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(running: FastAPI) -> AsyncIterator[Any]:
        async with inner(running) as state, manager.run():
            yield state

    app.router.lifespan_context = lifespan


class _Endpoint:
    """Refuses a request without a token, and one that a page of another site makes a browser send."""

    def __init__(self, manager: StreamableHTTPSessionManager) -> None:
        self._manager = manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
            raise ProblemError(403, "foreign-origin", "the request comes from a page of another site")
        caller = await authenticate(request)
        token = request.headers["authorization"].partition(" ")[2].strip()
        request.state.assistant = Assistant(token, caller.role)
        await self._manager.handle_request(scope, receive, send)


def _assistant_of(context: ServerRequestContext[Any]) -> Assistant:
    assert context.request is not None, "every request over HTTP has one"  # noqa: S101
    found: Assistant = context.request.state.assistant
    return found
