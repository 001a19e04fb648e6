"""Brings the rows of both sides together: one row per key, however often it occurs on either side.

The rows of both sides are one frame, shuffled and grouped by key once. So NULLs in keys match like any value, and
neither side is read twice. A full outer join would only work for keys without duplicates: a duplicate multiplies its
rows, and a join of NULLs shuffles by other expressions than the count that must find the duplicates first.

Each row has the columns of the key, ``state``, the rows of each side, ``l0…`` and ``n0…`` with the values in legacy and
in new, and the flags ``u0…``. The values of a key that occurs several times are those of any of its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.parity.kind import is_scalar
from data_platform.parity.side import STATE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pyspark.sql import Column, DataFrame

    from data_platform.parity.side import Side

LEGACY_ROWS, NEW_ROWS = "legacy_rows", "new_rows"
_IS_LEGACY, _LEGACY, _NEW, _SIDE = "is_legacy", "legacy", "new", "side"
_OF_ANY_LENGTH = ("string", "binary")


def values_of(place: int) -> tuple[Column, Column]:
    """Returns the columns of a value in legacy and in new."""
    from pyspark.sql import functions as F

    return F.col(f"l{place}"), F.col(f"n{place}")


def with_values(legacy: Side, new: Side, keys: Sequence[str], kinds: Sequence[str]) -> DataFrame:
    """Returns the pairs with all values as they are; ``kinds`` are the values' types."""
    from pyspark.sql import functions as F

    by, flags, values = [*keys, STATE], _flags(legacy), [f"v{place}" for place in range(len(kinds))]
    both = _both(legacy, new, lambda rows: rows.select(*by, F.struct(*values, *flags, _IS_LEGACY).alias(_SIDE)), by)
    side = F.col(_SIDE)
    is_legacy = side[_IS_LEGACY]
    pairs = both.groupBy(*by).agg(
        *_counts(is_legacy),
        F.first(F.when(is_legacy, side), ignorenulls=True).alias(_LEGACY),
        F.first(F.when(~is_legacy, side), ignorenulls=True).alias(_NEW),
    )
    return pairs.select(
        *by,
        LEGACY_ROWS,
        NEW_ROWS,
        *(F.col(_LEGACY)[name].alias(f"l{place}") for place, name in enumerate(values)),
        *(F.col(_NEW)[name].alias(f"n{place}") for place, name in enumerate(values)),
        *(F.col(_LEGACY)[flag].alias(flag) for flag in flags),
    )


def with_digests(legacy: Side, new: Side, keys: Sequence[str], kinds: Sequence[str]) -> DataFrame:
    """Returns the pairs with a digest of 64 bits in place of each text and binary value: enough to tell equal ones.

    Spark groups rows by hashing only if all values have a fixed length; rows with texts it sorts, which takes twice as
    long. Two different texts have the same digest once in 10^19 pairs. Arrays and structs stay as they are.
    """
    from pyspark.sql import functions as F

    if not all(is_scalar(kind) for kind in kinds):
        return with_values(legacy, new, keys, kinds)
    by, flags = [*keys, STATE], _flags(legacy)
    digests = [_digest(F.col(f"v{place}"), kind).alias(f"v{place}") for place, kind in enumerate(kinds)]
    both = _both(legacy, new, lambda rows: rows.select(*by, *digests, *flags, _IS_LEGACY), by)
    is_legacy = F.col(_IS_LEGACY)
    return both.groupBy(*by).agg(
        *_counts(is_legacy),
        *(F.max(F.when(is_legacy, F.col(f"v{place}"))).alias(f"l{place}") for place in range(len(kinds))),
        *(F.max(F.when(~is_legacy, F.col(f"v{place}"))).alias(f"n{place}") for place in range(len(kinds))),
        *(F.max(F.when(is_legacy, F.col(flag))).alias(flag) for flag in flags),
    )


def _both(legacy: Side, new: Side, shaped: Callable[[DataFrame], DataFrame], by: Sequence[str]) -> DataFrame:
    """Returns the rows of both sides as ``shaped`` leaves them.

    They are shuffled before the grouping: else Spark would group each part once more, for nothing.
    """
    from pyspark.sql import functions as F

    ours = new.rows.select("*", *(F.lit(False).alias(flag) for flag in _flags(legacy)))
    sides = [
        shaped(rows.withColumn(_IS_LEGACY, F.lit(is_legacy)))
        for rows, is_legacy in ((legacy.rows, True), (ours, False))
    ]
    return sides[0].union(sides[1]).repartition(*by)


def _flags(legacy: Side) -> list[str]:
    return [f"u{place}" for place in sorted(legacy.unreadable)]


def _counts(is_legacy: Column) -> tuple[Column, Column]:
    from pyspark.sql import functions as F

    return F.count_if(is_legacy).alias(LEGACY_ROWS), F.count_if(~is_legacy).alias(NEW_ROWS)


def _digest(value: Column, kind: str) -> Column:
    from pyspark.sql import functions as F

    return F.when(value.isNotNull(), F.xxhash64(value)) if kind in _OF_ANY_LENGTH else value
