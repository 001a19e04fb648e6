"""What profiling measured of one column, as ``baseline.json`` keeps it.

No value of a column in which personal data was found is here, nor of a text column that does not hold codes: of those
there are only forms (``form``), lengths and counts.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from data_platform.model.closed import Closed

Share = Annotated[float, Field(ge=0, le=1)]


class FieldProfile(Closed):
    """``distinct`` is an estimate. ``min``, ``max``, ``mean``, ``stddev`` and ``quantiles`` are those of numbers.

    ``first`` and ``last`` are the range of dates and times. ``codes`` maps each value of a column of codes to its
    share. ``forms`` maps the most frequent forms to their shares: # is a digit, A a capital, a another letter.
    ``shortest`` and ``longest`` are in characters. ``personal`` are the kinds of personal data that were found.
    """

    values: int = Field(ge=0)
    distinct: float = Field(ge=0)
    min: float | None = None
    max: float | None = None
    mean: float | None = None
    stddev: float | None = None
    quantiles: dict[str, float] = Field(default_factory=dict)
    first: str | None = None
    last: str | None = None
    codes: dict[str, Share] = Field(default_factory=dict)
    forms: dict[str, Share] = Field(default_factory=dict)
    shortest: int | None = None
    longest: int | None = None
    personal: tuple[str, ...] = ()
