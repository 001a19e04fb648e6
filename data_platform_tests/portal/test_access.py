"""Signing in, sessions, roles and forms: who is let in, and which form is believed."""

import re
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs

import pytest
from fastapi import Request
from sqlalchemy import select
from starlette.responses import HTMLResponse, PlainTextResponse, Response

from data_platform.catalog.access_table import ENDED_SESSION
from data_platform.model.access import Role
from data_platform.portal.access import EVERYBODY, OPEN_PAGES, PAGES, page_router
from data_platform.portal.portal import portal_of
from data_platform.portal.render import environment
from data_platform.portal.session import COOKIE, LIFETIME, Sessions
from data_platform.portal.sign_in import local_path
from data_platform_tests.api.service_client import NOW
from data_platform_tests.api.test_access import MATRIX, OPEN, routes
from data_platform_tests.portal.portal_client import KEY, PortalClient


def field_of(page: str) -> str:
    found = re.search(r'name="form_token" value="([^"]+)"', page)
    assert found
    return found[1]


@pytest.fixture
def forms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PortalClient]:
    """A portal with a page that has a form."""
    monkeypatch.setitem(PAGES, "GET /try", EVERYBODY)
    monkeypatch.setitem(PAGES, "POST /try", frozenset({Role.PLATFORM_ADMIN}))
    form = environment().from_string('{% import "macros.html" as ui with context %}{{ ui.form_field() }}')
    router = page_router()

    @router.get("/try")
    def ask(request: Request) -> Response:
        token = portal_of(request).sessions.form_token(request.state.session)
        return HTMLResponse(form.render(form_token=token))

    @router.post("/try")
    def take(request: Request) -> Response:
        return PlainTextResponse(f"{request.state.caller.name} {request.state.form}")

    with PortalClient(f"sqlite:///{tmp_path / 'catalog.db'}", extra=(router,)) as opened:
        yield opened


def test_every_page_has_roles_and_nothing_else_is_reachable(empty_portal: PortalClient) -> None:
    assert set(routes(empty_portal.app.routes)) == {*PAGES, *OPEN_PAGES, *MATRIX, *OPEN}


def test_no_page_is_in_the_document_of_the_api(empty_portal: PortalClient) -> None:
    assert not any(path in empty_portal.app.openapi()["paths"] for path in ("/", "/datasets", "/sign-in"))


def test_a_page_without_roles_cannot_be_made() -> None:
    with pytest.raises(KeyError, match="GET /new"):
        page_router().add_api_route("/new", lambda: None, methods=["GET"])


@pytest.mark.parametrize("route", [route for route in PAGES if route.startswith("GET")])
def test_a_page_needs_a_sign_in(empty_portal: PortalClient, route: str) -> None:
    path = route.removeprefix("GET ").format(reference="x", number=1, name="x", key="x", run_uuid="x")

    page = empty_portal.page(path, as_=None)
    document = empty_portal.call("GET", path, as_=None)

    assert (page.status_code, page.headers["location"].partition("?")[0]) == (303, "/sign-in")
    assert document.status_code == 401


def test_signing_in_returns_to_the_page_that_needed_it(portal: PortalClient) -> None:
    asked = portal.page("/datasets?zone=shop", as_=None).headers["location"]
    form = portal.page(asked, as_=None)
    signed_in = portal.sign_in(target="/datasets?zone=shop")

    assert 'value="/datasets?zone=shop"' in form.text
    assert (signed_in.status_code, signed_in.headers["location"]) == (303, "/datasets?zone=shop")
    cookie = signed_in.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", f"Max-Age={int(LIFETIME.total_seconds())}"} <= set(cookie.split("; "))
    assert portal.tokens[Role.PLATFORM_ADMIN] not in cookie
    assert portal.page("/datasets", as_=None).status_code == 200


def test_the_path_to_return_to_stays_encoded(portal: PortalClient) -> None:
    asked = portal.page("/datasets/ds%3A%2F%2Fshop%2Fa%3Fb?at=x", as_=None).headers["location"]

    assert parse_qs(asked.partition("?")[2]) == {"next": ["/datasets/ds%3A%2F%2Fshop%2Fa%3Fb?at=x"]}


def test_a_wrong_token_is_refused(portal: PortalClient) -> None:
    for token in ("", "dpt_wrong", portal.expired_token(), portal.revoked_token()):
        answer = portal.page("/sign-in", as_=None, method="POST", data={"token": token})

        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers
        assert "invalid, has expired, or was revoked" in answer.text


