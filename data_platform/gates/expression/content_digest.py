"""A digest of rows that does not depend on their order: sums of a hash of each row, observed by the one write.

Sums keep the number of equal rows, which an exclusive-or of the hashes would lose. The two halves of a hash are summed
apart, so that two billion rows do not overflow.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

from data_platform.gates.expression.column import quoted

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from pyspark.sql import Column

    from data_platform.model.schema import Column as Declared

_HALF = 0xFFFFFFFF
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
"""Metadata is searched for personal values, and a number of 16 digits may be a card's."""
_NOT_HASHED = re.compile(r"\b(?:map<|variant)")
"""Types that Spark does not hash."""


def sums(columns: Iterable[Declared], *others: str) -> Mapping[Hashable, Column]:
    """Aggregates for ``digest_of``, over ``columns`` in any order and the text columns ``others``; none without any."""
    from pyspark.sql import functions as F

    values = [_hashable(column) for column in sorted(columns, key=lambda column: column.name.lower())]
    if not values:
        return {}
    values += [quoted(name) for name in others]
    # The position separates (NULL, x) from (x, NULL): Spark's hash skips NULL.
    row = F.xxhash64(*(part for place, value in enumerate(values) for part in (value, F.lit(place))))
    return {
        "content_low": F.try_sum(row.bitwiseAND(F.lit(_HALF))),
        "content_high": F.try_sum(F.shiftrightunsigned(row, 32)),
    }


def digest_of(rows: int, measured: Mapping[Hashable, Any]) -> str:
    """16 letters; empty if there are no rows or no sums."""
    low, high = measured.get("content_low"), measured.get("content_high")
    if not rows or low is None or high is None:
        return ""
    return hashlib.sha256(f"{rows}:{high}:{low}".encode()).hexdigest()[:16].translate(_LETTERS)


def _hashable(column: Declared) -> Column:
    from pyspark.sql import functions as F

    value = quoted(column.name)
    return F.to_json(F.struct(value)) if _NOT_HASHED.search(column.type.lower()) else value
