"""Groups both sides by key and counts everything in one aggregation.

The rows of both sides are one frame, shuffled and grouped by key once. So each key is one row, however often it occurs
on either side; NULLs in keys match like any value; and neither side is read twice. Only counts reach the driver.

A full outer join would only work for keys without duplicates: a duplicate multiplies its rows, and a join of NULLs
shuffles by other expressions than the count that must find the duplicates first.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, reduce
from typing import TYPE_CHECKING, Any

from data_platform.parity.report import ColumnParity, Duplicates, RowParity
from data_platform.parity.side import STATE, State
from data_platform.parity.value import FIRST_BEYOND, Outcome, compared

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql import Column, DataFrame

    from data_platform.parity.column import Columns, Pair
    from data_platform.parity.rule import Rules
    from data_platform.parity.side import Side
    from data_platform.parity.value import Compared

KEY_OUTCOME = "found"
"""The column of ``judged`` that has a ``KeyOutcome``."""
_IS_LEGACY, _LEGACY, _NEW = "is_legacy", "legacy", "new"
_LEGACY_ROWS, _NEW_ROWS = "legacy_rows", "new_rows"


class KeyOutcome(IntEnum):
    """The outcome of a key; the first three are for keys that both sides have once."""

    EQUAL = 0
    WITHIN_TOLERANCE = 1
    DIFFERENT = 2
    ONLY_IN_LEGACY = 3
    ONLY_IN_NEW = 4
    DUPLICATED = 5
    UNREADABLE_KEY = 6
    MALFORMED = 7
    REST_UNREAD = 8


_OUTCOME_BY_STATE = {
    State.UNREADABLE_KEY: KeyOutcome.UNREADABLE_KEY,
    State.MALFORMED: KeyOutcome.MALFORMED,
    State.REST_UNREAD: KeyOutcome.REST_UNREAD,
}


@dataclass(frozen=True)
class Counted:
    """``files_cut_off`` are files of the legacy output that cannot be read to their end."""

    rows: RowParity
    columns: tuple[ColumnParity, ...]
    files_cut_off: int


@dataclass(frozen=True)
class Comparison:
    """``personal`` are the lower-case names of columns whose values are never shown."""

    legacy: Side
    new: Side
    columns: Columns
    rules: Rules
    personal: frozenset[str] = frozenset()

    @property
    def keys(self) -> dict[str, Pair]:
        return {f"k{place}": pair for place, pair in enumerate(self.columns.keys)}

    def value_of(self, place: int) -> tuple[Column, Column]:
        """Returns the columns of a value of ``judged`` in legacy and in new."""
        from pyspark.sql import functions as F

        return F.col(_LEGACY)[f"v{place}"], F.col(_NEW)[f"v{place}"]

    @cached_property
    def judged(self) -> DataFrame:
        """One row per key: ``found``, the outcomes ``o0…`` of its values, and their differences ``d0…`` and ``r0…``."""
        from pyspark.sql import functions as F

        once = (F.col(STATE) == State.WHOLE.value) & (F.col(_LEGACY_ROWS) == 1) & (F.col(_NEW_ROWS) == 1)
        outcomes, differences, relatives = {}, {}, {}
        for place, answer in enumerate(self._compared()):
            outcomes[f"o{place}"] = F.when(once, answer.outcome)
            unequal = F.col(f"o{place}").isin(Outcome.WITHIN.value, Outcome.DIFFERENT.value)
            if answer.difference is not None:
                differences[f"d{place}"] = F.when(unequal, answer.difference)
            if answer.larger is not None:
                relatives[f"r{place}"] = F.try_divide(F.col(f"d{place}"), answer.larger)
        rows = self._paired().withColumns(outcomes) if outcomes else self._paired()
        # In this order, so that a difference is computed once, and only for values that are not equal.
        rows = rows.withColumns({**differences, KEY_OUTCOME: self._key_outcome()})
        return rows.withColumns(relatives) if relatives else rows

    def _compared(self) -> Iterator[Compared]:
        from pyspark.sql import functions as F

        for place, pair in enumerate(self.columns.values):
            unreadable = F.col(_LEGACY)[f"u{place}"] if place in self.legacy.unreadable else None
            kind = pair.kind or ""
            yield compared(*self.value_of(place), unreadable, name=pair.name, kind=kind, rules=self.rules)

    def count(self) -> Counted:
        """Runs one Spark job that returns one row of counts."""
        measures = dict(self._measures())
        row = self.judged.agg(*(measure.alias(name) for name, measure in measures.items())).collect()[0].asDict()
        columns = tuple(self._column(place, pair, row) for place, pair in enumerate(self.columns.values))
        return Counted(_rows(row), columns, row[_name(KeyOutcome.REST_UNREAD)] or 0)

    def _paired(self) -> DataFrame:
        from pyspark.sql import functions as F

        by = [*self.keys, STATE]
        flags = [f"u{place}" for place in sorted(self.legacy.unreadable)]
        values = [f"v{place}" for place in range(len(self.columns.values))]
        new = self.new.rows.select("*", *(F.lit(False).alias(flag) for flag in flags))
        sides = [
            rows.select(*by, F.struct(F.lit(is_legacy).alias(_IS_LEGACY), *values, *flags).alias("side"))
            for rows, is_legacy in ((self.legacy.rows, True), (new, False))
        ]
        side = F.col("side")
        is_legacy = side[_IS_LEGACY]
        # Shuffled before the grouping: else Spark would sort each part once more for a useless partial aggregation.
        return sides[0].union(sides[1]).repartition(*by).groupBy(*by).agg(
            F.count_if(is_legacy).alias(_LEGACY_ROWS),
            F.count_if(~is_legacy).alias(_NEW_ROWS),
            F.first(F.when(is_legacy, side), ignorenulls=True).alias(_LEGACY),
            F.first(F.when(~is_legacy, side), ignorenulls=True).alias(_NEW),
        )  # fmt: skip

    def _key_outcome(self) -> Column:
        from pyspark.sql import functions as F

        outcomes = [F.col(f"o{place}") for place in range(len(self.columns.values))]
        beyond = reduce(lambda a, b: a | b, (outcome >= FIRST_BEYOND for outcome in outcomes), F.lit(False))
        within = reduce(lambda a, b: a | b, (o == Outcome.WITHIN.value for o in outcomes), F.lit(False))
        legacy, new = F.col(_LEGACY_ROWS), F.col(_NEW_ROWS)
        outcome = F.when(beyond, _code(KeyOutcome.DIFFERENT)).when(within, _code(KeyOutcome.WITHIN_TOLERANCE))
        outcome = F.when(legacy == 0, _code(KeyOutcome.ONLY_IN_NEW)).otherwise(
            outcome.otherwise(_code(KeyOutcome.EQUAL))
        )
        outcome = F.when(new == 0, _code(KeyOutcome.ONLY_IN_LEGACY)).otherwise(outcome)
        outcome = F.when((legacy > 1) | (new > 1), _code(KeyOutcome.DUPLICATED)).otherwise(outcome)
        for state, means in _OUTCOME_BY_STATE.items():
            outcome = F.when(F.col(STATE) == state.value, _code(means)).otherwise(outcome)
        return outcome

    def _measures(self) -> Iterator[tuple[str, Column]]:
        """Yields the name and aggregate of each measure."""
        from pyspark.sql import functions as F

        legacy, new = F.col(_LEGACY_ROWS), F.col(_NEW_ROWS)
        yield _LEGACY, F.sum(legacy)
        yield _NEW, F.sum(new)
        for outcome in KeyOutcome:
            is_it = F.col(KEY_OUTCOME) == outcome.value
            # Each row without a key counts as one key, though all of them are one group here.
            yield (
                _name(outcome),
                F.sum(F.when(is_it, legacy)) if outcome in _OUTCOME_BY_STATE.values() else F.count_if(is_it),
            )
        for name, rows in ((_LEGACY_ROWS, legacy), (_NEW_ROWS, new)):
            several = (F.col(KEY_OUTCOME) == KeyOutcome.DUPLICATED.value) & (rows > 1)
            yield f"{name} keys", F.count_if(several)
            yield name, F.sum(F.when(several, rows))
        for place in range(len(self.columns.values)):
            yield from self._measures_of(place)

    def _measures_of(self, place: int) -> Iterator[tuple[str, Column]]:
        """Yields the measures of one value, without outcomes that it cannot have."""
        from pyspark.sql import functions as F

        never = {Outcome.EQUAL} if place in self.legacy.unreadable else {Outcome.EQUAL, Outcome.UNREADABLE}
        for outcome in Outcome:
            if outcome not in never:
                yield f"o{place} {outcome.name}", F.count_if(F.col(f"o{place}") == outcome.value)
        present = self.judged.columns
        if f"d{place}" in present:
            yield f"d{place} max", F.max(f"d{place}")
            yield f"d{place} mean", F.avg(f"d{place}")
        if f"r{place}" in present:
            yield f"r{place} max", F.max(f"r{place}")

    def _column(self, place: int, pair: Pair, row: Mapping[str, Any]) -> ColumnParity:
        counts = {outcome: row.get(f"o{place} {outcome.name}") or 0 for outcome in Outcome}
        return ColumnParity(
            name=pair.name,
            legacy_name=pair.legacy.name,
            legacy_type=pair.legacy.type,
            new_type=pair.new.type,
            compared_as=pair.kind or "",
            personal=pair.name.lower() in self.personal,
            different=sum(count for outcome, count in counts.items() if outcome >= FIRST_BEYOND),
            within_tolerance=counts[Outcome.WITHIN],
            null_in_legacy=counts[Outcome.NULL_IN_LEGACY],
            null_in_new=counts[Outcome.NULL_IN_NEW],
            unreadable=counts[Outcome.UNREADABLE],
            max_difference=row.get(f"d{place} max"),
            mean_difference=row.get(f"d{place} mean"),
            max_relative_difference=row.get(f"r{place} max"),
        )


def _rows(row: Mapping[str, Any]) -> RowParity:
    def count(name: str) -> int:
        return row[name] or 0  # a sum over nothing is NULL

    by_outcome = {
        _name(outcome): count(_name(outcome)) for outcome in KeyOutcome if outcome is not KeyOutcome.REST_UNREAD
    }
    return RowParity(
        legacy=count(_LEGACY),
        new=count(_NEW),
        duplicated_in_legacy=Duplicates(count(f"{_LEGACY_ROWS} keys"), count(_LEGACY_ROWS)),
        duplicated_in_new=Duplicates(count(f"{_NEW_ROWS} keys"), count(_NEW_ROWS)),
        **by_outcome,
    )


def _name(outcome: KeyOutcome) -> str:
    """Returns the name of its field in ``RowParity``."""
    return outcome.name.lower()


def _code(outcome: KeyOutcome) -> Column:
    from pyspark.sql import functions as F

    return F.lit(outcome.value).cast("tinyint")