def test_a_session_ends_with_its_token_its_time_and_its_sign_out(portal: PortalClient) -> None:
    portal.sign_in(Role.DATA_STEWARD)
    assert portal.page("/", as_=None).status_code == 200
    portal.catalog.access.revoke_token("data_steward", actor="ann", actor_role="LOCAL", now=portal.moment)
    assert portal.page("/", as_=None).status_code == 303

    portal.sign_in()
    portal.moment += LIFETIME
    assert portal.page("/", as_=None).status_code == 303

    portal.sign_in()
    copied = portal.client.cookies[COOKIE]
    assert portal.page("/", as_=None).status_code == 200
    assert portal.page("/sign-out", as_=None, method="POST", data={}).headers["location"] == "/sign-in"
    assert portal.page("/", as_=None).status_code == 303
    portal.client.cookies.set(COOKIE, copied)
    assert portal.page("/", as_=None).status_code == 303, "a copy of the cookie is worth nothing"


def test_signing_out_ends_one_session_and_forgets_those_that_have_expired(portal: PortalClient) -> None:
    portal.sign_in()
    other = portal.client.cookies[COOKIE]
    portal.sign_in()
    portal.page("/sign-out", as_=None, method="POST", data={})
    assert portal.page("/sign-out", as_=None, method="POST", data={}).status_code == 303, "twice does no harm"
    portal.client.cookies.set(COOKIE, other)
    assert portal.page("/", as_=None).status_code == 200

    portal.moment += LIFETIME
    portal.catalog.access.end_session("another", expires_at=portal.moment + LIFETIME, now=portal.moment)
    with portal.catalog._database.reading() as connection:
        assert connection.execute(select(ENDED_SESSION.c.nonce)).scalars().all() == ["another"]


def test_a_forged_cookie_is_no_session() -> None:
    sessions = Sessions(KEY)
    session, cookie = sessions.open(1, NOW)
    other_token = cookie.replace("1.", "2.", 1)

    assert sessions.read(cookie, NOW) == session
    assert sessions.read(cookie, NOW + LIFETIME) is None
    for forged in (
        other_token,
        cookie + "x",
        cookie[:-1],
        "",
        ".",
        "a.b.c.d",
        "\udcff",
        Sessions(b"x").open(1, NOW)[1],
    ):
        assert sessions.read(forged, NOW) is None


def test_a_form_token_is_of_one_session_and_differs_each_time() -> None:
    sessions = Sessions(KEY)
    session, other = sessions.open(1, NOW)[0], sessions.open(1, NOW)[0]
    first, second = sessions.form_token(session), sessions.form_token(session)

    assert first != second
    assert sessions.accepts(session, first)
    assert sessions.accepts(session, second)
    assert not sessions.accepts(other, first)
    assert not any(sessions.accepts(session, text) for text in ("", "x", "ü", first[:-4], first + "AAAA"))


def test_a_form_is_taken_only_with_the_token_of_its_session(forms: PortalClient) -> None:
    forms.sign_in()
    token = field_of(forms.page("/try", as_=None).text)

    taken = forms.page("/try", as_=None, method="POST", data={"form_token": token, "reason": "a b"})
    without = forms.page("/try", as_=None, method="POST", data={"reason": "a b"})
    forms.sign_in()
    stale = forms.page("/try", as_=None, method="POST", data={"form_token": token})

    assert (taken.status_code, taken.text) == (200, "platform_admin {'reason': 'a b'}")
    assert (without.status_code, stale.status_code) == (403, 403)


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ],
)
def test_a_form_of_another_site_is_refused(forms: PortalClient, headers: dict[str, str]) -> None:
    forms.sign_in()
    token = field_of(forms.page("/try", as_=None).text)

    page = forms.page("/try", as_=None, method="POST", data={"form_token": token}, headers=headers)
    signed_in = forms.page(
        "/sign-in", as_=None, method="POST", data={"token": forms.tokens[Role.PLATFORM_ADMIN]}, headers=headers
    )

    assert (page.status_code, signed_in.status_code) == (403, 403)


def test_a_program_sends_a_form_with_its_token_and_its_role_is_checked(forms: PortalClient) -> None:
    assert forms.page("/try", method="POST", data={"x": "1"}).status_code == 200
    assert forms.page("/try", method="POST", data={"x": "1"}, as_=Role.DATA_OWNER).status_code == 403
    assert forms.page("/try", method="POST", json={"x": "1"}).status_code == 415
    assert forms.page("/try", method="POST", data={f"x{n}": "1" for n in range(101)}).status_code == 422


@pytest.mark.parametrize(
    "path", ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", None, "/a\nb"]
)
def test_a_sign_in_never_leads_to_another_site(path: str | None) -> None:
    assert local_path(path) == "/"


def test_a_session_lasts_at_most_a_day() -> None:
    assert timedelta(hours=1) < LIFETIME <= timedelta(days=1)
