"""A page of a listing that the catalog returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Page(Generic[T]):
    """A page of a listing; ``cursor`` requests the next one, and is None at the end."""

    items: tuple[T, ...]
    cursor: str | None = None
