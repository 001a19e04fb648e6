"""Judges each key of both sides, and counts everything in one aggregation. Only counts reach the driver."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property, reduce
from typing import TYPE_CHECKING

from data_platform.parity.pairing import LEGACY_ROWS, NEW_ROWS, values_of, with_digests, with_values
from data_platform.parity.report import ColumnParity, Duplicates, RowParity
from data_platform.parity.side import STATE, State
from data_platform.parity.tally import tally
from data_platform.parity.value import FIRST_BEYOND, Outcome, compared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import Column, DataFrame

    from data_platform.parity.column import Columns, Pair
    from data_platform.parity.rule import Rules
    from data_platform.parity.side import Side
    from data_platform.parity.tally import Tally
    from data_platform.parity.value import Compared

KEY_OUTCOME = "found"
"""The column of ``judged`` that has a ``KeyOutcome``."""


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

    @cached_property
    def judged(self) -> DataFrame:
        """One row per key, with the values of both sides: ``found``, ``o0…``, ``d0…`` and ``r0…`` of ``_judged``."""
        return self._judged(with_values(self.legacy, self.new, list(self.keys), self._kinds))

    @property
    def _kinds(self) -> list[str]:
        return [pair.kind or "" for pair in self.columns.values]

    def _judged(self, pairs: DataFrame) -> DataFrame:
        """``pairs`` with ``found``, the outcomes ``o0…`` of its values, and their differences ``d0…`` and ``r0…``."""
        from pyspark.sql import functions as F

        once = (F.col(STATE) == State.WHOLE.value) & (F.col(LEGACY_ROWS) == 1) & (F.col(NEW_ROWS) == 1)
        outcomes, differences, relatives = {}, {}, {}
        for place, answer in enumerate(self._compared()):
            outcomes[f"o{place}"] = F.when(once, answer.outcome)
            unequal = F.col(f"o{place}").isin(Outcome.WITHIN.value, Outcome.DIFFERENT.value)
            if answer.difference is not None:
                differences[f"d{place}"] = F.when(unequal, answer.difference)
            if answer.larger is not None:
                relatives[f"r{place}"] = F.try_divide(F.col(f"d{place}"), answer.larger)
        rows = pairs.withColumns(outcomes) if outcomes else pairs
        # In this order, so that a difference is computed once, and only for values that are not equal.
        rows = rows.withColumns({**differences, KEY_OUTCOME: self._key_outcome()})
        return rows.withColumns(relatives) if relatives else rows

    def _compared(self) -> Iterator[Compared]:
        from pyspark.sql import functions as F

        for place, pair in enumerate(self.columns.values):
            unreadable = F.col(f"u{place}") if place in self.legacy.unreadable else None
            kind = pair.kind or ""
            yield compared(*values_of(place), unreadable, name=pair.name, kind=kind, rules=self.rules)

    def count(self) -> Counted:
        """Runs one Spark job that returns the number of keys and values of each outcome."""
        judged = self._judged(with_digests(self.legacy, self.new, list(self.keys), self._kinds))
        counts = tally(judged, KEY_OUTCOME, len(self.columns.values))
        columns = tuple(self._column(place, pair, counts) for place, pair in enumerate(self.columns.values))
        return Counted(_rows(counts), columns, counts.rows(KeyOutcome.REST_UNREAD)[0])

    def _key_outcome(self) -> Column:
        from pyspark.sql import functions as F

        outcomes = [F.col(f"o{place}") for place in range(len(self.columns.values))]
        beyond = reduce(lambda a, b: a | b, (outcome >= FIRST_BEYOND for outcome in outcomes), F.lit(False))
        within = reduce(lambda a, b: a | b, (o == Outcome.WITHIN.value for o in outcomes), F.lit(False))
        legacy, new = F.col(LEGACY_ROWS), F.col(NEW_ROWS)
        outcome = F.when(beyond, _code(KeyOutcome.DIFFERENT)).when(within, _code(KeyOutcome.WITHIN_TOLERANCE))
        outcome = F.when(legacy == 0, _code(KeyOutcome.ONLY_IN_NEW)).otherwise(
            outcome.otherwise(_code(KeyOutcome.EQUAL))
        )
        outcome = F.when(new == 0, _code(KeyOutcome.ONLY_IN_LEGACY)).otherwise(outcome)
        outcome = F.when((legacy > 1) | (new > 1), _code(KeyOutcome.DUPLICATED)).otherwise(outcome)
        for state, means in _OUTCOME_BY_STATE.items():
            outcome = F.when(F.col(STATE) == state.value, _code(means)).otherwise(outcome)
        return outcome

    def _column(self, place: int, pair: Pair, counts: Tally) -> ColumnParity:
        found = counts.values(place)
        largest, mean, relative = counts.differences(place)
        return ColumnParity(
            name=pair.name,
            legacy_name=pair.legacy.name,
            legacy_type=pair.legacy.type,
            new_type=pair.new.type,
            compared_as=pair.kind or "",
            personal=pair.name.lower() in self.personal,
            different=sum(values for outcome, values in found.items() if outcome >= FIRST_BEYOND),
            within_tolerance=found.get(Outcome.WITHIN, 0),
            null_in_legacy=found.get(Outcome.NULL_IN_LEGACY, 0),
            null_in_new=found.get(Outcome.NULL_IN_NEW, 0),
            unreadable=found.get(Outcome.UNREADABLE, 0),
            max_difference=largest,
            mean_difference=mean,
            max_relative_difference=relative,
        )


def _rows(counts: Tally) -> RowParity:
    legacy, new = counts.rows()
    in_legacy, in_new = counts.several(KeyOutcome.DUPLICATED)
    return RowParity(
        legacy=legacy,
        new=new,
        duplicated_in_legacy=Duplicates(*in_legacy),
        duplicated_in_new=Duplicates(*in_new),
        **{_name(outcome): _number(outcome, counts) for outcome in KeyOutcome if outcome is not KeyOutcome.REST_UNREAD},
    )


def _number(outcome: KeyOutcome, counts: Tally) -> int:
    """Each row without a key counts as one key, though all of them are one group."""
    return counts.rows(outcome)[0] if outcome in _OUTCOME_BY_STATE.values() else counts.keys(outcome)


def _name(outcome: KeyOutcome) -> str:
    """Returns the name of its field in ``RowParity``."""
    return outcome.name.lower()


def _code(outcome: KeyOutcome) -> Column:
    from pyspark.sql import functions as F

    return F.lit(outcome.value).cast("tinyint")
