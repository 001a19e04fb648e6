"""One record of a format whose values have names in the file, before they are bound to columns (``name_binding``)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class NamedRecord:
    """``line`` is its line or number, from 1; a malformed one has no values, and its reason no value of the data."""

    line: int
    values: dict[str, str | None]
    raw: str
    malformed: str = ""
