"""What one pass keeps of one column, in bounded memory, so that parts of the rows can be measured apart and merged.

Counts, NULLs, ranges and sums are those of all rows. Values of text are counted one by one up to a limit, beyond which
only the sample of rows has them (``sketch``). The number of distinct values is that of the counted ones, or estimated
from the smallest hashes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.onboarding.profile.value_hash import hashes_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np

MOST_VALUES = 1_000
"""A column with more different texts holds no codes, and its values are not counted one by one."""
HASHES = 1_024
"""So many smallest hashes estimate a number of distinct values within some three percent."""
_HASH_RANGE = 2.0**64


@dataclass
class ColumnSketch:
    """``counts`` maps texts to rows, None beyond ``MOST_VALUES``. ``low``, ``high`` and the sums leave out NaN.

    ``hashes`` are the smallest ones of the values, sorted; None without a value, and while texts are counted. So are
    ``shortest`` and ``longest``: ``lengths`` has both cases.
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

    def add(self, values: Any) -> None:
        """``values`` is an Arrow array."""
        import pyarrow as pa  # type: ignore[import-untyped]

        self.nulls += values.null_count
        present, kind = values.drop_null(), values.type
        if pa.types.is_string(kind) or pa.types.is_large_string(kind):
            self._add_texts(present)
            return
        self._add_hashes(hashes_of(present))
        if pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_decimal(kind):
            self._add_numbers(present)
        elif pa.types.is_date(kind) or pa.types.is_timestamp(kind):
            self._widen(present)

    def merge(self, other: ColumnSketch) -> None:
        self.nulls += other.nulls
        self.nans += other.nans
        self._merge_counts(other)
        self.low, self.high = _least(self.low, other.low), _most(self.high, other.high)
        self.total += other.total
        self.squares += other.squares
        self.shortest, self.longest = _least(self.shortest, other.shortest), _most(self.longest, other.longest)
        if other.hashes is not None:
            self._add_hashes(other.hashes)

    @property
    def distinct(self) -> float:
        """Exact below ``HASHES``, and of counted texts."""
        if self.counts:
            return len(self.counts)
        if self.hashes is None or len(self.hashes) < HASHES:
            return 0 if self.hashes is None else len(self.hashes)
        return (HASHES - 1) * _HASH_RANGE / float(self.hashes[-1])

    @property
    def lengths(self) -> tuple[int | None, int | None]:
        """Characters of the shortest and of the longest text; None without a text."""
        counted = [len(text) for text in self.counts or ()]
        return min(counted, default=self.shortest), max(counted, default=self.longest)

    def mean_and_deviation(self, values: int) -> tuple[float | None, float | None]:
        """Of ``values`` numbers; None without any."""
        if not values or self.low is None:
            return None, None
        mean = self.total / values
        return mean, math.sqrt(max(0.0, self.squares / values - mean * mean))

    def _add_texts(self, values: Any) -> None:
        if self.counts is not None:
            counted = values.value_counts()
            if len(counted) <= MOST_VALUES:
                _add(self.counts, dict(zip(counted.field(0).to_pylist(), counted.field(1).to_pylist(), strict=True)))
            else:
                self._stop_counting()
            if self.counts is not None and len(self.counts) > MOST_VALUES:
                self._stop_counting()
                return
        if self.counts is None:
            self._measure_texts(values)

    def _merge_counts(self, other: ColumnSketch) -> None:
        if self.counts is not None and other.counts is not None:
            _add(self.counts, other.counts)
        if self.counts is not None and (other.counts is None or len(self.counts) > MOST_VALUES):
            self._stop_counting()
        elif self.counts is None and other.counts:
            self._measure_texts(_array_of(other.counts))

    def _stop_counting(self) -> None:
        """What was counted so far is measured as other texts are from now on."""
        counted, self.counts = self.counts, None
        if counted:
            self._measure_texts(_array_of(counted))

    def _measure_texts(self, values: Any) -> None:
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        lengths = pc.min_max(pc.utf8_length(values)).as_py()
        self.shortest, self.longest = _least(self.shortest, lengths["min"]), _most(self.longest, lengths["max"])
        self._add_hashes(hashes_of(values))

    def _add_numbers(self, values: Any) -> None:
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        if pa.types.is_floating(values.type):
            finite = pc.is_finite(values)
            self.nans += len(values) - (pc.sum(finite).as_py() or 0)
            values = values.filter(finite)
        self._widen(values)
        numbers = values.cast("float64").to_numpy(zero_copy_only=False)
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
            both = np.sort(new if self.hashes is None else np.concatenate([self.hashes, new]))
            is_new = np.concatenate([[True], both[1:] != both[:-1]])
            self.hashes = both[is_new][:HASHES]


def _add(counts: dict[str, int], new: dict[str, int]) -> None:
    for value, rows in new.items():
        counts[value] = counts.get(value, 0) + rows


def _array_of(texts: Iterable[str]) -> Any:
    import pyarrow as pa

    return pa.array(list(texts), pa.string())


def _least(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else min(one, other)


def _most(one: Any, other: Any) -> Any:
    return other if one is None else one if other is None else max(one, other)
