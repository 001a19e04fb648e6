"""Who may open a page: ``PAGES`` lists every page with its roles. A page without a row cannot be created.

People are signed in by a session, programs by the same tokens as for the API. A form is accepted from a page of this
portal only: it has the session's form token, and the browser says that it comes from here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlsplit

from fastapi import APIRouter
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse

from data_platform.api.access import authenticate
from data_platform.api.body import read_body
from data_platform.api.problem import ProblemError, problem_of
from data_platform.api.service import service_of
from data_platform.api.storable import check_parameters
from data_platform.model.access import Role
from data_platform.portal.negotiation import wants_html
from data_platform.portal.portal import portal_of
from data_platform.portal.session import COOKIE

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from starlette.requests import Request
    from starlette.responses import Response

    from data_platform.model.access import AccessToken

EVERYBODY = frozenset(Role)
PRODUCERS = frozenset({Role.PLATFORM_ADMIN, Role.DATA_STEWARD, Role.DATA_OWNER})
STEWARDS = frozenset({Role.PLATFORM_ADMIN, Role.DATA_STEWARD})

PAGES: dict[str, frozenset[Role]] = {
    "GET /": EVERYBODY,
    "GET /datasets": EVERYBODY,
    "GET /datasets/{reference}": EVERYBODY,
    "GET /why/{reference}": EVERYBODY,
    "GET /policy/{reference}": PRODUCERS,
    "GET /lineage/{reference}": EVERYBODY,
    "GET /processes": EVERYBODY,
    "GET /processes/{key}": EVERYBODY,
    "GET /runs/{run_uuid}": EVERYBODY,
    "GET /incidents": EVERYBODY,
    "GET /incidents/{number}": EVERYBODY,
    "POST /incidents/{number}/acknowledge": PRODUCERS,
    "POST /incidents/{number}/resolve": PRODUCERS,
    "GET /onboarding": PRODUCERS,
    "POST /onboarding": PRODUCERS,
    "GET /onboarding/{reference}": PRODUCERS,
    "POST /onboarding/{reference}/run": PRODUCERS,
    "POST /onboarding/{reference}/edit": PRODUCERS,
    "POST /onboarding/{reference}/submit": PRODUCERS,
    "GET /kpis": EVERYBODY,
    "GET /backtest/{reference}": EVERYBODY,
    "GET /evidence": EVERYBODY,
    "GET /evidence/verify": EVERYBODY,
    "GET /evidence/{reference}": EVERYBODY,
    "GET /approvals": PRODUCERS,
    "POST /approvals/registrations/{number}/approve": STEWARDS,
    "POST /approvals/registrations/{number}/reject": STEWARDS,
    "GET /waivers": EVERYBODY,
    "POST /waivers": PRODUCERS,
    "POST /waivers/{number}/approve": STEWARDS,
    "POST /waivers/{number}/revoke": STEWARDS,
    "GET /quarantine": PRODUCERS,
    "GET /quarantine/{name}": PRODUCERS,
    "GET /quarantine/{name}/rows": PRODUCERS,
    "GET /quarantine/{name}/diff": PRODUCERS,
    "POST /quarantine/{name}/assign": PRODUCERS,
    "POST /quarantine/{name}/discard": PRODUCERS,
    "POST /quarantine/{name}/replay": PRODUCERS,
    "POST /quarantine/{name}/release": PRODUCERS,
    "POST /quarantine/{name}/release/approve": STEWARDS,
    "POST /quarantine/{name}/release/withdraw": PRODUCERS,
}
OPEN_PAGES = frozenset({"GET /sign-in", "POST /sign-in", "POST /sign-out"})
FORM_TOKEN = "form_token"  # noqa: S105 - the name of a field
FORM_BYTES = 65_536
LARGE_FORMS = {"POST /onboarding/{reference}/edit": 1_048_576}
"""The forms with whole files, and their limits."""
MOST_FIELDS = 100
_FORM_TYPE = "application/x-www-form-urlencoded"
_FROM_HERE = frozenset({"same-origin", "none"})


class PageRoute(APIRoute):
    """Signs in, checks the role, and reads the form before the page's function is called."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        inner = super().get_route_handler()
        (method,) = self.methods or ("GET",)
        route = f"{method} {self.path_format}"
        allowed = PAGES[route]

        async def guarded(request: Request) -> Response:
            caller = await sign_in_of(request)
            if caller is None:
                return _to_sign_in(request)
            request.state.caller = caller
            if caller.role not in allowed:
                roles = ", ".join(sorted(allowed))
                detail = f"{caller.name} has the role {caller.role}; this needs {roles}"
                raise ProblemError(403, "forbidden", detail)
            check_parameters(request)
            if method == "POST":
                await read_form(request, LARGE_FORMS.get(route, FORM_BYTES))
                _check_form_token(request)
            return await _answered(inner, request)

        return guarded


