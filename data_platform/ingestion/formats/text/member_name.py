"""Collects the names of the values in the first records of a file without a header, which are its columns."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.formats.column_name import normal_name
from data_platform.ingestion.formats.protocol import FileColumns
from data_platform.model.delta_name import delta_name
from data_platform.model.schema import Column, Schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from data_platform.ingestion.formats.text.named_record import NamedRecord

PROBED_RECORDS = 1_000
"""A later record is malformed if it has a name that is neither declared nor in these records."""


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

    def columns(self, declared: Schema) -> FileColumns:
        """All declared columns, since any record may omit any of them, and the other names."""
        extra = list(self.undeclared.values())
        names = [*declared.names, *map(delta_name, extra)]
        renamed = {delta_name(name): name for name in extra if delta_name(name) != name}
        return FileColumns(Schema.of(Column(name=name) for name in names), renamed)

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


def first_names(records: Iterator[NamedRecord], file: str, declared: Schema) -> MemberNames:
    """The names in the first of ``records``.

    Raises:
        SourceError: The first record cannot be read, or none has a declared column.
    """
    members = MemberNames(declared)
    try:
        for record in islice(records, PROBED_RECORDS):
            members.add(record.values)
    except SourceError:
        if not members.has_lines:  # otherwise the reader reads the good records and reports the bad one
            raise
    if members.are_all_undeclared:
        raise SourceError(f"{file}: its first records have none of the declared columns. Ask for it with them.")
    return members
