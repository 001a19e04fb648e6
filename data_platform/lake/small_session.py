"""Opens a small Spark session that checks expressions and reads no table: without Delta, on one processor."""

from __future__ import annotations

import shutil
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.errors import EnvironmentProblem
from data_platform.lake.jvm import kill_jvm
from data_platform.lake.session import SparkOptions, close_session, open_session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

MEMORY = "1g"
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Faster compilation for a JVM that runs a few seconds: the second compiler would take half of its time."""


@contextmanager
def small_session(limit_seconds: float) -> Iterator[SparkSession]:
    """Yields the session that this process has open, which stays open; else a small one that ends with the block.

    The log of a small session is in a temporary folder, which remains only if Spark does not start: the message names
    it.

    Raises:
        EnvironmentProblem: There is no Java, Spark did not start, or the block took longer than ``limit_seconds``.
    """
    if (opened := _opened()) is not None:
        yield opened
        return
    expired = threading.Event()
    watch = threading.Timer(limit_seconds, _expire, [expired])
    watch.daemon = True
    watch.start()
    folder = tempfile.mkdtemp(prefix="spark-check-")
    try:
        session = open_session(_options(folder))
        try:
            yield session
        finally:
            _end(session)
            shutil.rmtree(folder, ignore_errors=True)
    except Exception as error:
        if not expired.is_set():
            raise
        raise EnvironmentProblem(f"Spark was not done after {limit_seconds:g} seconds, and was ended") from error
    finally:
        watch.cancel()


def _end(session: SparkSession) -> None:
    """Ends the session with its JVM, which has no Delta: a later session of this process must not reuse it."""
    from pyspark import SparkContext

    close_session(session)
    kill_jvm()
    if SparkContext._gateway is not None:
        SparkContext._gateway.shutdown()
    SparkContext._gateway = SparkContext._jvm = None


def _opened() -> SparkSession | None:
    if "pyspark.sql" not in sys.modules:
        return None
    from pyspark.sql import SparkSession

    session = SparkSession._instantiatedSession
    return None if session is None or session.sparkContext._jsc is None else session


def _options(folder: str) -> SparkOptions:
    return SparkOptions(
        master="local[1]",
        driver_memory=MEMORY,
        shuffle_partitions=1,
        warehouse=str(Path(folder) / "warehouse"),
        log=str(Path(folder) / "spark.log"),
        extra={"spark.driver.extraJavaOptions": SHORT_LIVED},
        delta=False,
    )


def _expire(expired: threading.Event) -> None:
    expired.set()
    kill_jvm()
