"""The paths within a nested type, as a PII rule may name them: ``contact.email``, ``emails.element``.

Types are Spark SQL's own text (``struct<email:string>``), as in ``schema``; reading them does not need Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NESTED = ("struct<", "array<", "map<")


def paths_to_text(name: str, kind: str) -> Iterator[str]:
    """Yields ``name``, and every path below it, if it is a text or contains one."""
    inner = [path for step, part in parts_of(kind) for path in paths_to_text(f"{name}.{step}", part)]
    if kind == "string" or inner:
        yield name
        yield from inner


def leaves_of(name: str, kind: str) -> Iterator[tuple[str, str]]:
    """Yields the path and the type of each simple value below ``name``, which may be one itself."""
    parts = parts_of(kind)
    if not parts:
        yield name, kind
    for step, part in parts:
        yield from leaves_of(f"{name}.{step}", part)


def parts_of(kind: str) -> list[tuple[str, str]]:
    """The fields of a struct, the ``element`` of an array, the ``key`` and ``value`` of a map, each with its type."""
    if not kind.startswith(_NESTED) or not kind.endswith(">"):
        return []
    kind_name, _, rest = kind.partition("<")
    items = _split(rest[:-1])
    if kind_name == "struct":
        return [(name.strip("`"), part) for name, _, part in (item.partition(":") for item in items)]
    return list(zip(("element",) if kind_name == "array" else ("key", "value"), items, strict=False))


def _split(text: str) -> list[str]:
    """Splits at the commas that are in no bracket."""
    items, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "<(") - (sign in ">)")
        if sign == "," and not depth:
            items.append(text[start:at])
            start = at + 1
    return [*items, text[start:]]
