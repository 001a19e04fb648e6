"""How the records of a JSON file are laid out: one list, a list inside a document, or one object a line."""

from __future__ import annotations

import json
from json.decoder import WHITESPACE, scanstring  # type: ignore[attr-defined]

from data_platform.errors import UsageError

_DEEPEST = 4
_DECODER = json.JSONDecoder()


def json_source(head: bytes, file: str) -> dict[str, str]:
    """The keys of ``source`` for a ``.json`` file that begins with ``head``; none, if it is one list of objects.

    Raises:
        UsageError: The file has no list of objects.
    """
    text = head.decode("utf-8-sig", errors="replace").lstrip()
    if not text or text.startswith("["):
        return {}
    if _is_object(text.splitlines()[0]) and _begins_object(text):
        return {"format": "jsonl", "files": "*.json"}
    if path := _path_to_list(text, 0):
        return {"record_path": ".".join(path)}
    raise UsageError(
        f"{file}: it is neither a list of objects, nor one object a line, nor an object with a list of objects near its"
        " beginning: ask for JSON lines"
    )


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except ValueError:
        return False


def _begins_object(text: str) -> bool:
    """Whether the text behind the first line, if there is any, begins with an object too."""
    _, _, rest = text.partition("\n")
    return rest.lstrip()[:1] == "{" or (not rest.strip() and not _path_to_list(text, 0))


def _path_to_list(text: str, at: int, depth: int = 0) -> tuple[str, ...]:
    """The names that lead from the object at ``at`` to the first list of objects in it; empty, if there is none."""
    try:
        at = _next(text, at + 1)
        while text[at] != "}":
            name, at = scanstring(text, at + 1)
            at = _next(text, _next(text, at) + 1)
            if text[at] == "[" and text[_next(text, at + 1)] == "{":
                return (name,)
            if text[at] == "{" and depth < _DEEPEST and (inner := _path_to_list(text, at, depth + 1)):
                return (name, *inner)
            _, at = _DECODER.raw_decode(text, at)
            at = _next(text, at)
            at = _next(text, at + 1) if text[at] == "," else at
    except (ValueError, IndexError, RecursionError):  # the head ends here, or it is not JSON
        return ()
    return ()


def _next(text: str, at: int) -> int:
    return int(WHITESPACE.match(text, at).end())
