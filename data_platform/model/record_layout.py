"""Records of a text file that are not rows: a line before the header, a trailer with the count and the totals."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from data_platform.model.closed import Closed

Place = Annotated[int, Field(ge=2)]
"""The position of a field in its record, from 1; the first is the prefix."""


class HeaderRecord(Closed):
    """Lines above the line of column names whose first field is ``prefix``, such as ``H`` or ``HDR``.

    ``count`` is the field of the first of them with the number of records, ``totals`` maps a column to the field with
    its sum. ``counts_also`` is how many records the count includes beyond the rows: 1 if the header counts itself.
    """

    prefix: str = Field(min_length=1)
    count: Place | None = None
    totals: dict[str, Place] = Field(default_factory=dict)
    counts_also: int = Field(default=0, ge=0)

    @property
    def has_numbers(self) -> bool:
        return self.count is not None or bool(self.totals)


class Trailer(HeaderRecord):
    """The last record of every file: its first field is ``prefix``, such as ``T`` or ``TRL``.

    Its ``count``, ``totals`` and ``counts_also`` are as those of a header record.
    """
