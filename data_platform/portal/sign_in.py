"""Signing in with an access token, and out again."""

from __future__ import annotations

from fastapi import APIRouter, Request  # the framework reads annotations at run time
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response  # noqa: TC002 - as above

from data_platform.api.service import service_of
from data_platform.portal.access import read_form
from data_platform.portal.portal import portal_of
from data_platform.portal.render import html, see_other
from data_platform.portal.session import COOKIE, LIFETIME

router = APIRouter(include_in_schema=False)
_ENDED = "Your session has ended, and what you sent was not stored. Sign in, and send it again."
_REFUSED = "The token is invalid, has expired, or was revoked."


@router.get("/sign-in")
def sign_in_page(request: Request) -> Response:
    refused = _ENDED if request.query_params.get("ended") else ""
    return html(request, "sign_in.html", next=local_path(request.query_params.get("next")), refused=refused)


@router.post("/sign-in")
async def sign_in(request: Request) -> Response:
    """Opens a session for a valid token, and returns to the page that needed it."""
    await read_form(request)
    service, target = service_of(request), local_path(request.state.form.get("next"))
    caller = await service.callers.find(request.state.form.get("token", "").strip(), now=service.now())
    if caller is None:
        return html(request, "sign_in.html", status=401, next=target, refused=_REFUSED)
    _, cookie = portal_of(request).sessions.open(caller.token_id, service.now())
    response = see_other(target)
    response.set_cookie(
        COOKIE,
        cookie,
        max_age=int(LIFETIME.total_seconds()),
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return response


@router.post("/sign-out")
async def sign_out(request: Request) -> Response:
    """Ends the session for good; a copy of its cookie is worth nothing."""
    await read_form(request)
    service = service_of(request)
    session = portal_of(request).sessions.read(request.cookies.get(COOKIE, ""), service.now())
    if session is not None:
        ended = {"expires_at": session.expires_at, "now": service.now()}
        await run_in_threadpool(service.catalog.access.end_session, session.nonce, **ended)
    response = see_other("/sign-in")
    response.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=request.url.scheme == "https")
    return response


def local_path(path: str | None) -> str:
    """``path`` if it is a page of this service, otherwise the first page: a link must not lead to another site."""
    is_local = path is not None and path.startswith("/") and not path.startswith(("//", "/\\"))
    return path if path is not None and is_local and path.isprintable() and "\\" not in path else "/"
