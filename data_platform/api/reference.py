"""Names in paths: they contain slashes, and a name that ends in ``/versions`` looks like a route of another name.

An encoded slash (``%2F``) belongs to the name, so a completely encoded name is always read as a name. If a path can be
read both ways, it is the route; if no dataset has the name before the route, the whole path is the dataset's name.
"""

from __future__ import annotations

import re
from functools import wraps
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from data_platform.errors import NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

    from fastapi.responses import JSONResponse
    from starlette.types import ASGIApp, Receive, Scope, Send

_PATHS = (b"/api/v1/dataset/", b"/api/v1/process/")
_ENCODED = re.compile("%2f", re.IGNORECASE)
_SLASH = "\x1f"
"""Replaces an encoded slash until the route is resolved: no name has a control character."""


class EncodedSlashes:
    """ASGI middleware that keeps encoded slashes: the server decodes the whole path, and then all slashes are equal."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path") or b""
        if scope["type"] == "http" and raw.startswith(_PATHS) and b"%2f" in raw.lower():
            path = raw.partition(b"?")[0].decode("ascii", "replace")
            scope = {**scope, "path": unquote(_ENCODED.sub(f"%{ord(_SLASH):02X}", path))}
        await self.app(scope, receive, send)


def decoded_name(text: str) -> str:
    """A name from a path, with its slashes restored."""
    return text.replace(_SLASH, "/")


def or_full_name(
    suffix: str, page: Callable[..., JSONResponse]
) -> Callable[[Callable[..., JSONResponse]], Callable[..., JSONResponse]]:
    """For a route that ends in ``suffix``: if it finds nothing, returns ``page`` for the whole path as a name."""

    def decorated(route: Callable[..., JSONResponse]) -> Callable[..., JSONResponse]:
        @wraps(route)
        def route_or_page(request: Any, caller: Any, reference: str, **given: Any) -> JSONResponse:
            try:
                return route(request=request, caller=caller, reference=reference, **given)
            except NotFoundError as error:
                try:
                    return page(request, caller, f"{reference}/{suffix}")
                except NotFoundError:
                    raise error from None

        return route_or_page

    return decorated
