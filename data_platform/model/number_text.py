"""A number with its noun, for messages: ``1 record``, ``2 records``."""

from __future__ import annotations


def number_of(count: int, one: str, many: str = "") -> str:
    """``many`` is the plural; without it ``one`` with an s."""
    return f"{count} {one if count == 1 else many or f'{one}s'}"
