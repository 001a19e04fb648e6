"""The one Spark job that profiles rows: each task sketches its rows as Arrow batches, and the sketches are merged."""

from __future__ import annotations

import pickle
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from data_platform.gates.expression.column import quoted
from data_platform.onboarding.profile.sketch import Sketch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pyspark.sql import Column, DataFrame, SparkSession

    from data_platform.model.schema import Schema

POLL_SECONDS = 0.3
MOST_SKETCHES = 16
"""More of them, some megabytes each, are merged by Spark into ``MERGERS`` before they come to this process."""
MERGERS = 8
_ROW = "sketch binary"


def measure(rows: DataFrame, columns: Schema, on_progress: Callable[[int, int], None] | None = None) -> Sketch:
    """The sketch of ``rows``, which have ``columns`` and the provenance columns.

    ``on_progress`` is called with the number of finished tasks and of all tasks.
    """
    from pyspark.sql import functions as F

    values = [_measured(column.name, column.type) for column in columns.columns]
    selected = rows.select(
        *(value.alias(f"v{place}") for place, value in enumerate(values)),
        F.coalesce(F.col("_file"), F.lit("")).alias("file"),
        F.col("_malformed").isNotNull().alias("malformed"),
    )
    width = len(columns.columns)

    def sketched(batches: Iterable[Any]) -> Iterator[Any]:
        return _sketched(batches, width)

    sketches = selected.mapInArrow(sketched, _ROW)
    if sketches.rdd.getNumPartitions() > MOST_SKETCHES:
        sketches = sketches.repartition(MERGERS).mapInArrow(lambda batches: _merged(batches, width), _ROW)
    with _reported(rows.sparkSession, on_progress):
        return _whole((row.sketch for row in sketches.collect()), width)


def _whole(pickled: Iterable[bytes], width: int) -> Sketch:
    whole = Sketch(width)
    for one in pickled:
        whole.merge(pickle.loads(one))  # noqa: S301 - made by this job
    return whole


def _merged(batches: Iterable[Any], width: int) -> Iterator[Any]:
    yield _row(_whole((one for batch in batches for one in batch.column(0).to_pylist()), width))


def _measured(name: str, kind: str) -> Column:
    """The value itself; of a nested or binary one only whether it is there, which is all that is measured of it."""
    from pyspark.sql import functions as F

    if "<" in kind or kind == "binary":
        return F.when(quoted(name).isNotNull(), F.lit(True))
    return quoted(name)


def _sketched(batches: Iterable[Any], width: int) -> Iterator[Any]:
    import numpy as np
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyspark import TaskContext

    task = TaskContext.get()
    random = np.random.default_rng(task.partitionId() if task is not None else 0)
    sketch = Sketch(width)
    for batch in batches:
        order = pa.array(random.random(batch.num_rows))
        columns = batch.columns
        sketch.add(columns[:width], columns[-2], columns[-1], order)
    sketch.trim()
    yield _row(sketch)


def _row(sketch: Sketch) -> Any:
    import pyarrow as pa

    return pa.RecordBatch.from_arrays([pa.array([pickle.dumps(sketch)], pa.binary())], names=["sketch"])


@contextmanager
def _reported(spark: SparkSession, on_progress: Callable[[int, int], None] | None) -> Iterator[None]:
    """Reports the tasks of the running stages while the block runs."""
    if on_progress is None:
        yield
        return
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(spark, on_progress, ended), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _watch(spark: SparkSession, on_progress: Callable[[int, int], None], ended: threading.Event) -> None:
    tracker = spark.sparkContext.statusTracker()
    while not ended.wait(POLL_SECONDS):
        stages = [tracker.getStageInfo(number) for number in tracker.getActiveStageIds()]
        running = [stage for stage in stages if stage is not None]
        if running:
            on_progress(sum(stage.numCompletedTasks for stage in running), sum(stage.numTasks for stage in running))
