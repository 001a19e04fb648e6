"""``data-platform mcp`` speaks the protocol of assistants on standard input and output, and nothing else."""

import json
import sys
from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters

from data_platform.model.access import Role
from data_platform_tests.cli.shop import Shop
from data_platform_tests.portal.shop import NOW

PROGRAM = Path(sys.executable).with_name("data-platform")


@pytest.mark.slow
def test_an_assistant_starts_the_command_and_calls_tools(shop: Shop) -> None:
    with shop.catalog() as catalog:
        _, token = catalog.access.create_token("bot", Role.DATA_CONSUMER, actor="a", actor_role="LOCAL", now=NOW)
    environment = {name: value for name, value in shop.environment.items() if value is not None}
    command = StdioServerParameters(
        command=str(PROGRAM), args=["mcp"], env={**environment, "DATA_PLATFORM_TOKEN": token}
    )

    async def ask() -> tuple[set[str], str]:
        async with Client(command) as client:
            tools = {tool.name for tool in (await client.list_tools()).tools}
            found = await client.call_tool("incidents", {"limit": 5})
            return tools, found.content[0].text  # type: ignore[union-attr]

    tools, text = anyio.run(ask)

    assert {"search", "why", "rca"} <= tools
    assert "acknowledge_incident" not in tools
    assert json.loads(text) == {"items": [], "cursor": None}


@pytest.mark.parametrize(
    ("token", "problem"),
    [
        pytest.param("", "there is no access token", id="none"),
        pytest.param("dpt_x", "is invalid, has expired, or was revoked", id="wrong"),
    ],
)
def test_without_a_valid_token_it_does_not_start(shop: Shop, token: str, problem: str) -> None:
    result = shop.run("mcp", DATA_PLATFORM_TOKEN=token)

    assert result.exit_code == 2
    assert problem in " ".join(result.stderr.split())


def test_the_token_may_be_in_a_file(shop: Shop, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("dpt_x\n")

    result = shop.run("mcp", "--access-token-file", str(tmp_path / "token"))
    missing = shop.run("mcp", "--access-token-file", str(tmp_path / "nothing"))

    assert "is invalid" in result.stderr
    assert (missing.exit_code, "cannot be read" in " ".join(missing.stderr.split())) == (2, True)
