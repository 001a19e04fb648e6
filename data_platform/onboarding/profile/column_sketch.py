"""What one pass keeps of one column, in bounded memory, so that parts of the rows can be measured apart and merged.

Counts, NULLs, ranges and sums are those of all rows. Values of text are counted one by one up to a limit, beyond which
only the sample of rows has them (``sketch``). The number of distinct values is estimated from the smallest hashes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

MOST_VALUES = 1_000
"""A column with more different texts holds no codes, and its values are not counted one by one."""
HASHES = 1_024
"""So many smallest hashes estimate a number of distinct values within some three percent."""
_HASH_RANGE = 2.0**64


@dataclass
class ColumnSketch:
    """``counts`` maps texts to rows, None beyond ``MOST_VALUES``. ``low``, ``high`` and the sums leave out NaN.

    ``hashes`` are the smallest ones of the values, sorted; None until there is a value.
    """

    nulls: int = 0
    nans: int = 0
    counts: dict[str, int] | None = field(default_factory=dict)
    hashes: np.ndarray[Any, Any] | None = None
    low: Any = None
    high: Any = None
    total: float = 0.0
    squares: float = 0.0
    shortest: int | None = None
    longest: int | None = None

    def add(self, values: Any, hashes: Any) -> None:
        """``values`` and ``hashes`` (64 bits; NULL for a NULL) are Arrow arrays of the same rows."""
        import pyarrow as pa  # type: ignore[import-untyped]

        self.nulls += values.null_count
        self._add_hashes(hashes.drop_null().to_numpy(zero_copy_only=False).view("uint64"))
        kind = values.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            self._add_texts(values)
        elif pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
            self._add_numbers(values)
        elif pa.types.is_date(kind) or pa.types.is_timestamp(kind):
            self._widen(values)

    def merge(self, other: ColumnSketch) -> None:
        self.nulls += other.nulls
        self.nans += other.nans
        self.counts = _merged(self.counts, other.counts)
        self.low, self.high = _least(self.low, other.low), _most(self.high, other.high)
        self.total += other.total
        self.squares += other.squares
        self.shortest, self.longest = _least(self.shortest, other.shortest), _most(self.longest, other.longest)
        if other.hashes is not None:
            self._add_hashes(other.hashes)

    @property
    def distinct(self) -> float:
        """Exact below ``HASHES``."""
        if self.hashes is None or len(self.hashes) < HASHES:
            return 0 if self.hashes is None else len(self.hashes)
        return (HASHES - 1) * _HASH_RANGE / float(self.hashes[-1])

    def mean_and_deviation(self, values: int) -> tuple[float | None, float | None]:
        """Of ``values`` numbers; None without any."""
        if not values or self.low is None:
            return None, None
        mean = self.total / values
        return mean, math.sqrt(max(0.0, self.squares / values - mean * mean))

    def _add_texts(self, values: Any) -> None:
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        lengths = pc.min_max(pc.utf8_length(values)).as_py()
        self.shortest = _least(self.shortest, lengths["min"])
        self.longest = _most(self.longest, lengths["max"])
        if self.counts is None:
            return
        counted = values.drop_null().value_counts()
        if len(counted) > MOST_VALUES:
            self.counts = None
            return
        new = dict(zip(counted.field(0).to_pylist(), counted.field(1).to_pylist(), strict=True))
        self.counts = _merged(self.counts, new)

    def _add_numbers(self, values: Any) -> None:
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_floating(values.type):
            finite = pc.is_finite(values)
            self.nans += len(values) - values.null_count - (pc.sum(finite).as_py() or 0)
            values = values.filter(finite)
        self._widen(values)
        numbers = values.drop_null().cast("float64").to_numpy(zero_copy_only=False)
        self.total += float(np.sum(numbers))
        self.squares += float(np.dot(numbers, numbers))

    def _widen(self, values: Any) -> None:
        import pyarrow.compute as pc

        ends = pc.min_max(values).as_py()
        self.low, self.high = _least(self.low, ends["min"]), _most(self.high, ends["max"])

    def _add_hashes(self, new: np.ndarray[Any, Any]) -> None:
        import numpy as np

        if self.hashes is not None and len(self.hashes) == HASHES:
            new = new[new < self.hashes[-1]]
        if len(new):
            both = new if self.hashes is None else np.concatenate([self.hashes, new])
            self.hashes = np.unique(both)[:HASHES]


def _merged(one: dict[str, int] | None, other: dict[str, int] | None) -> dict[str, int] | None:
    if one is None or other is None:
        return None
    for value, rows in other.items():
        one[value] = one.get(value, 0) + rows
    return one if len(one) <= MOST_VALUES else None


def _least(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else min(one, other)


def _most(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else max(one, other)
