"""What lies within a nested type, by the paths that a PII rule may name: ``contact.email``, ``emails.element``.

Types are Spark SQL's own text (``struct<email:string>``), as ``schema`` has them; Spark is not needed to read them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_NESTED = ("struct<", "array<", "map<")


def paths_to_text(name: str, kind: str) -> Iterator[str]:
    """``name``, and every path below it, that is a text or has one within."""
    inner = [path for step, part in _parts(kind) for path in paths_to_text(f"{name}.{step}", part)]
    if kind == "string" or inner:
        yield name
        yield from inner


def _parts(kind: str) -> list[tuple[str, str]]:
    if not kind.startswith(_NESTED) or not kind.endswith(">"):
        return []
    word, _, rest = kind.partition("<")
    items = _split(rest[:-1])
    if word == "struct":
        return [(name.strip("`"), part) for name, _, part in (item.partition(":") for item in items)]
    return list(zip(("element",) if word == "array" else ("key", "value"), items, strict=False))


def _split(text: str) -> list[str]:
    """At the commas that stand in no bracket."""
    items, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        depth += (sign in "<(") - (sign in ">)")
        if sign == "," and not depth:
            items.append(text[start:at])
            start = at + 1
    return [*items, text[start:]]
