"""Reads the records of a JSON lines file: one object a line, every number with the digits that the sender wrote.

Values become text, as in a CSV file, so that one contract judges both: an intermediate float would
turn ``0.10`` into ``0.1`` and change an identifier of 20 digits. An object or list inside a record
stays JSON text. This module reads line by line; ``columns`` reads many lines at once.
"""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any

from data_platform.errors import SourceError
from data_platform.ingestion.formats.text.encoding import END_OF_TEXT, MARK_WITHIN, other_encoding
from data_platform.ingestion.formats.text.named_record import NamedRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


_ODD_RETURN = re.compile(rb"\r(?![\r\n]|\Z)")


class _Number(str):
    """The digits of a number as they are in the file."""

    __slots__ = ()


def read_json_records(source: Iterable[bytes], file: str, first: int = 1) -> Iterator[NamedRecord]:
    """Yields every line that is not blank, without a byte-order mark in line 1; ``first`` numbers the first line.

    Raises:
        SourceError: While iterating, when bytes are not valid UTF-8, the encoding of JSON.
    """
    number = first - 1
    for line in source:
        number += 1
        if number == 1 and (other := other_encoding(line, "utf-8")):
            raise SourceError(
                f"{file}:1: not valid UTF-8: its first bytes are {other.upper()}; JSON is in UTF-8, ask for that"
            )
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            raise SourceError(f"{file}:{number}: not valid UTF-8; JSON is in UTF-8, ask for that") from None
        if _is_blank(text):
            continue
        record = parse_record(number, text)
        if record.malformed and "\r" in text:  # old Macs end lines with a carriage return only
            parts = [(place, part) for place, part in enumerate(text.split("\r"), start=number) if not _is_blank(part)]
            yield from (parse_record(place, part) for place, part in parts)
            number += text.count("\r")
        else:
            yield record


def _is_blank(text: str) -> bool:
    return not text.replace(END_OF_TEXT, "").strip()


def has_odd_return(content: bytes) -> bool:
    """Whether a line contains a carriage return, which ends a line if the whole is not JSON; only parsing can decide.

    From there on, one reader must read all lines, or the line numbers would differ.
    """
    return b"\r" in content and _ODD_RETURN.search(content) is not None


def parse_record(number: int, text: str) -> NamedRecord:
    """The record in ``text``, which is malformed unless it is one object whose names differ."""
    try:
        members = _DECODER.decode(text)
        if not isinstance(members, dict):
            reason = "not an object" + (", but a list; expected one object a line" if isinstance(members, list) else "")
            return NamedRecord(number, {}, text, reason)
        return NamedRecord(number, {name: _text(value) for name, value in members.items()}, text)
    except _DuplicateNameError:
        return NamedRecord(number, {}, text, "a name occurs twice in one object")
    except json.JSONDecodeError as error:
        is_joined = text.startswith("\ufeff")
        return NamedRecord(number, {}, text, MARK_WITHIN if is_joined else f"not JSON at character {error.colno}")
    except RecursionError:
        return NamedRecord(number, {}, text, "nested too deeply")


class _DuplicateNameError(ValueError):
    """A name occurs twice in one object, so it is unknown which value the sender meant."""


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _DuplicateNameError
    return members


# json.loads would create a decoder for every line, which takes as long as parsing the line
_DECODER = json.JSONDecoder(parse_int=_Number, parse_float=_Number, parse_constant=_Number, object_pairs_hook=_members)


def value_text(written: str) -> str | None:
    """The text of the JSON value ``written``. Raises: ValueError: It is not JSON, or has a name twice in an object."""
    return _text(_DECODER.decode(written))


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return None if value is None else str(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    written = io.StringIO()
    _write(value, written)
    return written.getvalue()


def _write(value: Any, target: io.StringIO) -> None:
    """Writes JSON as ``json.dumps`` does, except that numbers keep their digits."""
    if isinstance(value, _Number):
        target.write(value)
    elif isinstance(value, dict):
        target.write("{")
        for position, (name, member) in enumerate(value.items()):
            target.write(("," if position else "") + json.dumps(name, ensure_ascii=False) + ":")
            _write(member, target)
        target.write("}")
    elif isinstance(value, list):
        target.write("[")
        for position, member in enumerate(value):
            target.write("," if position else "")
            _write(member, target)
        target.write("]")
    else:
        target.write(json.dumps(value, ensure_ascii=False))
