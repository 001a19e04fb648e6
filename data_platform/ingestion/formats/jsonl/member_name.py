"""Collects the names of the members in the first lines of a JSON lines file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.ingestion.formats.column_name import normal_name
from data_platform.model.delta_name import delta_name

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.model.schema import Schema


class MemberNames:
    """``undeclared`` maps the Delta name, in lower case, to the name; only of objects that also have a declared name.

    An object without a declared name, such as a trailer, adds no column to the table.
    """

    def __init__(self, declared: Schema) -> None:
        self._declared = {form for name in declared.names for form in (name.lower(), normal_name(name))}
        self.undeclared: dict[str, str] = {}
        self.has_lines = self._has_declared = self._has_foreign_object = False

    @property
    def are_all_undeclared(self) -> bool:
        return self._has_foreign_object and not self._has_declared

    def add(self, names: Iterable[str]) -> None:
        """Adds the names of one object."""
        keys = {delta_name(name).lower(): name for name in names}
        new = {
            key: name
            for key, name in keys.items()
            if key not in self._declared and normal_name(name) not in self._declared
        }
        self.has_lines = True
        if self._declared and keys and len(new) == len(keys):
            self._has_foreign_object = True
            return
        self._has_declared = True
        for key, name in new.items():
            if name.strip() and name.isprintable():
                self.undeclared.setdefault(key, name)
