"""Finds the list of records in a JSON document: the document itself, or the list at a path of names."""

from __future__ import annotations

import json
from json.decoder import WHITESPACE, scanstring  # type: ignore[attr-defined]
from typing import TYPE_CHECKING, Any

from data_platform.errors import SourceError
from data_platform.ingestion.formats.text.encoding import other_encoding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.ingestion.formats.text.window import Window

SEARCHED_BYTES = 1 << 20
"""The list must begin within these, and the text behind it must not be longer."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DECODER = json.JSONDecoder()
_NAMED = 3
"""Number of names that a message lists."""


def enter_list(window: Window, file: str, path: Sequence[str]) -> None:
    """Takes all bytes up to the first element of the list.

    Raises:
        SourceError: There is no list at ``path``, or the text before it is not JSON.
    """
    head = window.peek(SEARCHED_BYTES)
    if other := other_encoding(head, "utf-8"):
        raise SourceError(
            f"{file}: not valid UTF-8: its first bytes are {other.upper()}; JSON is in UTF-8, ask for that."
        )
    mark = len(_BYTE_ORDER_MARK) if head.startswith(_BYTE_ORDER_MARK) else 0
    text = head[mark:].decode("utf-8", "surrogateescape")
    try:
        place = _list_start(text, path)
    except _NotFoundError as error:
        raise SourceError(f"{file}: {error}") from None
    except (ValueError, IndexError, RecursionError):
        where = f"no list at source.record_path {'.'.join(path)} in its first megabyte" if path else "it is not JSON"
        raise SourceError(f"{file}: {where}. Ask for a JSON list of objects.") from None
    window.take(mark + len(text[:place].encode("utf-8", "surrogateescape")))


def check_rest(window: Window, file: str, path: Sequence[str]) -> None:
    """Checks the text behind the list. Raises: SourceError, if it is not the end of the document."""
    rest = window.peek(SEARCHED_BYTES).strip(b" \t\r\n\x1a")
    window.raise_error()
    try:
        if window.ends_within(SEARCHED_BYTES):
            before = "".join(f"{{{json.dumps(name)}:" for name in path)
            json.loads(f"{before}0{rest.decode()}", object_pairs_hook=_members)
            return
    except (ValueError, RecursionError):
        pass
    raise SourceError(
        f"{file}: the text behind the list of records does not end a JSON document, or has a name twice. Ask again."
    )


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raises: ValueError, if a name occurs twice: the second list of records would be lost."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError
    return members


class _NotFoundError(Exception):
    """The document has no list at the path; the message names what it has."""


def _list_start(text: str, path: Sequence[str]) -> int:
    """The place behind the ``[`` of the list. Raises: ValueError, IndexError: The text is not JSON."""
    at = _blank_end(text, 0)
    for name in path:
        at = _member(text, at, name)
    if text[at] != "[":
        raise _NotFoundError(_other_value(text, at, path))
    return at + 1


def _member(text: str, at: int, wanted: str) -> int:
    """The place of the value of member ``wanted`` in the object at ``at``."""
    if text[at] != "{":
        raise _NotFoundError(f"no object with a member {wanted!r}, which source.record_path names. Ask for it.")
    at, names = _blank_end(text, at + 1), list[str]()
    while text[at] != "}":
        name, at = scanstring(text, at + 1)
        names.append(name)
        at = _blank_end(text, at)
        if text[at] != ":":
            raise ValueError
        at = _blank_end(text, at + 1)
        if name == wanted:
            return at
        _, at = _DECODER.raw_decode(text, at)
        at = _blank_end(text, at)
        if text[at] == ",":
            at = _blank_end(text, at + 1)
    raise _NotFoundError(f"no member {wanted!r}, which source.record_path names. Ask for it, or correct the path.")


def _other_value(text: str, at: int, path: Sequence[str]) -> str:
    if text[at] == "{" and not path:
        return (
            "it is an object, not a list of objects. Name the member with the list in source.record_path, or declare "
            "source.format: jsonl if each line is an object."
        )
    where = f"the value at source.record_path {'.'.join(path)}" if path else "it"
    return f"{where} is not a list. Ask for a JSON list of objects."


def _blank_end(text: str, at: int) -> int:
    return int(WHITESPACE.match(text, at).end())
