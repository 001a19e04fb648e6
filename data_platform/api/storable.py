"""Refuses values that no store can keep, with the name of the field: NUL, lone surrogates, huge numbers.

PostgreSQL accepts no NUL in text, no store accepts half of a surrogate pair, and both keep numbers of 64 bits. Without
this check a caller could cause a 500. OpenLineage events are not checked here: ``catalog.lineage.event`` reads them
leniently.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from data_platform.errors import InputError

if TYPE_CHECKING:
    from fastapi import Request

_UNSTORABLE = re.compile(r"[\x00\ud800-\udfff]")
_MOST, _LEAST = 2**63 - 1, -(2**63)
_FIELD_CHARACTERS = 100


def check_parameters(request: Request) -> None:
    """Raises: InputError, if a part of the path or a query parameter has a value that no store can keep."""
    for name, value in (*request.path_params.items(), *request.query_params.multi_items()):
        _check_text(name, "a query parameter")
        if isinstance(value, str):
            _check_text(value, _shown(name))


def check_document(raw: bytes) -> None:
    """Raises: InputError, if a JSON body has a value that no store can keep. Other bodies are refused when parsed."""
    try:
        document = json.loads(raw)
    except (ValueError, RecursionError):  # the parser reports what is wrong
        return
    waiting: list[tuple[str, Any]] = [("", document)]
    while waiting:
        field, value = waiting.pop()
        if isinstance(value, dict):
            for name in value:
                _check_text(name, f"{field}: a key")
            waiting += [(f"{field}.{_shown(name)}".lstrip("."), inner) for name, inner in value.items()]
        elif isinstance(value, list):
            waiting += [(f"{field}[{place}]", inner) for place, inner in enumerate(value)]
        elif isinstance(value, str):
            _check_text(value, field)
        elif isinstance(value, int) and not _LEAST <= value <= _MOST:
            raise InputError(field, "the number has more than 64 bits")


def _check_text(text: str, field: str) -> None:
    if _UNSTORABLE.search(text):
        raise InputError(field, "contains a NUL character or half of a surrogate pair, which cannot be stored")


def _shown(name: str) -> str:
    return name if len(name) <= _FIELD_CHARACTERS else f"{name[:_FIELD_CHARACTERS]}…"
