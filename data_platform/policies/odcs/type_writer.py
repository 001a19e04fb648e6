"""A column's type in the words of a contract: its physical type is Spark's, its logical type the standard's."""

from __future__ import annotations

from typing import Any

from data_platform.model.nested_path import parts_of

LOGICAL = {
    **dict.fromkeys(("tinyint", "smallint", "int", "bigint"), "integer"),
    **dict.fromkeys(("float", "double", "decimal"), "number"),
    **dict.fromkeys(("timestamp", "timestamp_ntz"), "timestamp"),
    "string": "string", "binary": "string", "boolean": "boolean", "date": "date",
    "array": "array", "map": "map", "struct": "object",
}  # fmt: skip
"""The standard has no type for bytes; the physical type is BINARY."""


def written_type(kind: str) -> dict[str, Any]:
    """``kind`` is a type as ``model.schema`` spells it, such as ``array<struct<a:int>>``."""
    outer = kind.split("<")[0].split("(")[0]
    inner = parts_of(kind)
    written: dict[str, Any] = {"physicalType": kind if inner else kind.upper(), "logicalType": LOGICAL[outer]}
    types = {name: written_type(part) for name, part in inner}
    if outer == "struct":
        written["properties"] = [{"name": name, **part} for name, part in types.items()]
    elif outer == "array":
        written["items"] = types["element"]
    elif outer == "map":
        written["map"] = types
    return written
