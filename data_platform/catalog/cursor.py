"""Where a listing goes on: the last row's sort key, in a form that callers hand back and do not read."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from data_platform.errors import InputError

MOST = 1000
"""Rows of a page at most."""
_LARGEST = 2**63 - 1


def encode(*key: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(key, default=str).encode()).decode().rstrip("=")


def decode(cursor: str | None, *kinds: type) -> tuple[Any, ...] | None:
    """The key that ``encode`` was given; None without a cursor.

    Raises:
        InputError: It is not one of ours, or is another listing's.
    """
    if cursor is None:
        return None
    try:
        text = base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
        key = json.loads(text)
    except (ValueError, binascii.Error, RecursionError):
        raise InputError("cursor", "not a cursor of this listing: hand back what the last page gave") from None
    if not isinstance(key, list) or [type(part) for part in key] != list(kinds) or not all(map(_can_be_asked, key)):
        raise InputError("cursor", "a cursor of another listing: hand back what the last page gave")
    return tuple(key)


def _can_be_asked(part: Any) -> bool:
    """A number beyond a BIGINT, or a text that no store keeps, would be the database's error, and is the caller's."""
    if isinstance(part, int):
        return 0 <= part <= _LARGEST
    return not isinstance(part, str) or "\0" not in part


def page_size(limit: int) -> int:
    """Raises: InputError, if it is not within 1 and ``MOST``."""
    if not 1 <= limit <= MOST:
        raise InputError("limit", f"{limit}: expected 1 to {MOST}")
    return limit
