"""One record of a text file, and the record that stands for the part of a file that could not be read."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from data_platform.ingestion.error_place import line_and_reason

if TYPE_CHECKING:
    from data_platform.errors import SourceError

REST_UNREAD = "nothing from here on was read"
"""The end of the reason in the record of an unreadable rest.

The number of lost rows is unknown, so no share of good rows can compensate for it.
"""


class Record(NamedTuple):  # a million instances of a dataclass take twice as long to create
    """One record; ``line`` counts from 1 at the first line of the file, and ``raw`` is the text without its line end.
    ``values`` are in the order of the file's columns, None where empty. A malformed record has no values; its reason
    ``malformed`` contains no value of the data.
    """

    line: int
    values: tuple[str | None, ...]
    raw: str
    malformed: str = ""


def unread_rest(error: SourceError, file: str) -> Record:
    """The malformed record that stands for all records from the place of ``error`` on."""
    line, reason = line_and_reason(error, file)
    return Record(line or 1, (), "", f"{reason.rstrip('.')}; {REST_UNREAD}")
