"""The server of the protocol: lists the tools that a token's role may use, and calls them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import mcp_types as types
from mcp.server.lowlevel import Server

from data_platform.api.access import PERMISSIONS
from data_platform.mcp_service.route_call import RouteCall, call_route, path_of
from data_platform.mcp_service.schema import body_names, input_schema, path_names
from data_platform.mcp_service.tool import BY_NAME, TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from fastapi import FastAPI
    from mcp.server.context import ServerRequestContext

    from data_platform.mcp_service.route_call import RouteAnswer
    from data_platform.mcp_service.tool import RouteTool
    from data_platform.model.access import Role

INSTRUCTIONS = (
    "A catalog of governed datasets: which version of each is certified, why not more, what it is made of, and what is "
    "wrong. Begin with `search`. Tools that change something are recorded under the name of the access token: ask the "
    "person first."
)


@dataclass(frozen=True)
class Assistant:
    """Who calls: ``token`` is that of each call of the API; ``role`` decides which tools are listed."""

    token: str = field(repr=False)
    role: Role


def build_server(app: FastAPI, assistant_of: Callable[[ServerRequestContext[Any]], Assistant]) -> Server[Any]:
    """``assistant_of`` tells who sent a request. Each call is checked again by the API."""
    document = app.openapi()

    async def list_tools(
        context: ServerRequestContext[Any], _: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        role = assistant_of(context).role
        offered = [tool for tool in TOOLS if role in PERMISSIONS[tool.route]]
        return types.ListToolsResult(tools=[_described(document, tool) for tool in offered])

    async def call_tool(context: ServerRequestContext[Any], asked: types.CallToolRequestParams) -> types.CallToolResult:
        tool, given = BY_NAME.get(asked.name), asked.arguments or {}
        if tool is None:
            return _refused(f"there is no tool {asked.name!r}: expected one of {', '.join(BY_NAME)}")
        if problem := _problem(input_schema(document, tool), given) or _slash(document, tool, given):
            return _refused(problem)
        return _result(await call_route(app, _route_call(document, tool, given, assistant_of(context).token)))

    return Server("data-platform", instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool)


def _described(document: Mapping[str, Any], tool: RouteTool) -> types.Tool:
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=input_schema(document, tool),
        annotations=types.ToolAnnotations(read_only_hint=tool.is_read_only, open_world_hint=False),
    )


def _problem(schema: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    """What is wrong with the names of the arguments; their values are checked by the API."""
    expected = ", ".join(schema["properties"]) or "none"
    unknown = [name for name in given if name not in schema["properties"]]
    missing = [name for name in schema["required"] if given.get(name) in (None, "")]
    if unknown:
        return f"unknown argument {unknown[0]!r}: expected {expected}"
    return f"missing argument {missing[0]!r}: expected {expected}" if missing else ""


def _slash(document: Mapping[str, Any], tool: RouteTool, given: Mapping[str, Any]) -> str:
    """A slash would lead to another route; only names of datasets have one, and their routes expect it."""
    names = path_names(document, tool) - {"reference"}
    wrong = next((name for name in sorted(names) if "/" in str(given[name])), None)
    return f"the argument {wrong!r} has a slash: expected a number or a name without one" if wrong else ""


def _route_call(document: Mapping[str, Any], tool: RouteTool, given: Mapping[str, Any], token: str) -> RouteCall:
    in_path, in_body = path_names(document, tool), body_names(document, tool)
    return RouteCall(
        method=tool.method,
        path=path_of(tool.path, {name: given[name] for name in in_path}),
        query={name: value for name, value in given.items() if name not in in_path | in_body},
        body={name: value for name, value in given.items() if name in in_body} if in_body else None,
        token=token,
    )


def _result(found: RouteAnswer) -> types.CallToolResult:
    if found.is_error:
        return _refused(found.problem)
    structured = found.document if isinstance(found.document, dict) else {"result": found.document}
    text = json.dumps(found.document, ensure_ascii=False)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=structured)


def _refused(problem: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=problem)], is_error=True)
