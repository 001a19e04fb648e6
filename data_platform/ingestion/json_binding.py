"""The columns of a table to which the names in JSON objects belong."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from data_platform.ingestion.delimited import Record, delta_name
from data_platform.ingestion.header_doubt import plain

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from data_platform.ingestion.jsonlines import JsonRecord

_LAYOUTS = 100
"""Orders of names in a JSON object that are remembered as bound; most files have one."""


class JsonBinding:
    """``found`` are names in the first lines of the file, ``columns`` those that are asked for."""

    def __init__(self, found: Iterable[str], columns: Sequence[str]) -> None:
        self._width = len(columns)
        self._places = {name.lower(): -place for place, name in enumerate(found, start=1)}  # there, and not asked for
        self._places |= {plain(name): place for place, name in enumerate(columns)}
        self._places |= {name.lower(): place for place, name in enumerate(columns)}
        self._known: dict[str, int] = {}
        self._why_not = lru_cache(_LAYOUTS)(self._unbound)

    def place_of(self, name: str) -> int | None:
        """The place among the columns; below 0, if nobody asks for it; None, if nobody knows it."""
        place = self._known.get(name)
        if place is None:
            place = self._places.get(delta_name(name).lower(), self._places.get(plain(name)))
            if place is not None:
                self._known[name] = place
        return place

    def bound(self, record: JsonRecord) -> Record:
        """``record`` with its values in the order of the columns, or malformed."""
        reason = record.malformed or self._why_not(tuple(record.values))
        if reason:
            return Record(record.line, (), record.raw, reason)
        values: list[str | None] = [None] * self._width
        for name, value in record.values.items():
            if (place := self._known[name]) >= 0:
                values[place] = value
        return Record(record.line, tuple(values), record.raw)

    def _unbound(self, names: Iterable[str]) -> str:
        """Why these names cannot all be given a place, or nothing."""
        taken = set()
        for name in names:
            place = self.place_of(name)
            if place is None:
                return "a name that is neither declared nor in the first lines of the file"
            if place in taken:
                return "two names are one column name"
            taken.add(place)
        return ""
