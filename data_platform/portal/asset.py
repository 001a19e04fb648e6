"""Static files: scripts, styles and fonts of the portal, all served by this service, none by another host.

The address of a file contains a part of its digest, so browsers may keep it forever.
"""

from __future__ import annotations

import hashlib
import mimetypes
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from starlette.middleware.gzip import GZipMiddleware
from starlette.staticfiles import StaticFiles

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Scope

ROOT = "/static"
_FOREVER = "public, max-age=31536000, immutable"
_DIGITS = 10

mimetypes.add_type("image/svg+xml", ".svg")


@cache
def address_of(name: str) -> str:
    """``/static/portal.css?v=…``. Raises: FileNotFoundError, if there is no such file in the package."""
    content = (files("data_platform.portal") / "static" / name).read_bytes()
    return f"{ROOT}/{name}?v={hashlib.sha256(content).hexdigest()[:_DIGITS]}"


class _Files(StaticFiles):
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["X-Content-Type-Options"] = "nosniff"
        is_versioned = b"v=" in scope.get("query_string", b"")
        response.headers["Cache-Control"] = _FOREVER if is_versioned else "no-cache"
        return response


def static_files() -> ASGIApp:
    return GZipMiddleware(_Files(packages=[("data_platform.portal", "static")]), minimum_size=500)
