"""Over HTTP an assistant needs an access token with each request, and has the tools of its role."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from data_platform.api.application import build
from data_platform.catalog import open_catalog
from data_platform.mcp_service.http import add_tools
from data_platform.model.access import Role
from data_platform_tests.api.served import LIMITS, serving
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.portal.shop import NOW, ORDERS, fill

HEADERS = {"Accept": "application/json, text/event-stream"}


class Service:
    def __init__(self, url: str, tokens: dict[Role, str]) -> None:
        self.url, self.tokens = url, tokens

    def post(self, method: str, *, as_: Role | None = Role.DATA_STEWARD, headers: Any = (), **params: Any) -> Any:
        token = {"Authorization": f"Bearer {self.tokens[as_]}"} if as_ else {}
        document = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return httpx.post(f"{self.url}/mcp", json=document, headers={**HEADERS, **token, **dict(headers)})

    def tools(self, role: Role) -> set[str]:
        return {tool["name"] for tool in self.post("tools/list", as_=role).json()["result"]["tools"]}

    def call(self, tool: str, *, as_: Role, **arguments: Any) -> Any:
        return self.post("tools/call", as_=as_, name=tool, arguments=arguments).json()["result"]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("mcp")
    url = f"sqlite:///{folder / 'catalog.db'}"
    copy_template(folder / "catalog.db")
    fill(url, folder)
    with open_catalog(url) as catalog:
        given = {"actor": "ann", "actor_role": "LOCAL", "now": NOW}
        tokens = {role: catalog.access.create_token(role.lower(), role, **given)[1] for role in Role}
        app = build(catalog, LIMITS, now=lambda: NOW)
        add_tools(app)
        with serving(app) as address:
            yield Service(address, tokens)


def test_a_client_is_greeted_and_reads_what_its_role_may_see(service: Service) -> None:
    client = {"name": "test", "version": "1"}
    greeting = service.post("initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client).json()
    found = service.call("dataset", as_=Role.DATA_STEWARD, reference=ORDERS)
    hidden = service.call("dataset", as_=Role.DATA_CONSUMER, reference=ORDERS)

    assert greeting["result"]["serverInfo"]["name"] == "data-platform"
    assert found["structuredContent"]["dataset"]["owner_email"] == "shop@example.com"
    assert hidden["structuredContent"]["dataset"]["owner_email"] is None


def test_the_role_of_each_request_decides_which_tools_there_are(service: Service) -> None:
    consumer, steward = service.tools(Role.DATA_CONSUMER), service.tools(Role.DATA_STEWARD)
    refused = service.call("discard_quarantine", as_=Role.DATA_CONSUMER, name="x", reason="y")

    assert consumer < steward
    assert "discard_quarantine" not in consumer
    assert refused["isError"]
    assert "needs DATA_OWNER" in refused["content"][0]["text"]


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer dpt_wrong"}, {"Cookie": "data_platform_session=x"}])
def test_a_request_without_a_token_is_refused(service: Service, headers: dict[str, str]) -> None:
    answer = service.post("tools/list", as_=None, headers=headers)

    assert (answer.status_code, answer.headers["content-type"]) == (401, "application/problem+json")
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_a_page_of_another_site_a_large_body_and_other_methods_are_refused(service: Service) -> None:
    foreign = service.post("tools/list", headers={"Origin": "https://evil.example"})
    large = service.post("tools/call", name="search", arguments={"q": "x" * 2_000_000})
    opened = httpx.get(f"{service.url}/mcp", headers={"Authorization": f"Bearer {service.tokens[Role.DATA_STEWARD]}"})

    assert [foreign.status_code, large.status_code, opened.status_code] == [403, 413, 405]
