"""Makes Java's archive of classes (``class_archive``): a session does what every run does, and Java stores its classes.

That takes about a minute, once for each version of Java, Spark and Delta.
"""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data_platform.errors import EnvironmentProblem
from data_platform.lake.class_archive import archive_file, recording_option
from data_platform.lake.jvm import end_jvm, kill_jvm
from data_platform.lake.partition import Slice
from data_platform.lake.session import SparkOptions, close_session, open_session
from data_platform.lake.table import LakeTable
from data_platform.model.partition_key import PartitionKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

STORE_SECONDS = 300
"""Java writes some 200 MB when it ends, on a slow machine for a minute."""
DAYS = (PartitionKey("2025-01-01"), PartitionKey("2025-01-02"))


def record_classes(folder: Path | None = None) -> Path:
    """Makes the archive, in place of an earlier one, and returns its file; ``folder`` is that of the archive.

    No Spark session may be open in this process.

    Raises:
        EnvironmentProblem: There is no supported Java, Spark did not start, or the archive could not be stored.
    """
    file = archive_file(folder)
    if file is None:
        raise EnvironmentProblem("~/.cache/data-platform/jars cannot be written: set HOME to a folder in which it can")
    draft = file.with_suffix(f".{os.getpid()}")
    try:
        with suppress(FileNotFoundError):
            file.unlink()  # Java does not record while it reads an archive
        with tempfile.TemporaryDirectory(prefix="spark-classes-") as work:
            _record(draft, Path(work))
        draft.replace(file)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise EnvironmentProblem(f"Java's archive of classes was not stored as {file}: {reason}") from None
    finally:
        draft.unlink(missing_ok=True)
    return file


def _record(draft: Path, work: Path) -> None:
    from pyspark import SparkContext

    recording = {"spark.driver.extraJavaOptions": recording_option(draft)}
    options = SparkOptions(warehouse=str(work / "warehouse"), log=str(work / "spark.log"), extra=recording, brief=True)
    try:
        session = open_session(options)
        _use(session, str(work / "table"))
        close_session(session)
        end_jvm(STORE_SECONDS)
    finally:
        kill_jvm()
        if SparkContext._gateway is not None:
            SparkContext._gateway.shutdown()
        SparkContext._gateway = SparkContext._jvm = None


def _use(session: SparkSession, path: str) -> None:
    """Does what a stage does: creates a table, replaces days, reads a version and counts its rows, and restores one."""
    from pyspark.sql import Observation
    from pyspark.sql import functions as F

    table, counted = LakeTable(session, path), Observation()
    days = [_rows(session, day) for day in DAYS]
    table.create(days[0].schema, "day")
    for day, rows in zip(DAYS, days, strict=True):
        table.replace(rows, {"day": str(day)}, only=Slice("day", day))
    read = table.at(1).observe(counted, F.count(F.lit(1)).alias("rows"), F.min_by("note", "id", 2).alias("first"))
    keys = table.at(2).select("id").distinct()
    read.join(keys, "id").groupBy("note").agg(F.sum("amount"), F.countDistinct("id")).orderBy("note").collect()
    table.restore(1, {"restored": 1})
    assert counted.get["rows"] > 0  # noqa: S101
    assert table.row_count(1) is not None  # noqa: S101


def _rows(session: SparkSession, day: PartitionKey) -> DataFrame:
    from pyspark.sql import functions as F

    texts = session.createDataFrame(
        [(str(n), f"{n}.50", f"note {n}") for n in range(100)], "id string, amount string, note string"
    )
    typed = texts.mapInArrow(_passed_on, texts.schema).select(
        F.expr("try_cast(id AS INT)").alias("id"),
        F.expr("try_cast(amount AS DECIMAL(10,2))").alias("amount"),
        F.regexp_replace("note", r"\d", "#").alias("note"),
        F.lit(day.value).alias("day"),
    )
    return typed.where(F.col("note").rlike("^note") & F.coalesce(F.col("amount") > 0, F.lit(False)))


def _passed_on(batches: Iterator[Any]) -> Iterator[Any]:
    return batches
