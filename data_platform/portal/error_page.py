"""Errors for browsers are pages that say what to do; programs get the API's problem documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from data_platform.api.problem import ProblemError, invalid_of, problem_of, refused_of
from data_platform.errors import DataPlatformError
from data_platform.portal.negotiation import wants_html
from data_platform.portal.render import html

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.requests import Request
    from starlette.responses import Response

_OF_PROGRAMS = ("/api/", "/report_asset_", "/mcp", "/metrics", "/healthz", "/readyz", "/openapi.json")
_NEXT_STEPS = {
    400: "Go back, correct what you entered, and send it again.",
    401: "Sign in again.",
    403: "Ask the owner of the data or an administrator; your roles are shown at the top.",
    404: "Look for it by a part of its name in the search box above.",
    409: "Somebody else was faster: open the page again to see what it is now.",
    408: "Send it again; the connection was too slow.",
    413: "Go back, and enter less. Longer texts belong in the files of a policy.",
    415: "Send it with the form of the page.",
    422: "Go back and correct what you entered, or open the page from the navigation.",
    429: "Wait some minutes, and try again.",
    503: "The catalog does not answer now. Try again in a minute; if it stays so, call the operators of the platform.",
}
_UNEXPECTED = "Try again. If it happens again, give the operators of the platform the id above; the log has it."


def add_error_pages(app: FastAPI) -> None:
    """Replaces the API's handlers by such that answer browsers with a page."""
    for kind in (ProblemError, DataPlatformError, HTTPException, RequestValidationError):
        app.add_exception_handler(kind, _answer)


async def _answer(request: Request, error: Exception) -> Response:
    problem = _problem(request, error)
    if request.url.path.startswith(_OF_PROGRAMS) or not wants_html(request):
        return problem.response()
    document = problem.document()
    steps = _NEXT_STEPS.get(problem.status, _UNEXPECTED)
    response = html(request, "error.html", status=problem.status, problem=document, next_step=steps)
    for name, value in problem.headers.items():
        response.headers[name] = value
    return response


def _problem(request: Request, error: Exception) -> ProblemError:
    if isinstance(error, HTTPException):
        return refused_of(request, error)
    return invalid_of(error) if isinstance(error, RequestValidationError) else problem_of(error)
