"""Opens one Spark session with Delta Lake, tuned for daily batches rather than for a data centre.

Opening it is slow (4 to 10 seconds; the first time on a machine Spark also downloads Delta's jars, see
``delta_jars``), so callers open one session per run and share it.
"""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from data_platform.environment import is_set, set_default
from data_platform.lake.delta_jars import JARS, PACKAGES, delta_setting, listed_setting, remember
from data_platform.lake.jvm import abandon_early, kill_jvm, launch, start_early

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

STOP_SECONDS = 20
_COMPILE_LONG_METHODS = "-XX:-DontCompileHugeMethods"
"""Spark makes one method of all rules of a write. Java interprets a method of more than 8,000 bytes unless told so."""
_FIRST_COMPILER = "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"
"""Without Java's second compiler, which takes half of the processor's time in the first minute, and its code cache."""
_BRIEF = {
    "spark.driver.defaultJavaOptions": f"{_COMPILE_LONG_METHODS} {_FIRST_COMPILER}",
    # Each step of a query would be a job of its own: three jobs for each read of a table's log, where one does
    "spark.sql.adaptive.enabled": "false",
}
_DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


@dataclass(frozen=True, kw_only=True)
class SparkOptions:
    """``master`` is any Spark master URL; ``extra`` overrides every default.

    Without ``delta`` no table can be read: such a session only checks expressions. A ``brief`` session reads little,
    so that most of its time is Spark's own start.
    """

    master: str = "local[*]"
    driver_memory: str = "2g"
    shuffle_partitions: int = 2
    warehouse: str | None = None
    log: str | None = None  # a file for the JVM's output; without one it goes to this process's output
    extra: dict[str, str] = field(default_factory=dict)
    delta: bool = True
    brief: bool = False


def open_session(options: SparkOptions | None = None) -> SparkSession:
    """Returns the session of this process, and opens one if there is none. The session's time zone is UTC.

    Raises:
        EnvironmentProblem: There is no Java that Spark supports, or Spark did not start.
    """
    from pyspark.find_spark_home import _find_spark_home
    from pyspark.sql import SparkSession

    from data_platform.lake.jvm_name import remember_names

    options = options or SparkOptions()
    set_default("PYSPARK_PYTHON", sys.executable)  # workers need this environment's packages
    home = Path(_find_spark_home())
    none: AbstractContextManager[dict[str, str]] = nullcontext({})
    with _restored_signals(), delta_setting(options.extra, home) if options.delta else none as delta:
        settings = _all_settings(options, delta)
        builder = SparkSession.builder
        for key, value in settings.items():
            builder = builder.config(key, value)
        started = _open_jvm(settings, options.log)
        session = builder.getOrCreate()
        if options.delta and started and settings.get(PACKAGES) == delta.get(PACKAGES):
            remember(session.sparkContext.getConf().get(JARS) or "")
    session.sparkContext.setLogLevel("ERROR")
    remember_names(session.sparkContext._jvm)
    _silence_query_errors()
    return session


def begin_session(options: SparkOptions) -> None:
    """Starts the JVM of a session that will be opened soon with the same ``options``, and does not wait for it.

    Does nothing if this process has a JVM, or if Spark has to download Delta's jars first. ``forget_session`` ends a
    JVM that no session used.
    """
    from pyspark import SparkContext
    from pyspark.find_spark_home import _find_spark_home

    if SparkContext._gateway is not None or is_set("PYSPARK_GATEWAY_PORT"):
        return
    set_default("PYSPARK_PYTHON", sys.executable)
    delta = listed_setting(options.extra, Path(_find_spark_home())) if options.delta else {}
    if delta is not None:
        start_early(_all_settings(options, delta), options.log)


def forget_session() -> None:
    """Ends the JVM of ``begin_session`` if no session was opened in it."""
    abandon_early()


def _silence_query_errors() -> None:
    """Turns off PySpark's own log of query errors, which quotes values; the code that catches an error reports it."""
    from pyspark.logger.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True


def close_session(session: SparkSession) -> None:
    """Stop the session; a JVM that does not stop it in time is killed.

    It uses a separate thread: if the caller was interrupted in a call to the JVM, its connection still waits for the
    answer to that call.
    """
    ending = threading.Thread(target=_stop, args=(session,), daemon=True)
    ending.start()
    ending.join(STOP_SECONDS)
    if ending.is_alive():
        kill_jvm()


def _stop(session: SparkSession) -> None:
    with suppress(Exception):  # a JVM that is already gone has no session left to stop
        session.stop()


def _open_jvm(settings: dict[str, str], log: str | None) -> bool:
    """Starts a JVM unless PySpark has one, since Ctrl-C would reach PySpark's own; returns whether it started one."""
    from pyspark import SparkContext

    if SparkContext._gateway is not None or is_set("PYSPARK_GATEWAY_PORT"):
        return False
    SparkContext._ensure_initialized(gateway=launch(settings, log))
    return True


@contextmanager
def _restored_signals() -> Iterator[None]:
    """Restores the handler of SIGINT, which a new session replaces with one that raises anywhere in the process."""
    is_main_thread = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if is_main_thread and before is not None:
            signal.signal(signal.SIGINT, before)


def session_settings(options: SparkOptions) -> dict[str, str]:
    """The settings of a session with these ``options``, without the place of Delta's jars."""
    return _all_settings(options, {})


def _all_settings(options: SparkOptions, delta: dict[str, str]) -> dict[str, str]:
    return {"spark.app.name": "data-platform", "spark.master": options.master, **delta, **_settings(options)}


def _settings(options: SparkOptions) -> dict[str, str]:
    settings = {
        "spark.driver.memory": options.driver_memory,
        "spark.driver.defaultJavaOptions": _COMPILE_LONG_METHODS,
        "spark.executor.defaultJavaOptions": _COMPILE_LONG_METHODS,
        "spark.sql.session.timeZone": "UTC",
        # Spark 4.2 substitutes parameters in a query's text, Delta 4.4's parser does not: bind them after parsing
        "spark.sql.legacy.parameterSubstitution.constantsOnly": "true",
        "spark.sql.variable.substitute": "false",  # ${env:HOME} in a rule would expand to this machine's value
        # delta-rs and pyarrow read the default, INT96, as another time outside the years 1677 to 2262
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.shuffle.partitions": str(options.shuffle_partitions),
        # The default is 50 tasks for the log of a small table, which is most of the cost of reading it
        "spark.databricks.delta.snapshotPartitions": "1",
        # Delta would list a small table's files in a second place, and in any zone but UTC read the whole log for it
        "spark.databricks.delta.allFilesInCrc.enabled": "false",
        # With ten rules over one text, inferring constraints takes longer than the batch, and then all memory
        "spark.sql.constraintPropagation.enabled": "false",
        # As a local relation, rows that the driver has read would be computed by the optimizer, not by a task
        "spark.sql.execution.arrow.localRelationThreshold": "0",
        # PySpark would tell the JVM the place in our code of every call on a column, in five calls of its own
        "spark.python.sql.dataFrameDebugging.enabled": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if options.delta:
        settings |= _DELTA
    if options.brief:
        settings |= _BRIEF
    if options.warehouse:
        settings["spark.sql.warehouse.dir"] = options.warehouse
    return {**settings, **options.extra}
