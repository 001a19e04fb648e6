"""What a Spark task does with its batches of rows, and how the sketches of tasks become one."""

import pickle

import pyarrow as pa  # type: ignore[import-untyped]

from data_platform.onboarding.profile.measure import _merged, _sketched
from data_platform.onboarding.profile.sketch import Sketch


def batch(*values: str | None) -> pa.RecordBatch:
    count = len(values)
    arrays = [
        pa.array(values, pa.string()),
        pa.array(["d/a.csv"] * count),
        pa.array([False] * count),
    ]
    return pa.RecordBatch.from_arrays(arrays, names=["v0", "file", "malformed"])


def read(rows: pa.RecordBatch) -> Sketch:
    [pickled] = rows.column(0).to_pylist()
    return pickle.loads(pickled)  # type: ignore[no-any-return]  # noqa: S301 - made by this test


def test_a_task_makes_one_sketch_of_its_batches() -> None:
    [row] = _sketched([batch("a", "b"), batch("a", None)], 1)

    sketch = read(row)

    assert (sketch.row_count, sketch.columns[0].counts, sketch.columns[0].nulls) == (4, {"a": 2, "b": 1}, 1)


def test_a_task_without_rows_makes_an_empty_sketch() -> None:
    [row] = _sketched([], 1)

    assert read(row).row_count == 0


def test_sketches_of_many_tasks_are_merged_before_they_are_collected() -> None:
    tasks = [row for values in (("a", "b"), ("b", "c"), ()) for row in _sketched([batch(*values)], 1)]

    [row] = _merged(tasks, 1)

    assert (read(row).row_count, read(row).columns[0].counts) == (4, {"a": 1, "b": 2, "c": 1})
