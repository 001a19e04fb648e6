"""Cursors of listings: the sort key of the last row, encoded as an opaque text that callers return."""

from __future__ import annotations

import base64
import binascii
import json
from typing import Any

from data_platform.errors import InputError

MOST = 1000
"""The most rows of a page."""
_LARGEST = 2**63 - 1


def encode(*key: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(key, default=str).encode()).decode().rstrip("=")


def decode(cursor: str | None, *kinds: type) -> tuple[Any, ...] | None:
    """Returns the key that was passed to ``encode``; None without a cursor.

    Raises:
        InputError: The cursor is not from this catalog, or is another listing's.
    """
    if cursor is None:
        return None
    try:
        text = base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4))
        key = json.loads(text)
    except (ValueError, binascii.Error, RecursionError):
        raise InputError("cursor", "not a cursor of this listing: pass the cursor of the last page") from None
    if not isinstance(key, list) or [type(part) for part in key] != list(kinds) or not all(map(_can_be_queried, key)):
        raise InputError("cursor", "a cursor of another listing: pass the cursor of the last page")
    return tuple(key)


def _can_be_queried(part: Any) -> bool:
    """False for numbers beyond BIGINT and texts that no database stores; these are the caller's error."""
    if isinstance(part, int):
        return 0 <= part <= _LARGEST
    return not isinstance(part, str) or "\0" not in part


def page_size(limit: int) -> int:
    """Raises: InputError, if ``limit`` is not within 1 and ``MOST``."""
    if not 1 <= limit <= MOST:
        raise InputError("limit", f"{limit}: expected 1 to {MOST}")
    return limit
