"""What one pass keeps of the rows of a delivery: a sketch of each column, counts by file, and a sample of whole rows.

Each Spark task makes a sketch of its rows, and the sketches are merged. The sample is drawn evenly from all rows: the
rows with the lowest random numbers.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.onboarding.profile.column_sketch import ColumnSketch

if TYPE_CHECKING:
    from collections.abc import Sequence

SAMPLE = 5_000
"""Rows in the sample: a quantile of it is within half a percent of that of all rows."""
_FILE, _ORDER = "file", "order"


@dataclass
class Sketch:
    """``width`` is the number of columns; columns go by their position. A malformed record is only counted.

    ``rows`` counts rows by file, ``nulls`` NULLs by file and column. ``sample`` is an Arrow table of the columns ``0``,
    ``1``, … with ``file`` and ``order``; None without a row.
    """

    width: int
    malformed: int = 0
    rows: Counter[str] = field(default_factory=Counter)
    nulls: Counter[tuple[str, int]] = field(default_factory=Counter)
    columns: list[ColumnSketch] = field(default_factory=list)
    sample: Any = None
    _last: Any = field(default=None, init=False)
    """The number of the last row of a full sample: a row with a higher one is not kept."""

    def __post_init__(self) -> None:
        self.columns = self.columns or [ColumnSketch() for _ in range(self.width)]

    def add(self, values: Sequence[Any], files: Any, malformed: Any, order: Any) -> None:
        """Adds rows, given as Arrow arrays: values by column, file names, flags, and random numbers."""
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.compute as pc  # type: ignore[import-untyped]

        bad = pc.sum(malformed).as_py() or 0
        if bad:
            self.malformed += bad
            good = pc.invert(malformed)
            values = [one.filter(good) for one in values]
            files, order = files.filter(good), order.filter(good)
        if not len(files):
            return
        for sketch, column in zip(self.columns, values, strict=True):
            sketch.add(column)
        self._count_files(values, files)
        names = [str(place) for place in range(self.width)]
        self._keep(pa.table([*values, files, order], names=[*names, _FILE, _ORDER]))

    def merge(self, other: Sketch) -> None:
        self.malformed += other.malformed
        self.rows.update(other.rows)
        self.nulls.update(other.nulls)
        for mine, theirs in zip(self.columns, other.columns, strict=True):
            mine.merge(theirs)
        if other.sample is not None:
            self._keep(other.sample)
        self.trim()

    @property
    def row_count(self) -> int:
        """Without malformed records."""
        return self.rows.total()

    def sampled(self, place: int) -> list[Any]:
        """The values of a column in the sample, in the order of its rows; NULLs are None."""
        return [] if self.sample is None else self.sample.column(str(place)).to_pylist()

    def sampled_files(self) -> list[str]:
        """The file of each row of the sample."""
        return [] if self.sample is None else self.sample.column(_FILE).to_pylist()

    def _count_files(self, values: Sequence[Any], files: Any) -> None:
        counted = files.value_counts()
        names = counted.field(0).to_pylist()
        self.rows.update(dict(zip(names, counted.field(1).to_pylist(), strict=True)))
        if len(names) == 1:
            self.nulls.update({(names[0], place): one.null_count for place, one in enumerate(values) if one.null_count})
            return
        for place, column in enumerate(values):
            if column.null_count:
                self.nulls.update((name, place) for name in files.filter(column.is_null()).to_pylist())

    def _keep(self, rows: Any) -> None:
        """The sample may wait with up to twice its rows: to sort it for each batch would take a quarter of the time."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self._last is not None:
            rows = rows.filter(pc.less(rows[_ORDER], self._last))
        self.sample = rows if self.sample is None else pa.concat_tables([self.sample, rows])
        if len(self.sample) > 2 * SAMPLE:
            self.trim()

    def trim(self) -> None:
        """Leaves the rows of the sample that have the lowest numbers, in their order."""
        import pyarrow.compute as pc

        if self.sample is not None:
            lowest = pc.sort_indices(self.sample[_ORDER])[:SAMPLE]
            self.sample = self.sample.take(lowest).combine_chunks()
            self._last = self.sample[_ORDER][-1] if len(self.sample) == SAMPLE else None
