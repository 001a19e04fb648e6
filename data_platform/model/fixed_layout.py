"""Where the fields are in the records of a fixed-width file, and which kinds of records it has: ``source.layout``."""

from __future__ import annotations

from enum import StrEnum
from itertools import permutations
from typing import Annotated, Self

from pydantic import Field, model_validator

from data_platform.model.closed import Closed
from data_platform.model.delta_name import delta_name

MAX_RECORD = 32_760
"""The largest record of a mainframe file, in bytes."""


class Align(StrEnum):
    LEFT = "left"
    RIGHT = "right"


class Sign(StrEnum):
    """Where a number has its sign; an ``overpunch`` is in its last digit, as COBOL writes it: ``{`` is +0, ``J`` -1."""

    LEADING = "leading"
    TRAILING = "trailing"
    OVERPUNCH = "overpunch"


class Positions(StrEnum):
    CHARACTERS = "characters"
    BYTES = "bytes"


class FieldPlace(Closed):
    """One field: ``length`` characters from ``start``, which counts from 1. Blanks around a value are not part of it.

    Another ``pad`` than a blank is removed on the side that ``align`` leaves free. With ``decimals`` the field has only
    digits, and the last ``decimals`` of them are behind the decimal point, which is not written.
    """

    start: int = Field(ge=1, le=MAX_RECORD)
    length: int = Field(ge=1, le=MAX_RECORD)
    decimals: int | None = Field(default=None, ge=0, le=38)
    sign: Sign | None = None
    align: Align | None = None
    pad: str = Field(default=" ", min_length=1, max_length=1)

    @property
    def end(self) -> int:
        """The position of its last character."""
        return self.start + self.length - 1

    @property
    def is_number(self) -> bool:
        return self.decimals is not None or self.sign is not None

    @model_validator(mode="after")
    def _has_a_side_for_its_pad(self) -> Self:
        if self.pad != " " and self.align is None:
            raise ValueError(
                f"pad {self.pad!r} needs align: left or right, or a {self.pad!r} at the wrong end of a value is lost"
            )
        return self


class ControlRecord(Closed):
    """A record that is not a row: a header at the beginning of a file, or a trailer at its end.

    It has ``literal`` at ``layout.kind_start``. ``count`` is the field with the number of rows, and ``counts_also`` is
    how many other records it includes; ``totals`` maps a column to the field with its sum.
    """

    literal: str = Field(min_length=1)
    count: FieldPlace | None = None
    totals: dict[str, FieldPlace] = Field(default_factory=dict)
    counts_also: int = Field(default=0, ge=0)

    @property
    def end(self) -> int:
        """The position of the last character that is read of it, beyond its literal."""
        places = [*self.totals.values(), *([self.count] if self.count else [])]
        return max((place.end for place in places), default=0)


class FixedLayout(Closed):
    """The layout of a file whose records have their fields at fixed positions, and no column names.

    ``length`` is that of a record; by default a record ends with its last field. A file without line ends declares
    ``record_bytes`` instead. Positions count characters; with ``positions: bytes``, or with ``record_bytes``, they
    count bytes. Where a file has records of several kinds, ``kind_start`` is the position of the literal that names the
    kind, ``detail`` is the literal of a row; ``header`` and ``trailer`` are the other kinds. ``trimmed`` declares that
    the sender removes blanks from the end of a record, so that a short one is whole.
    """

    fields: Annotated[dict[str, FieldPlace], Field(min_length=1)]
    length: int | None = Field(default=None, ge=1, le=MAX_RECORD)
    record_bytes: int | None = Field(default=None, ge=1, le=MAX_RECORD)
    positions: Positions = Positions.CHARACTERS
    trimmed: bool = False
    kind_start: int | None = Field(default=None, ge=1, le=MAX_RECORD)
    detail: str = ""
    header: ControlRecord | None = None
    trailer: ControlRecord | None = None

    @property
    def record_length(self) -> int:
        return self.record_bytes or self.length or max(place.end for place in self.fields.values())

    @property
    def counts_bytes(self) -> bool:
        return self.record_bytes is not None or self.positions is Positions.BYTES

    @property
    def control_records(self) -> dict[str, ControlRecord]:
        """The declared header and trailer by their key."""
        both = {"header": self.header, "trailer": self.trailer}
        return {name: record for name, record in both.items() if record is not None}

    @model_validator(mode="after")
    def _has_fields_within_its_records(self) -> Self:
        if self.record_bytes and (self.length or self.trimmed):
            raise ValueError("record_bytes is the length of every record, so length and trimmed have no effect")
        beyond = [name for name, place in self.fields.items() if place.end > self.record_length]
        if beyond:
            raise ValueError(f"{', '.join(beyond)}: ends behind the record, whose length is {self.record_length}")
        if self.record_bytes and (long := [k for k, r in self.control_records.items() if r.end > self.record_length]):
            raise ValueError(f"{', '.join(long)}: has a field behind the record, whose length is {self.record_length}")
        return self

    @model_validator(mode="after")
    def _has_names_of_columns(self) -> Self:
        wrong = [name for name in self.fields if not name.strip() or delta_name(name) != name]
        if wrong:
            raise ValueError(f"{', '.join(map(repr, wrong))} cannot be the name of a column; use letters, digits and _")
        lower = [name.lower() for name in self.fields]
        if twice := sorted({name for name in self.fields if lower.count(name.lower()) > 1}):
            raise ValueError(f"{', '.join(twice)}: columns whose names differ only in case")
        return self

    @model_validator(mode="after")
    def _has_kinds_that_differ(self) -> Self:
        kinds = {name: record.literal for name, record in self.control_records.items()}
        kinds |= {"detail": self.detail} if self.detail else {}
        if kinds and self.kind_start is None:
            raise ValueError(f"{', '.join(kinds)}: kind_start is missing, the position of the literal in every record")
        if self.kind_start and not kinds:
            raise ValueError("kind_start has no effect without detail, header or trailer")
        same = [one for one, other in permutations(kinds, 2) if kinds[other].startswith(kinds[one])]
        if same:
            raise ValueError(f"{', '.join(same)}: the literal of one kind of record begins that of another")
        return self
