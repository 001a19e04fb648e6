"""Parts of the rows, sketched apart and merged, say the same as all rows sketched at once."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from data_platform.onboarding.profile.column_sketch import HASHES, MOST_VALUES
from data_platform.onboarding.profile.sketch import SAMPLE, Sketch


def add(sketch: Sketch, *columns: Sequence[Any], files: Sequence[str] | None = None, bad: Sequence[bool] = ()) -> None:
    count = len(columns[0])
    sketch.add(
        [pa.array(column) for column in columns],
        pa.array(files or ["d/a.csv"] * count),
        pa.array(list(bad) or [False] * count),
        pa.array(np.linspace(0, 1, count)),
    )


def test_merged_parts_are_the_whole() -> None:
    numbers, texts = list(range(3_000)), [f"v{number % 7}" if number % 5 else None for number in range(3_000)]
    whole, one, other = Sketch(2), Sketch(2), Sketch(2)
    add(whole, numbers, texts)
    add(one, numbers[:1_000], texts[:1_000])
    add(other, numbers[1_000:], texts[1_000:])

    one.merge(other)

    for merged, expected in zip(one.columns, whole.columns, strict=True):
        assert (merged.nulls, merged.counts, merged.low, merged.high) == (
            expected.nulls,
            expected.counts,
            expected.low,
            expected.high,
        )
        assert merged.distinct == expected.distinct
        assert merged.total == pytest.approx(expected.total)
    assert one.rows == whole.rows
    assert one.nulls == whole.nulls


def test_numbers_of_distinct_values_are_exact_below_the_limit_and_near_beyond_it() -> None:
    few, many = Sketch(1), Sketch(1)
    add(few, list(range(HASHES - 1)))
    add(many, list(range(20_000)))

    assert few.columns[0].distinct == HASHES - 1
    assert many.columns[0].distinct == pytest.approx(20_000, rel=0.15)


def test_texts_are_counted_up_to_a_limit() -> None:
    sketch = Sketch(1)
    add(sketch, ["a", "b", "a", None])
    assert sketch.columns[0].counts == {"a": 2, "b": 1}

    add(sketch, [f"v{number}" for number in range(MOST_VALUES + 1)])
    add(sketch, ["a"])

    assert sketch.columns[0].counts is None
    assert sketch.columns[0].lengths == (1, 5)
    assert sketch.columns[0].distinct == MOST_VALUES + 3


def test_nan_and_infinity_are_no_numbers() -> None:
    sketch = Sketch(1)
    add(sketch, [1.0, float("nan"), float("inf"), None, 3.0])

    column = sketch.columns[0]

    assert (column.nans, column.nulls, column.low, column.high, column.total) == (2, 1, 1.0, 3.0, 4.0)


def test_malformed_records_are_counted_and_left_out() -> None:
    sketch = Sketch(1)
    add(sketch, ["a", None, "b"], bad=[False, True, False])

    assert (sketch.malformed, sketch.row_count, sketch.columns[0].nulls) == (1, 2, 0)


def test_nulls_are_counted_by_file() -> None:
    sketch = Sketch(1)
    add(sketch, ["a", None, None], files=["x", "x", "y"])

    assert dict(sketch.rows) == {"x": 2, "y": 1}
    assert dict(sketch.nulls) == {("x", 0): 1, ("y", 0): 1}


def test_the_sample_keeps_whole_rows_with_the_lowest_numbers() -> None:
    sketch = Sketch(2)
    numbers = list(range(SAMPLE + 5_000))
    add(sketch, numbers, [str(number) for number in numbers])

    sketch.trim()

    assert sketch.sampled(0) == numbers[:SAMPLE]
    assert sketch.sampled(1) == [str(number) for number in numbers[:SAMPLE]]


def test_a_row_with_a_higher_number_than_those_of_a_full_sample_is_not_kept() -> None:
    sketch = Sketch(1)
    add(sketch, list(range(3 * SAMPLE)))
    kept = sketch.sampled(0)
    add(sketch, [-1])  # with the lowest number there is

    sketch.trim()

    assert sketch.sampled(0) in ([-1, *kept[:-1]], [kept[0], -1, *kept[1:-1]])
