"""An assistant has the roles, the hidden fields and the log of the API: its tools are the API's routes."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from data_platform.api.access import PERMISSIONS
from data_platform.api.application import build
from data_platform.catalog import Catalog, open_catalog
from data_platform.mcp_service import server as server_module
from data_platform.mcp_service.schema import input_schema
from data_platform.mcp_service.server import build_server
from data_platform.mcp_service.tool import TOOLS
from data_platform.model.access import Role
from data_platform_tests.api.served import LIMITS
from data_platform_tests.catalog.incident.example_finding import finding, group, look
from data_platform_tests.catalog.template import copy_filled
from data_platform_tests.portal.shop import NOW, ORDERS, TODAY, record_shop

WRITES = {"acknowledge_incident", "resolve_incident", "assign_quarantine", "replay_quarantine", "discard_quarantine",
          "request_release"}  # fmt: skip


@dataclass
class Assistant:
    """An assistant whose access token has a role."""

    url: str
    tokens: dict[Role, str]

    def tools(self, role: Role) -> list[Any]:
        async def ask(client: Client) -> list[Any]:
            return list((await client.list_tools()).tools)

        return list(self.asked(role, ask))

    def call(self, name: str, *, as_: Role = Role.PLATFORM_ADMIN, **arguments: Any) -> Any:
        async def ask(client: Client) -> Any:
            return await client.call_tool(name, arguments)

        return self.asked(as_, ask)

    def read(self, name: str, *, as_: Role = Role.PLATFORM_ADMIN, **arguments: Any) -> Any:
        found = self.call(name, as_=as_, **arguments)
        assert not found.is_error, found.content[0].text
        assert json.loads(found.content[0].text) == found.structured_content
        return found.structured_content

    def refused(self, name: str, *, as_: Role = Role.PLATFORM_ADMIN, **arguments: Any) -> str:
        found = self.call(name, as_=as_, **arguments)
        assert found.is_error
        return str(found.content[0].text)

    def asked(self, role: Role, ask: Any) -> Any:
        return anyio.run(self._asked, role, ask)

    async def _asked(self, role: Role, ask: Any) -> Any:
        app = build(open_catalog(self.url), LIMITS, now=lambda: NOW)
        server = build_server(app, lambda _: server_module.Assistant(self.tokens[role], role))
        async with app.router.lifespan_context(app), Client(server) as client:
            return await ask(client)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    copy_filled(tmp_path, record_shop)
    with open_catalog(f"sqlite:///{tmp_path / 'catalog.db'}") as opened:
        look(opened, group(finding(ORDERS), title="orders are late", owner_team="shop"), at=NOW)
        yield opened


@pytest.fixture
def assistant(catalog: Catalog, tmp_path: Path) -> Assistant:
    made = {"actor": "ann", "actor_role": "LOCAL", "now": NOW}
    teams = {Role.DATA_OWNER: ("sales",)}
    tokens = {
        role: catalog.access.create_token(role.lower(), role, teams=teams.get(role, ()), **made)[1]  # type: ignore[arg-type]
        for role in Role
    }
    return Assistant(f"sqlite:///{tmp_path / 'catalog.db'}", tokens)


def test_each_tool_is_a_route_of_the_api_with_its_arguments() -> None:
    document = build(open_catalog_never(), LIMITS).openapi()
    schemas = {tool.name: input_schema(document, tool) for tool in TOOLS}

    assert {tool.route for tool in TOOLS} <= set(PERMISSIONS)
    assert {tool.name for tool in TOOLS if not tool.is_read_only} == WRITES
    assert schemas["why"]["required"] == ["reference"]
    assert set(schemas["resolve_incident"]["properties"]) == {"number", "reason", "comment"}
    assert "EXPECTED" in schemas["resolve_incident"]["properties"]["reason"]["enum"]
    assert "$ref" not in json.dumps(schemas)


def open_catalog_never() -> Any:
    """The document of the API needs no catalog."""
    return None


def test_a_role_is_offered_its_own_tools(assistant: Assistant) -> None:
    for_owner = {tool.name: tool for tool in assistant.tools(Role.DATA_OWNER)}
    for_consumer = {tool.name for tool in assistant.tools(Role.DATA_CONSUMER)}

    assert set(for_owner) == {tool.name for tool in TOOLS}
    assert set(for_owner) - for_consumer == WRITES | {"quarantine", "quarantine_batch"}
    assert for_owner["why"].annotations.read_only_hint
    assert not for_owner["resolve_incident"].annotations.read_only_hint


def test_an_assistant_finds_out_why_a_day_is_held(assistant: Assistant) -> None:
    [hit] = [one for one in assistant.read("search", q="orders")["hits"] if one["full_name"] == ORDERS]
    reference = hit["full_name"]

    assert assistant.read("certified", reference=reference)["version"] == 10
    held = assistant.read("why", reference=reference, partition=str(TODAY))
    assert held["state"] == "HELD"
    assert "INVARIANT:total" in json.dumps(held)
    assert assistant.read("dataset", reference=reference)["dataset"]["full_name"] == ORDERS
    assert assistant.read("impact", reference=reference, stages=False, limit=5)["total"] == 0
    assert assistant.read("lineage", reference=reference, depth=1)
    assert assistant.read("quarantine", closed=True) == {"items": [], "cursor": None}
    assert "incident" in assistant.read("incident", number=1)
    assert assistant.read("rca", number=1)["summary"]


def test_a_consumer_sees_no_address(assistant: Assistant) -> None:
    of_admin = assistant.read("dataset", reference=ORDERS)
    of_consumer = assistant.read("dataset", reference=ORDERS, as_=Role.DATA_CONSUMER)

    assert of_admin["dataset"]["owner_email"] == "shop@example.com"
    assert of_consumer["dataset"]["owner_email"] is None


def test_what_it_changes_is_recorded_under_its_token(assistant: Assistant, catalog: Catalog) -> None:
    assistant.read("acknowledge_incident", number=1, comment="looks at it", as_=Role.DATA_STEWARD)

    last = catalog.incidents.history(1)[-1]
    assert (last.what, last.by, last.text) == ("ACKNOWLEDGED", "data_steward", "looks at it")
    assert "FIXED" in assistant.refused("resolve_incident", number=1, reason="NONSENSE")
    assert assistant.read("resolve_incident", number=1, reason="ACCEPTED")["state"] == "RESOLVED"


def test_a_role_and_a_team_may_do_no_more_than_in_the_api(assistant: Assistant) -> None:
    assert "needs" in assistant.refused("acknowledge_incident", number=1, as_=Role.DATA_CONSUMER)
    assert "may edit datasets of sales" in assistant.refused("acknowledge_incident", number=1, as_=Role.DATA_OWNER)
    assert "needs" in assistant.refused("quarantine", as_=Role.DATA_CONSUMER)


def test_a_revoked_token_ends_at_once(assistant: Assistant, catalog: Catalog) -> None:
    catalog.access.revoke_token("platform_admin", actor="ann", actor_role="LOCAL", now=NOW)

    assert "revoked" in assistant.refused("search", q="orders")


WRONG: list[tuple[str, dict[str, Any], str]] = [
    ("nothing", {}, "there is no tool 'nothing'"),
    ("why", {}, "missing argument 'reference'"),
    ("why", {"reference": ""}, "missing argument 'reference'"),
    ("why", {"reference": ORDERS, "day": "x"}, "unknown argument 'day'"),
    ("why", {"reference": ORDERS, "partition": "yesterday"}, "partition"),
    ("why", {"reference": "ds://shop/nothing"}, "nothing"),
    ("incident", {"number": 77}, "there is no incident 77"),
    ("incident", {"number": "first"}, "number"),
    ("incident", {"number": "1/rca"}, "the argument 'number' has a slash"),
    ("search", {"q": "orders", "limit": 0}, "limit"),
    ("acknowledge_incident", {"number": 1, "comment": "x" * 2001}, "comment"),
    ("quarantine_batch", {"name": "quarantine.x\0"}, "name"),
    ("quarantine_batch", {"name": "quarantine.x/diff"}, "the argument 'name' has a slash"),
]


def test_a_wrong_argument_is_named(assistant: Assistant) -> None:
    async def ask(client: Client) -> list[Any]:
        return [await client.call_tool(tool, arguments) for tool, arguments, _ in WRONG]

    for found, (tool, arguments, problem) in zip(assistant.asked(Role.PLATFORM_ADMIN, ask), WRONG, strict=True):
        assert found.is_error, (tool, arguments)
        assert problem in found.content[0].text, (tool, arguments)
