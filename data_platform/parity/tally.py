"""Counts how keys and values compared: Spark groups one row for each key, and one for each of its values, by outcome.

A frame with a column for each measure of each value has some hundred of them, which Spark updates one by one for every
key. Here a value that is equal on both sides, as most are, ends at a filter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.parity.pairing import LEGACY_ROWS, NEW_ROWS
from data_platform.parity.value import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Column, DataFrame

_SEVERAL_IN_LEGACY, _SEVERAL_IN_NEW = 1, 2
_OF_KEYS = -1
"""The position of the row for a key; less by the sum of the numbers above if a side has the key several times."""


@dataclass(frozen=True, kw_only=True)
class Group:
    """The rows of one position and one outcome.

    ``first`` and ``second`` are of a key its rows in legacy and in new, of a value the difference and the relative one.
    """

    position: int
    outcome: int
    rows: int
    known: int  # rows with a ``first``
    first_sum: float | None
    second_sum: float | None
    first_max: float | None
    second_max: float | None


@dataclass(frozen=True)
class Tally:
    """All groups of a comparison; a value that is equal on both sides is in none."""

    groups: tuple[Group, ...]

    def keys(self, outcome: int) -> int:
        return sum(group.rows for group in self._of_keys(outcome))

    def rows(self, outcome: int | None = None) -> tuple[int, int]:
        """Returns the rows in legacy and in new of all keys, or of those with ``outcome``."""
        return _rows(self._of_keys(outcome))

    def several(self, outcome: int) -> tuple[tuple[int, int], tuple[int, int]]:
        """Returns the number of keys that legacy has several times, and their rows there; and the same of new."""
        found = list(self._of_keys(outcome))
        legacy, new = (
            [g for g in found if _OF_KEYS - g.position & side] for side in (_SEVERAL_IN_LEGACY, _SEVERAL_IN_NEW)
        )
        return (sum(g.rows for g in legacy), _rows(legacy)[0]), (sum(g.rows for g in new), _rows(new)[1])

    def values(self, position: int) -> dict[int, int]:
        """Maps an outcome to the number of values at ``position`` that have it."""
        return {group.outcome: group.rows for group in self.groups if group.position == position}

    def differences(self, position: int) -> tuple[float | None, float | None, float | None]:
        """Returns the largest difference at ``position``, the mean one, and the largest relative one."""
        found = [group for group in self.groups if group.position == position]
        known = sum(group.known for group in found)
        mean = sum(group.first_sum or 0 for group in found) / known if known else None
        return _largest(group.first_max for group in found), mean, _largest(group.second_max for group in found)

    def _of_keys(self, outcome: int | None) -> Iterable[Group]:
        return (g for g in self.groups if g.position <= _OF_KEYS and outcome in (None, g.outcome))


def tally(judged: DataFrame, key_outcome: str, values: int) -> Tally:
    """Runs one Spark job on the rows of ``Comparison.judged`` with that many ``values``."""
    from pyspark.sql import functions as F

    lines = [_key_line(key_outcome), *(_value_line(position, judged.columns) for position in range(values))]
    names = ("position", "outcome", "first", "second")
    tall = judged.select(F.stack(F.lit(len(lines)), *(cell for line in lines for cell in line)).alias(*names))
    counted = tall.where((F.col("position") <= _OF_KEYS) | (F.col("outcome") != Outcome.EQUAL.value))
    groups = counted.groupBy("position", "outcome").agg(
        F.count(F.lit(1)).alias("rows"),
        F.count("first").alias("known"),
        F.sum("first").alias("first_sum"),
        F.sum("second").alias("second_sum"),
        F.max("first").alias("first_max"),
        F.max("second").alias("second_max"),
    )
    return Tally(tuple(Group(**row.asDict()) for row in groups.collect()))


def _key_line(key_outcome: str) -> tuple[Column, ...]:
    from pyspark.sql import functions as F

    legacy, new = F.col(LEGACY_ROWS), F.col(NEW_ROWS)
    several = [
        F.when(rows > 1, side).otherwise(0) for rows, side in ((legacy, _SEVERAL_IN_LEGACY), (new, _SEVERAL_IN_NEW))
    ]
    return F.lit(_OF_KEYS) - several[0] - several[1], F.col(key_outcome), legacy.cast("double"), new.cast("double")


def _value_line(position: int, names: list[str]) -> tuple[Column, ...]:
    from pyspark.sql import functions as F

    difference, relative = (
        F.col(name) if name in names else F.lit(None).cast("double") for name in (f"d{position}", f"r{position}")
    )
    return F.lit(position), F.col(f"o{position}"), difference, relative


def _rows(groups: Iterable[Group]) -> tuple[int, int]:
    found = list(groups)
    return int(sum(group.first_sum or 0 for group in found)), int(sum(group.second_sum or 0 for group in found))


def _largest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
