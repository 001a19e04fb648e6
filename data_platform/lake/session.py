"""One Spark session with Delta Lake, tuned for batches of a day rather than for a data centre.

Opening it is the one slow thing here (4 to 10 seconds; the first time on a machine Spark also
fetches Delta's jars, see ``delta_jars``), so callers open one a run and share it.
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
from data_platform.lake.delta_jars import JARS, PACKAGES, delta_setting, remember
from data_platform.lake.jvm import kill_jvm, launch

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

STOP_SECONDS = 20
_DELTA = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
}


@dataclass(frozen=True, kw_only=True)
class SparkOptions:
    """``master`` is any Spark master URL; ``extra`` wins over every default.

    Without ``delta`` no table can be read: a session for who only asks what Spark thinks of an expression.
    """

    master: str = "local[*]"
    driver_memory: str = "2g"
    shuffle_partitions: int = 2
    warehouse: str | None = None
    log: str | None = None  # a file for what the JVM prints; without one it goes where this process's output goes
    extra: dict[str, str] = field(default_factory=dict)
    delta: bool = True


def open_session(options: SparkOptions | None = None) -> SparkSession:
    """The session of this process, made if there is none. The session's time zone is UTC.

    Raises:
        EnvironmentProblem: There is no Java that Spark runs on, or Spark did not start.
    """
    from pyspark.find_spark_home import _find_spark_home
    from pyspark.sql import SparkSession

    options = options or SparkOptions()
    set_default("PYSPARK_PYTHON", sys.executable)  # workers need this environment's packages
    home = Path(_find_spark_home())
    none: AbstractContextManager[dict[str, str]] = nullcontext({})
    with _signals_kept(), delta_setting(options.extra, home) if options.delta else none as delta:
        settings = {"spark.app.name": "data-platform", "spark.master": options.master, **delta, **_settings(options)}
        builder = SparkSession.builder
        for key, value in settings.items():
            builder = builder.config(key, value)
        started = _open_jvm(settings, options.log)
        session = builder.getOrCreate()
        if options.delta and started and settings.get(PACKAGES) == delta.get(PACKAGES):
            remember(session.sparkContext.getConf().get(JARS) or "")
    session.sparkContext.setLogLevel("ERROR")
    _say_no_values()
    return session


def _say_no_values() -> None:
    """PySpark logs each error of a query by itself, and such an error quotes the value; who catches it can tell it."""
    from pyspark.logger.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True


def close_session(session: SparkSession) -> None:
    """End the session; a JVM that does not end it in time is killed.

    From a thread of its own: where the caller was interrupted in a call to the JVM, its connection still waits for the
    answer to that call.
    """
    ending = threading.Thread(target=_stop, args=(session,), daemon=True)
    ending.start()
    ending.join(STOP_SECONDS)
    if ending.is_alive():
        kill_jvm()


def _stop(session: SparkSession) -> None:
    with suppress(Exception):  # a JVM that is gone already has no session left to stop
        session.stop()


def _open_jvm(settings: dict[str, str], log: str | None) -> bool:
    """Whether a JVM was started: PySpark takes the one that it finds, and would else start one that Ctrl-C reaches."""
    from pyspark import SparkContext

    if SparkContext._gateway is not None or is_set("PYSPARK_GATEWAY_PORT"):
        return False
    SparkContext._ensure_initialized(gateway=launch(settings, log))
    return True


@contextmanager
def _signals_kept() -> Iterator[None]:
    """A new session takes SIGINT for itself, and raises from wherever the process is; who runs us has its own way."""
    mine = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if mine and before is not None:
            signal.signal(signal.SIGINT, before)


def _settings(options: SparkOptions) -> dict[str, str]:
    settings = {
        "spark.driver.memory": options.driver_memory,
        "spark.sql.session.timeZone": "UTC",
        # Spark 4.2 puts parameters into a query's text, and Delta 4.4's parser does not: so they are bound after it
        "spark.sql.legacy.parameterSubstitution.constantsOnly": "true",
        "spark.sql.variable.substitute": "false",  # ${env:HOME} in a rule would be this machine's
        # The default, INT96, is read as another instant by delta-rs and pyarrow outside the years 1677 to 2262
        "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
        "spark.sql.shuffle.partitions": str(options.shuffle_partitions),
        # 50 tasks for the log of a small table is the default, and most of the cost of reading it
        "spark.databricks.delta.snapshotPartitions": "2",
        # With ten rules over one text, inferring constraints takes longer than the batch, and then all of the memory
        "spark.sql.constraintPropagation.enabled": "false",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
    }
    if options.delta:
        settings |= _DELTA
    if options.warehouse:
        settings["spark.sql.warehouse.dir"] = options.warehouse
    return {**settings, **options.extra}
