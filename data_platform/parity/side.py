"""Prepares the rows of each side for the comparison: one day, in common types, with internal column names.

Keys are ``k0…``, values ``v0…``, and ``u0…`` flag legacy values that are unreadable; ``state`` marks a row without a
usable key. The dataset's own names are dropped, so that none of them can collide with ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.gates.expression.column import never_null, quoted
from data_platform.ingestion.formats.text.record import REST_UNREAD
from data_platform.lake.partition import column_value
from data_platform.model.partition_key import COLUMN_TYPE
from data_platform.parity.value import legacy_value, normalised

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import Column, DataFrame

    from data_platform.model.partition_key import PartitionKey
    from data_platform.parity.column import Columns, Pair
    from data_platform.parity.output import LegacyOutput
    from data_platform.parity.rule import Rules

STATE = "state"
_OWN = "_parity_"
"""The prefix of our own columns while the dataset's columns are still present."""


class State(IntEnum):
    """``UNREADABLE_KEY``: a key's value is not of its type. ``REST_UNREAD``: the rest of a file could not be read."""

    WHOLE = 0
    UNREADABLE_KEY = 1
    MALFORMED = 2
    REST_UNREAD = 3


@dataclass(frozen=True)
class Side:
    """``unreadable`` are the positions of the values that have a flag."""

    rows: DataFrame
    unreadable: frozenset[int] = frozenset()


def new_side(rows: DataFrame, columns: Columns, rules: Rules) -> Side:
    """Prepares certified rows."""
    values = {pair: quoted(pair.name).cast(pair.kind or "") for pair in (*columns.keys, *columns.values)}
    return Side(rows.select(*_named(values, columns, rules), _code(State.WHOLE).alias(STATE)))


def legacy_side(
    output: LegacyOutput, columns: Columns, rules: Rules, protect: Callable[[DataFrame], DataFrame]
) -> Side:
    """Prepares the legacy output; ``protect`` remediates personal values as silver does."""
    read = {p: legacy_value(p.legacy.name, p.legacy.type, p.kind or "") for p in (*columns.keys, *columns.values)}
    marks = [read[pair].unreadable for pair in columns.values]
    flags = {f"u{place}": flag for place, flag in enumerate(marks) if flag is not None}
    unreadable_keys = [flag for pair in columns.keys if (flag := read[pair].unreadable) is not None]
    flags[STATE] = _state(output, unreadable_keys)
    rows = output.rows.select(
        *(value.value.alias(pair.name) for pair, value in read.items()),
        *(flag.alias(_OWN + name) for name, flag in flags.items()),
    )
    values = {pair: quoted(pair.name) for pair in read}
    flag_columns = (quoted(_OWN + name).alias(name) for name in flags)
    places = frozenset(place for place, flag in enumerate(marks) if flag is not None)
    return Side(protect(rows).select(*_named(values, columns, rules), *flag_columns), places)


def of_partition(output: LegacyOutput, pair: Pair, partition: PartitionKey) -> DataFrame:
    """Returns the legacy rows of ``partition``, and those whose value cannot be read: they are reported, not dropped.

    Raises:
        UsageError: The column of ``pair`` does not contain days.
    """
    if pair.kind is None:
        raise UsageError(
            f"the legacy output's {pair.legacy.name} is {pair.legacy.type.upper()} and not a day: leave --partition "
            "out, or give the output of that day alone without this column"
        )
    read = legacy_value(pair.legacy.name, pair.legacy.type, pair.kind)
    kept = never_null(read.value.cast(COLUMN_TYPE) == column_value(partition))
    if read.unreadable is not None:
        kept = kept | read.unreadable
    return output.rows.where(kept | quoted("_malformed").isNotNull() if output.is_text else kept)


def _named(values: Mapping[Pair, Column], columns: Columns, rules: Rules) -> list[Column]:
    return [
        normalised(values[pair], pair.kind or "", rules).alias(f"{sign}{place}")
        for sign, pairs in (("k", columns.keys), ("v", columns.values))
        for place, pair in enumerate(pairs)
    ]


def _state(output: LegacyOutput, unreadable_keys: list[Column]) -> Column:
    from pyspark.sql import functions as F

    state = F.when(reduce(lambda a, b: a | b, unreadable_keys, F.lit(False)), _code(State.UNREADABLE_KEY))
    state = state.otherwise(_code(State.WHOLE))
    if not output.is_text:
        return state
    reason = quoted("_malformed")
    broken = F.when(reason.endswith(REST_UNREAD), _code(State.REST_UNREAD))
    return broken.when(reason.isNotNull(), _code(State.MALFORMED)).otherwise(state)


def _code(state: State) -> Column:
    from pyspark.sql import functions as F

    return F.lit(state.value).cast("tinyint")
