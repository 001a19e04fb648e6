"""Turns the value of a page into HTML, or into the same value as JSON.

A template sees the value as ``page``: plain dictionaries, lists and texts, without the fields that the caller may not
see. Everything is escaped. The content security policy allows files of this service only, so nothing in a page may be
an inline script or style.
"""

from __future__ import annotations

import gzip
from functools import cache
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse

from data_platform.api.answer import visible
from data_platform.portal import text_filter
from data_platform.portal.access import PAGES, path_of
from data_platform.portal.asset import address_of
from data_platform.portal.fragment import FRAGMENTS
from data_platform.portal.link import (
    add_query,
    add_value,
    backtest_link,
    dataset_link,
    evidence_link,
    lineage_link,
    onboarding_link,
    policy_link,
    process_link,
    quarantine_link,
    quarantine_list_link,
    run_link,
    stage_run_link,
    waiver_link,
    why_link,
)
from data_platform.portal.navigation import navigation_of
from data_platform.portal.negotiation import wants_html
from data_platform.portal.portal import portal_of

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; object-src 'none'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Vary": "Accept, Accept-Encoding, Cookie",
}
_COMPRESSED_FROM = 1_000
_LEVEL = 5


@cache
def environment() -> Environment:
    """The templates of the package; the registered names are the same in all of them."""
    found = Environment(
        loader=PackageLoader("data_platform.portal"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    found.filters |= text_filter.FILTERS
    found.globals |= {
        "asset": address_of,
        "dataset_link": dataset_link,
        "why_link": why_link,
        "policy_link": policy_link,
        "onboarding_link": onboarding_link,
        "backtest_link": backtest_link,
        "evidence_link": evidence_link,
        "quarantine_link": quarantine_link,
        "quarantine_list_link": quarantine_list_link,
        "waiver_link": waiver_link,
        "lineage_link": lineage_link,
        "process_link": process_link,
        "run_link": run_link,
        "stage_run_link": stage_run_link,
        "add_query": add_query,
        "add_value": add_value,
        "has_page": PAGES.__contains__,
        "fragment": FRAGMENTS.render,
    }
    return found


def show(request: Request, template: str, view: Any, *, status: int = 200) -> Response:
    """The page of ``view`` for a browser, and its JSON twin for a program. ``view`` is a frozen value."""
    page = visible(view, request.state.caller)
    if not wants_html(request):
        return JSONResponse(page, status, headers={"Cache-Control": "no-store", "Vary": "Accept"})
    return html(request, template, status=status, page=page)


def html(request: Request, template: str, *, status: int = 200, **context: Any) -> Response:
    """A page of a template, also for people who are not signed in."""
    text = environment().get_template(template).render(**_frame(request), **context)
    body, headers = text.encode(errors="replace"), dict(HEADERS)
    if len(body) >= _COMPRESSED_FROM and "gzip" in request.headers.get("accept-encoding", ""):
        body = gzip.compress(body, _LEVEL, mtime=0)
        headers["Content-Encoding"] = "gzip"
    return HTMLResponse(body, status, headers=headers)


def see_other(path: str) -> Response:
    """After a form: the browser opens ``path`` of this service with GET."""
    return RedirectResponse(path, 303, headers={"Cache-Control": "no-store"})


def _frame(request: Request) -> dict[str, Any]:
    """What the layout shows on every page."""
    caller = getattr(request.state, "caller", None)
    session = getattr(request.state, "session", None)
    portal = portal_of(request)
    return {
        "path": path_of(request),
        "query": list(request.query_params.multi_items()),
        "caller": caller,
        "navigation": navigation_of(request.url.path, caller) if caller else (),
        "form_token": portal.sessions.form_token(session) if session else "",
        "dagster_url": portal.dagster_url,
        "words": request.query_params.get("q", "") if request.url.path == "/datasets" else "",
    }
