"""One Spark session with Delta Lake, tuned for batches of a day rather than for a data centre.

Opening it is the one slow thing here (5 to 10 seconds; the first time on a machine Spark also
fetches Delta's jars into the user's Ivy folder), so callers open one a run and share it.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.model.private_path import private_file

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

DELTA_PACKAGE = "io.delta:delta-spark_4.2_2.13:4.4.0"
"""Named here since the wheel's own helper asks for what the newest wheel wants, jar or no jar."""


@dataclass(frozen=True, kw_only=True)
class SparkOptions:
    """``master`` is any Spark master URL; ``extra`` wins over every default."""

    master: str = "local[*]"
    driver_memory: str = "2g"
    shuffle_partitions: int = 2
    warehouse: str | None = None
    log: str | None = None  # a file for what the JVM says; without one it goes where this process's stderr goes
    extra: dict[str, str] = field(default_factory=dict)


def open_session(options: SparkOptions | None = None) -> SparkSession:
    """The session of this process, made if there is none. The session's time zone is UTC."""
    from pyspark.sql import SparkSession

    options = options or SparkOptions()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # workers need this environment's packages
    builder = SparkSession.builder.appName("data-platform").master(options.master)
    for key, value in _settings(options).items():
        builder = builder.config(key, value)
    with _stderr_to(options.log):
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    _say_no_values()
    return session


def _say_no_values() -> None:
    """PySpark logs each error of a query by itself, and such an error quotes the value; who catches it can tell it."""
    from pyspark.logger.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True


@contextmanager
def _stderr_to(file: str | None) -> Iterator[None]:
    """The JVM inherits stderr when it starts, and keeps it: so its talk is in ``file`` for good, and ours is not."""
    if file is None:
        yield
        return
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    private_file(Path(file))  # Spark may quote rows
    sys.stderr.flush()
    before = os.dup(2)
    target = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        os.dup2(target, 2)
        yield
    finally:
        os.dup2(before, 2)
        os.close(before)
        os.close(target)


def _settings(options: SparkOptions) -> dict[str, str]:
    settings = {
        "spark.driver.memory": options.driver_memory,
        "spark.jars.packages": DELTA_PACKAGE,
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.session.timeZone": "UTC",
        # Spark 4.2 puts parameters into a query's text, and Delta 4.4's parser does not: so they are bound after it
        "spark.sql.legacy.parameterSubstitution.constantsOnly": "true",
        "spark.sql.variable.substitute": "false",  # ${env:HOME} in a rule would be this machine's
        "spark.sql.shuffle.partitions": str(options.shuffle_partitions),
        # 50 tasks for the log of a small table is the default, and most of the cost of reading it
        "spark.databricks.delta.snapshotPartitions": "2",
        # With ten rules over one text, inferring constraints takes longer than the batch, and then all of the memory
        "spark.sql.constraintPropagation.enabled": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if options.warehouse:
        settings["spark.sql.warehouse.dir"] = options.warehouse
    return {**settings, **options.extra}
