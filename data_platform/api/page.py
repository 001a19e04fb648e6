"""Listings a page at a time: ``next_cursor`` of one page is the ``cursor`` of the next, and null on the last one."""

import base64
import binascii
from typing import Annotated

from fastapi import Query

from data_platform.errors import InputError

Limit = Annotated[int, Query(ge=1, le=1000, description="Items of a page.")]
Cursor = Annotated[str | None, Query(max_length=500, description="What the page before called next_cursor.")]

_LARGEST = 2**63 - 1


def cursor_of(number: int) -> str:
    """Not a plain number: nobody is to count with it."""
    return base64.urlsafe_b64encode(f"n{number}".encode()).decode().rstrip("=")


def number_of(cursor: str | None) -> int | None:
    """Raises: InputError, if it is no cursor of ours."""
    if cursor is None:
        return None
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        text = ""
    if not text.startswith("n") or not text[1:].isascii() or not text[1:].isdigit() or int(text[1:]) > _LARGEST:
        raise InputError("cursor", "not known: expected the next_cursor of the page before")
    return int(text[1:])
