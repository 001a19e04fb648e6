"""Parses the JSON of events fast where possible, and gives each content one canonical text, whatever its layout."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import orjson

from data_platform.errors import InputError


def parse(body: bytes) -> Any:
    """Raises: InputError, if ``body`` is not one JSON value in UTF-8."""
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return _parse_slowly(body)


def canonical(value: Any) -> str:
    """Serialises with sorted keys and without blanks."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
    except (TypeError, orjson.JSONEncodeError):  # halves of surrogate pairs, and numbers of more than 64 bits
        return json.dumps(value, sort_keys=True, separators=(",", ":"))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def _parse_slowly(body: bytes) -> Any:
    """Python's own parser accepts halves of surrogate pairs, which remain where a producer truncated a text."""
    try:
        return json.loads(body.decode(), parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        raise InputError("", "the body is not UTF-8") from None
    except RecursionError:
        raise InputError("", "the body is nested too deep") from None
    except json.JSONDecodeError as error:
        message = f"the body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}"
        raise InputError("", message) from None


def _refuse_constant(word: str) -> Any:
    raise InputError("", f"the body is not JSON: it holds {word}")
