"""Every page and every form, also those that are added later: names, bodies, types, ended sessions, two sign-ins."""

import re
from collections.abc import Iterator
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from data_platform.model.access import Role
from data_platform.model.evidence_key import EvidenceKeys
from data_platform.portal.access import FORM_TOKEN, LARGE_FORMS, PAGES
from data_platform.portal.session import LIFETIME
from data_platform_tests.portal.onboarding_shop import OnboardingShop
from data_platform_tests.portal.portal_client import PortalClient
from data_platform_tests.portal.shop import NOW, fill, shop_policies

NAMES = {
    "HTML, quotes, right to left": "<img src=x onerror=alert(1)>{{7*7}}\"'`;--\u202e\u0645\u0631",
    "500 characters": "ü" * 500,
    "control characters and paths": "../../etc/passwd\x00\x1f\n%00%2e%ff",
}
MARKUP = next(iter(NAMES.values()))
FILTERS = ("q", "dataset", "state", "owner", "team", "zone", "tier", "day", "gate", "verdict", "at", "column",
           "threshold", "signature", "incident", "kind", "page", "cursor", "next")  # fmt: skip
FIELDS = ("reason", "comment", "to", "dataset", "gate", "signature", "first", "until", "path", "team", "tier", "bundle",
          "stamp", "email", "time_zone", "description", "rule.1")  # fmt: skip
GETS = [route.removeprefix("GET ") for route in PAGES if route.startswith("GET")]
POSTS = [route.removeprefix("POST ") for route in PAGES if route.startswith("POST")]


@pytest.fixture(scope="module")
def portal(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PortalClient]:
    folder = tmp_path_factory.mktemp("hostile")
    url, keys = f"sqlite:///{folder / 'catalog.db'}", EvidenceKeys(folder / "evidence.key")
    desk = OnboardingShop(folder / "onboarding").desk
    policies = shop_policies(folder)
    with PortalClient(url, policies=policies, moment=NOW, evidence_keys=keys, onboarding_desk=desk) as opened:
        fill(url, folder)
        yield opened


def path_of(route: str, name: str) -> str:
    return re.sub(r"\{\w+\}", quote(name, safe=""), route)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("route", GETS)
def test_no_name_breaks_a_page(portal: PortalClient, route: str, name: str) -> None:
    filters = FILTERS if name == MARKUP and "{" not in route else ()

    for path, params in ((path_of(route, name), {}), *((route, {one: name}) for one in filters)):
        page = portal.page(path, params=params)

        assert page.status_code in (200, 400, 404, 422), (path, params, page.text)
        assert "<img src=x" not in page.text
        assert "traceback" not in page.text.lower()


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@pytest.mark.parametrize("route", POSTS)
def test_no_value_breaks_a_form(portal: PortalClient, route: str, name: str) -> None:
    fields = dict.fromkeys(FIELDS, name)

    for target in {path_of(route, name), path_of(route, "1")}:
        answer = portal.page(target, method="POST", data=fields)

        assert answer.status_code in (303, 400, 404, 409, 422), (target, answer.text)
        assert "<img src=x" not in answer.text


@pytest.mark.parametrize("route", POSTS)
def test_a_body_that_is_no_form_of_ours_is_refused_before_anything_is_done(portal: PortalClient, route: str) -> None:
    path, most = path_of(route, "1"), LARGE_FORMS.get(f"POST {route}", 65_536)

    answers = {
        413: portal.page(path, method="POST", data={"reason": "x" * 10_000_000}),
        415: portal.page(path, method="POST", json={"reason": "x"}),
    }
    multipart = portal.page(path, method="POST", files={"file": ("a.csv", b"x" * (most // 2))})

    assert {status: answer.status_code for status, answer in answers.items()} == {413: 413, 415: 415}
    assert multipart.status_code == 415
    assert all('class="card error"' in answer.text for answer in answers.values())


@pytest.mark.parametrize("route", POSTS)
def test_a_form_of_an_ended_session_or_an_earlier_sign_in_changes_nothing(portal: PortalClient, route: str) -> None:
    path, page = path_of(route, "1"), f"http://testserver{path_of(route, '1')}?a=b"
    portal.client.cookies.clear()
    portal.sign_in()
    old = re.search(rf'name="{FORM_TOKEN}" value="([^"]+)"', portal.page("/waivers", as_=None).text)
    assert old
    portal.sign_in()

    earlier = portal.page(path, as_=None, method="POST", data={FORM_TOKEN: old[1]})
    portal.moment += LIFETIME
    ended = portal.page(path, as_=None, method="POST", data={FORM_TOKEN: old[1]}, headers={"Referer": page})
    portal.moment = NOW
    foreign = portal.page(path, as_=None, method="POST", data={}, headers={"Referer": "https://evil.example/x"})
    portal.client.cookies.clear()

    assert (earlier.status_code, "open the page again" in earlier.text) == (403, True)
    target = urlsplit(ended.headers["location"])
    assert (ended.status_code, target.path) == (303, "/sign-in")
    assert parse_qs(target.query)["next"] == [page.removeprefix("http://testserver")]
    assert "what you sent was not stored" in portal.page(ended.headers["location"], as_=None).text
    assert foreign.status_code == 403


def test_a_role_that_was_taken_away_between_the_page_and_its_form_decides(portal: PortalClient) -> None:
    portal.tokens[Role.DATA_STEWARD] = portal.token("leaving", Role.DATA_STEWARD)
    portal.client.cookies.clear()
    portal.sign_in(Role.DATA_STEWARD)
    found = re.search(rf'name="{FORM_TOKEN}" value="([^"]+)"', portal.page("/waivers", as_=None).text)
    assert found
    portal.catalog.access.revoke_token("leaving", actor="ann", actor_role="LOCAL", now=NOW)

    answer = portal.page("/waivers", as_=None, method="POST", data={FORM_TOKEN: found[1], "dataset": "shop/orders"})

    assert (answer.status_code, urlsplit(answer.headers["location"]).path) == (303, "/sign-in")
    assert portal.catalog.waivers.find(now=NOW) == ()
