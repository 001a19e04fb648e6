"""Whether a caller wants a page or JSON: browsers name HTML in ``Accept``, and ``?format=json`` asks for JSON.

A request of htmx, which runs in a page, wants a page too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.requests import Request


def wants_html(request: Request) -> bool:
    if request.query_params.get("format") == "json":
        return False
    return "hx-request" in request.headers or "text/html" in request.headers.get("accept", "")
