"""The arguments of a tool as a JSON Schema, from the API's OpenAPI document: there is one description of each route."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.mcp_service.tool import RouteTool

_REFERENCE = "#/components/schemas/"


def input_schema(document: Mapping[str, Any], tool: RouteTool) -> dict[str, Any]:
    """Parameters of the path, the query and the fields of the body, all by name; their names never collide."""
    operation = _operation(document, tool)
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in operation.get("parameters", ()):
        found = _resolved(document, parameter["schema"])
        if description := parameter.get("description"):
            found = {**found, "description": description}
        properties[parameter["name"]] = found
        required += [parameter["name"]] if parameter.get("required") else []
    body = _body(document, operation)
    properties |= {name: _resolved(document, field) for name, field in body.get("properties", {}).items()}
    required += body.get("required", [])
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def path_names(document: Mapping[str, Any], tool: RouteTool) -> set[str]:
    return {one["name"] for one in _operation(document, tool).get("parameters", ()) if one["in"] == "path"}


def body_names(document: Mapping[str, Any], tool: RouteTool) -> set[str]:
    return set(_body(document, _operation(document, tool)).get("properties", {}))


def _operation(document: Mapping[str, Any], tool: RouteTool) -> Mapping[str, Any]:
    found: Mapping[str, Any] = document["paths"][tool.path][tool.method.lower()]
    return found


def _body(document: Mapping[str, Any], operation: Mapping[str, Any]) -> Mapping[str, Any]:
    content = operation.get("requestBody", {}).get("content", {})
    schema: Mapping[str, Any] = content.get("application/json", {}).get("schema", {})
    return _resolved(document, schema)


def _resolved(document: Mapping[str, Any], schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with what it refers to in place, and without titles, which only repeat names."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REFERENCE)
        return {**_resolved(document, document["components"]["schemas"][name]), **_without(schema, "$ref")}
    found: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "title" and isinstance(value, str):
            continue
        if isinstance(value, dict):
            found[key] = _resolved(document, value)
        elif isinstance(value, list):
            found[key] = [_resolved(document, one) if isinstance(one, dict) else one for one in value]
        else:
            found[key] = value
    return found


def _without(schema: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in schema.items() if key not in (name, "title")}
