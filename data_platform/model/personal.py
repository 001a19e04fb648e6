"""Personal values in texts outside rows: names, messages, descriptions. A smaller form of the gate's patterns.

All text that is stored, shown or sent beside the rows is redacted here. It is stricter than the gate, since a number
that is missing in a message does no harm: any ten digits that are grouped as a phone number are redacted. A card number
or an IBAN must have the right check digits, since many numbers are as long. Names and addresses cannot be detected
here. It uses the standard library only, so that the service needs no Spark. Every repetition is bounded: the time is
linear in the text.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from data_platform.model.check_digit import iban, luhn

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from data_platform.model.schema import Schema

_AT = r"(?:@|%(?:25){0,4}40|&(?:amp;){0,4}#64;|\\{1,16}u0040|\uff20)"
"""Encoded signs are longer in a text that was encoded more than once, such as JSON in a text of JSON."""
_CONTACTS = (
    ("EMAIL", re.compile(rf"[\w.%+'-]{{1,64}}{_AT}[\w-]{{1,63}}(?:\.[\w-]{{1,63}}){{1,8}}")),
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
_OCTET = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_KINDS = (
    *_CONTACTS,
    (
        "CREDIT_CARD",
        re.compile(
            r"(?<![^\W_])(?:(?:4\d{3}|5[0-8]\d\d|6\d{3}|2[2-7]\d\d|35\d\d)([ -]?)\d{4}\1\d{4}\1\d{4}"
            r"|3[47]\d\d([ -]?)\d{6}\2\d{5})(?![^\W_])"
        ),
    ),
    ("IBAN", re.compile(r"(?<![^\W_])[A-Za-z]{2}\d\d(?:[ -]?[0-9A-Za-z]{4}){2,7}(?:[ -]?[0-9A-Za-z]{1,3})?(?![^\W_])")),
    (
        "DATE_OF_BIRTH",
        re.compile(
            r"(?i:\bdob|date.of.birth|birth.?da(?:te|y)|\bborn|\bgeboren|geburts(?:datum|tag))[^0-9A-Za-z]{0,6}"
            r"(?:\d{4}[-./]?\d\d[-./]?\d\d|\d{1,2}[-./ ]\d{1,2}[-./ ](?:\d{4}|\d\d))(?!\d)"
        ),
    ),
    # Addresses within a company, of this machine and of every machine are those of servers.
    (
        "IP_ADDRESS",
        re.compile(
            rf"(?<![^\W_])(?<!\.)(?!(?:0|10|127|169\.254|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.)"
            rf"{_OCTET}(?:\.{_OCTET}){{3}}(?![^\W_]|\.\d)"
        ),
    ),
)
CHECKS = {"CREDIT_CARD": luhn, "IBAN": iban}
"""What a match must pass to be redacted."""
PATTERNS = tuple((kind, f"(?U){pattern.pattern}") for kind, pattern in _KINDS)
"""The same patterns for Java: kind and pattern, to be replaced one after the other if the match passes the check."""
_MAY_HOLD = re.compile(r"@|%(?:25){0,4}40|#64;|\\u0040|\uff20|\d{4}|\d\.\d{1,3}\.|(?i:dob|birth|born)")
_IDENTIFIER = re.compile(r"[^\W\d][\w$.-]{0,63}")
_LONG_NUMBER = re.compile(r"\d{5}")
_FIELD = re.compile(r"[<,]([^<>,:]{0,200}):")

Json = TypeVar("Json")


def redacted(text: str) -> str:
    """``text`` with each personal value replaced by ``[REDACTED:<kind>]``. A second call changes nothing more."""
    if not _MAY_HOLD.search(text):
        return text
    for kind, pattern in _KINDS:
        text = pattern.sub(partial(_replacement, kind, CHECKS.get(kind)), text)
    return text


def _replacement(kind: str, check: Callable[[str], bool] | None, match: re.Match[str]) -> str:
    return f"[REDACTED:{kind}]" if check is None or check(match.group()) else match.group()


def redacted_json(value: Json) -> Json:
    """Redacts every text in lists and mappings, and their keys; everything else stays."""
    result: Any = value
    if isinstance(value, str):
        result = redacted(value)
    elif isinstance(value, dict):
        result = {redacted_json(key): redacted_json(item) for key, item in value.items()}
    elif isinstance(value, list | tuple):
        result = type(value)(redacted_json(item) for item in value)
    return cast("Json", result)


def is_like_data(name: str) -> bool:
    """Whether an undeclared name may be a value: it is no identifier, or has a long number or a personal value."""
    return not _IDENTIFIER.fullmatch(name) or bool(_LONG_NUMBER.search(name)) or redacted(name) != name


def shown_names(
    names: Iterable[str], declared: Iterable[str], originals: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Maps each column name to the name to show: the name itself, or the column's position if the name may be a value.

    A file without a header has the values of its first row as names: so if one name may be a value, or no declared
    column is present, no undeclared name is shown. ``originals`` maps a name to the one in the file, if they differ.
    """
    listed, declared_names = list(names), {name.lower() for name in declared}
    undeclared = [name for name in listed if name.lower() not in declared_names]
    original_of = originals or {}
    hidden = any(is_like_data(original_of.get(name, name)) for name in undeclared)
    hidden = hidden or (bool(declared_names) and len(undeclared) == len(listed))
    places = {name: place for place, name in enumerate(listed, start=1)}
    return {name: f"column#{places[name]}" if hidden and name in undeclared else name for name in listed}


def shown_type(kind: str, declared: str | None = None) -> str:
    """A type without the names of undeclared fields that may be values."""
    if kind == declared or "<" not in kind:
        return kind
    if re.search(r"[^\w<>,:(). $-]", kind) or any(is_like_data(name) for name in _FIELD.findall(kind)):
        return kind.split("<")[0] + "<...>"
    return kind


def shown_schema(schema: Schema, declared: Schema, own: Iterable[str] = ()) -> Schema:
    """``schema`` in the form that may be stored and sent; columns ``own`` are the platform's."""
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