async def _answered(inner: Callable[[Request], Coroutine[Any, Any, Response]], request: Request) -> Response:
    """Raises: ProblemError, 500, for an error that nobody expected: it is logged, and a browser gets a page."""
    try:
        return await inner(request)
    except (ProblemError, HTTPException, RequestValidationError):
        raise
    except Exception as error:
        raise problem_of(error) from None


def page_router() -> APIRouter:
    return APIRouter(route_class=PageRoute, include_in_schema=False)


async def sign_in_of(request: Request) -> AccessToken | None:
    """Who calls; None for a browser that is not signed in.

    Raises:
        ProblemError: 401, a program sent no valid token.
    """
    request.state.session = None
    if "authorization" in request.headers:
        return await authenticate(request)
    caller = await _by_session(request)
    if caller is None and not wants_html(request):
        return await authenticate(request)  # which refuses it, and says how to send a token
    return caller


async def _by_session(request: Request) -> AccessToken | None:
    service, cookie = service_of(request), request.cookies.get(COOKIE, "")
    session = portal_of(request).sessions.read(cookie, service.now())
    if session is None:
        return None
    request.state.session = session
    return await run_in_threadpool(
        service.catalog.access.token_of_session, session.token_id, session.nonce, now=service.now()
    )


def path_of(request: Request) -> str:
    """The path as it was asked for, still encoded: a name in it may have a question mark."""
    raw: bytes = request.scope.get("raw_path") or b""
    return raw.decode("ascii", "replace") or quote(request.url.path)


def _to_sign_in(request: Request) -> Response:
    """A form whose session has ended leads back to the page that had it, and the sign-in says that nothing was done."""
    path = path_of(request) + (f"?{request.url.query}" if request.url.query else "")
    target = "/sign-in" if path == "/" else f"/sign-in?next={quote(path, safe='')}"
    if request.method != "GET":
        target = f"/sign-in?ended=true&next={quote(_page_of_form(request), safe='')}"
    return RedirectResponse(target, 303, headers={"Cache-Control": "no-store"})


def _page_of_form(request: Request) -> str:
    """The page from which the browser says that the form comes; the first one if it does not say, or names another."""
    page = urlsplit(request.headers.get("referer", ""))
    if page.netloc != request.headers.get("host") or not page.path:
        return "/"
    return page.path + (f"?{page.query}" if page.query else "")


async def read_form(request: Request, most_bytes: int = FORM_BYTES) -> None:
    """Reads the fields of a form into ``request.state.form``, the last of each name.

    Raises:
        ProblemError: The form is larger than its limit, has too many fields, or comes from a page of somebody else.
    """
    check_origin(request)
    raw = await read_body(request, most_bytes, "forms", check_type=_check_is_form)
    try:
        fields = parse_qsl(raw.decode(errors="replace"), keep_blank_values=True, max_num_fields=MOST_FIELDS)
    except ValueError:
        raise ProblemError(422, "too-many-fields", f"the form has more than {MOST_FIELDS} fields") from None
    request.state.form = dict(fields)


def _check_is_form(request: Request) -> None:
    """Raises: ProblemError, 415."""
    if request.headers.get("content-type", _FORM_TYPE).partition(";")[0].strip().lower() != _FORM_TYPE:
        raise ProblemError(415, "wrong-type", f"the Content-Type is not that of a form: expected {_FORM_TYPE}")


def check_origin(request: Request) -> None:
    """Raises: ProblemError, 403, the browser says that another site sent the form."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_own = site in _FROM_HERE if site else origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if not is_own:
        raise ProblemError(
            403, "foreign-form", "the form comes from another site: open the page here, and send it again"
        )


def _check_form_token(request: Request) -> None:
    """Raises: ProblemError, 403, the form is of another session. A program with a token needs no form token."""
    session = request.state.session
    if session is None:
        return
    if not portal_of(request).sessions.accepts(session, request.state.form.pop(FORM_TOKEN, "")):
        raise ProblemError(403, "old-form", "the form is of an earlier sign-in: open the page again, and send it again")
