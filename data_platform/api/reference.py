"""Names in paths: they hold slashes, and one that ends in ``/versions`` looks like a route of another name.

A slash that a caller has encoded (``%2F``) belongs to the name, so a name that is encoded as a whole is always taken as
a name. If a path can be read both ways, it means the route; if there is no dataset of the name before the route, it
means the dataset whose name it is.
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
"""In place of an encoded slash until the route is found: no name holds a control character."""


class EncodedSlashes:
    """ASGI middleware: the server decodes a path as a whole, and then nobody can tell the two kinds of slash apart."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw = scope.get("raw_path") or b""
        if scope["type"] == "http" and raw.startswith(_PATHS) and b"%2f" in raw.lower():
            path = raw.partition(b"?")[0].decode("ascii", "replace")
            scope = {**scope, "path": unquote(_ENCODED.sub(f"%{ord(_SLASH):02X}", path))}
        await self.app(scope, receive, send)


def whole_name(text: str) -> str:
    """A name from a path, with its own slashes."""
    return text.replace(_SLASH, "/")


def or_a_name_that_ends_so(
    last: str, page: Callable[..., JSONResponse]
) -> Callable[[Callable[..., JSONResponse]], Callable[..., JSONResponse]]:
    """For a route that ends in ``last``: where it finds nothing, ``page`` of the name that the whole path is."""

    def decorated(route: Callable[..., JSONResponse]) -> Callable[..., JSONResponse]:
        @wraps(route)
        def found(request: Any, caller: Any, reference: str, **given: Any) -> JSONResponse:
            try:
                return route(request=request, caller=caller, reference=reference, **given)
            except NotFoundError as error:
                try:
                    return page(request, caller, f"{reference}/{last}")
                except NotFoundError:
                    raise error from None

        return found

    return decorated
