"""Binds the names in the records of a file to the columns of a table."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from data_platform.ingestion.formats.column_name import normal_name
from data_platform.ingestion.formats.text.record import Record
from data_platform.model.delta_name import delta_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from data_platform.ingestion.formats.text.named_record import NamedRecord

_LAYOUTS = 100
"""Number of name orders of records whose binding is cached; most files have one."""


class NameBinding:
    """``present`` are the names in the first records of the file, ``columns`` the requested ones."""

    def __init__(self, present: Iterable[str], columns: Sequence[str]) -> None:
        self._width = len(columns)
        self._places = {name.lower(): -place for place, name in enumerate(present, start=1)}  # and not requested
        self._places |= {normal_name(name): place for place, name in enumerate(columns)}
        self._places |= {name.lower(): place for place, name in enumerate(columns)}
        self._place_of_name: dict[str, int] = {}
        self._binding_problem = lru_cache(_LAYOUTS)(self._unbound)

    def place_of(self, name: str) -> int | None:
        """The position among the columns; below 0, if the name is not requested; None, if no column has it."""
        place = self._place_of_name.get(name)
        if place is None:
            place = self._places.get(delta_name(name).lower(), self._places.get(normal_name(name)))
            if place is not None:
                self._place_of_name[name] = place
        return place

    def bound(self, record: NamedRecord) -> Record:
        """``record`` with its values in the order of the columns, or marked malformed."""
        reason = record.malformed or self._binding_problem(tuple(record.values))
        if reason:
            return Record(record.line, (), record.raw, reason)
        values: list[str | None] = [None] * self._width
        for name, value in record.values.items():
            if (place := self._place_of_name[name]) >= 0:
                values[place] = value
        return Record(record.line, tuple(values), record.raw)

    def _unbound(self, names: Sequence[str]) -> str:
        """Why these names cannot all be bound to a column; empty, if they can."""
        if not names:
            return "an object without any member"
        taken = set()
        for name in names:
            place = self.place_of(name)
            if place is None:
                return "a name that is neither declared nor in the first lines of the file"
            if place in taken:
                return "two names become one column name"
            taken.add(place)
        return ""
