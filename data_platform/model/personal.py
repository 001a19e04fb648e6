"""Personal values in texts that are no rows: names, messages, descriptions. A light cousin of the gate's patterns.

What is stored, shown or sent beside the rows goes through here. It is stricter than the gate, since nobody misses a
number in a message: any spelling of ten digits that is grouped as a phone number goes. Standard library only, so that
the service can read it without Spark. Every repeat is bounded: no text takes more than linear time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from data_platform.model.schema import Schema

_KINDS = (
    ("EMAIL", re.compile(r"[\w.%+'-]{1,64}(?:@|%40|&#64;|\\u0040|\uff20)[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")),
    ("SSN", re.compile(r"(?<![^\W_]|-)(?!000|666)\d{3}([ \-\u2010-\u2015])(?!00)\d{2}\1(?!0000)\d{4}(?![^\W_]|-)")),
    ("SSN", re.compile(r"(?i:ssn|social.?security)\w{0,8}[^0-9A-Za-z]{0,6}\d{9}(?!\w)")),
    (
        "PHONE",
        re.compile(r"(?<![^\W_]|[.-])(?:\+?1[ .-]?)?(?:\([2-9]\d\d\) ?|[2-9]\d\d[ .-])[2-9]\d\d[ .-]?\d{4}(?![^\W_])"),
    ),
    ("PHONE", re.compile(r"\+\d(?:[ ().-]{0,2}\d){6,14}(?!\w)")),
    (
        "PHONE",
        re.compile(
            r"(?i:phone|\btel|mobile|\bcell|\bfax|whatsapp|\bcontact)s?\w{0,8}[^0-9A-Za-z]{0,6}1?[2-9]\d{9}(?!\w)"
        ),
    ),
)
PATTERNS = tuple((kind, f"(?U){pattern.pattern}") for kind, pattern in _KINDS)
"""The same for Java: kind and pattern, to be replaced one after the other."""
_MAY_HOLD = re.compile(r"@|%40|&#64;|\\u0040|\uff20|\d{4}")
_IDENTIFIER = re.compile(r"[^\W\d][\w$.-]{0,63}")
_LONG_NUMBER = re.compile(r"\d{5}")
_FIELD = re.compile(r"[<,]([^<>,:]{0,200}):")

Json = TypeVar("Json")


def redacted(text: str) -> str:
    """``text`` with each personal value as ``[REDACTED:<kind>]``. Doing it twice changes nothing more."""
    if not _MAY_HOLD.search(text):
        return text
    for kind, pattern in _KINDS:
        text = pattern.sub(f"[REDACTED:{kind}]", text)
    return text


def redacted_json(value: Json) -> Json:
    """Every text in lists and mappings, their keys too; everything else stays."""
    found: Any = value
    if isinstance(value, str):
        found = redacted(value)
    elif isinstance(value, dict):
        found = {redacted_json(key): redacted_json(item) for key, item in value.items()}
    elif isinstance(value, list | tuple):
        found = type(value)(redacted_json(item) for item in value)
    return cast("Json", found)


def is_like_data(name: str) -> bool:
    """Whether a name that nobody declared may be a value: no identifier, or with a long number or a personal value."""
    return not _IDENTIFIER.fullmatch(name) or bool(_LONG_NUMBER.search(name)) or redacted(name) != name


def shown_names(
    names: Iterable[str], declared: Iterable[str], originals: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Name of a column to what is shown of it: a declared one as it is, another one by its place if it may be a value.

    A headerless file has the values of its first row for names: so if one name may be a value, or no declared column is
    there, no undeclared name is shown. ``originals`` leads from a name to the one in the file, where it is another.
    """
    listed, known = list(names), {name.lower() for name in declared}
    undeclared = [name for name in listed if name.lower() not in known]
    found = originals or {}
    hidden = any(is_like_data(found.get(name, name)) for name in undeclared)
    hidden = hidden or (bool(known) and len(undeclared) == len(listed))
    places = {name: place for place, name in enumerate(listed, start=1)}
    return {name: f"column#{places[name]}" if hidden and name in undeclared else name for name in listed}


def shown_type(kind: str, declared: str | None = None) -> str:
    """A type without the names of fields that nobody declared and that may be values."""
    if kind == declared or "<" not in kind:
        return kind
    if re.search(r"[^\w<>,:(). $-]", kind) or any(is_like_data(name) for name in _FIELD.findall(kind)):
        return kind.split("<")[0] + "<...>"
    return kind


def shown_schema(schema: Schema, declared: Schema, own: Iterable[str] = ()) -> Schema:
    """``schema`` as it may be stored and sent; columns ``own`` are the platform's."""
    from data_platform.model.schema import Column, Schema

    names = shown_names((c.name for c in schema.columns if c.name not in set(own)), declared.names)
    return Schema.of(
        Column(
            name=names.get(c.name, c.name),
            type=shown_type(c.type, was.type if (was := declared.get(c.name)) else None),
            nullable=c.nullable,
        )
        for c in schema.columns
    )
