"""Runs the steps of a process: each is a view with the step's name, and the last one is the output.

``:partition`` is a parameter of the query and never pasted into its text. Callers pass inputs as frames, so this
module does not depend on where a certified version is stored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import PolicyError
from data_platform.sql.check import query_problems
from data_platform.sql.engine import query_refusals
from data_platform.sql.moment import at_moment
from data_platform.sql.refusal import condition_of, spark_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.process import Process, Step


def run(
    session: SparkSession,
    process: Process,
    inputs: Mapping[str, DataFrame],
    partition: PartitionKey | None,
    now: datetime | None = None,
) -> DataFrame:
    """Returns the rows of the last step, not yet computed. ``inputs`` maps view names to rows read in ``session``.

    Raises:
        PolicyError: Spark does not accept a step's query.
    """
    *_, output = frames(session, process, inputs, partition, now)
    return output


def frames(
    session: SparkSession,
    process: Process,
    inputs: Mapping[str, DataFrame],
    partition: PartitionKey | None,
    now: datetime | None = None,
) -> Iterator[DataFrame]:
    """Yields the rows of each step, not yet computed, and makes each a view with the step's name.

    Days and clock times are in the session's time zone. ``now`` replaces ``current_timestamp()`` and similar functions.

    ``session`` must be this run's own (``spark.newSession()``): its views would hide those of another run.

    Raises:
        PolicyError: Spark does not accept a step's query, or it makes a column twice.
    """
    for name, rows in inputs.items():
        rows.createOrReplaceTempView(name)
    readable = list(inputs)
    columns = {column for rows in inputs.values() for column in rows.columns}
    zone = session.conf.get("spark.sql.session.timeZone") or "UTC"
    for step in process.steps:
        _require_allowed(session, process, step, tuple(readable))
        readable.append(step.name)
        text = step.sql if now is None else at_moment(step.sql, now, zone, columns)
        arguments = {"partition": partition.value} if partition is not None and ":partition" in step.sql else {}
        try:
            rows = session.sql(text, args=arguments) if arguments else session.sql(text)
        except spark_errors() as error:
            reason = f"process {process.name}: step {step.name}: Spark refuses it: {condition_of(error)}"
            raise PolicyError(reason) from error
        if repeated := _repeated(rows.columns):
            reason = f"makes column {', '.join(repeated)} more than once; give each column a name of its own"
            raise PolicyError(f"process {process.name}: step {step.name}: {reason}")
        rows.createOrReplaceTempView(step.name)
        yield rows


def _repeated(names: list[str]) -> list[str]:
    """Names that differ from another one only in case, or not at all."""
    lower = [name.lower() for name in names]
    return sorted({name for name in lower if lower.count(name) > 1})


def failing_step(session: SparkSession, process: Process) -> str | None:
    """Computes the steps of ``process`` one by one after a failed run, and returns the first that fails."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    for step in process.steps:
        try:
            session.table(step.name).write.format("noop").mode("overwrite").save()
        except (PySparkException, Py4JJavaError):
            return step.name
    return None


def _require_allowed(session: SparkSession, process: Process, step: Step, readable: tuple[str, ...]) -> None:
    """Checks a step with both parsers before Spark runs it: policies may have been read without checking their SQL."""
    from pyspark.errors import ParseException

    reasons = [problem.text for problem in query_problems(step.sql, readable)]
    cause: ParseException | None = None
    try:
        reasons = reasons or list(query_refusals(session, step.sql, readable))
    except ParseException as error:
        reasons, cause = [f"Spark refuses it: {error.getCondition() or 'it cannot be parsed'}"], error
    if reasons:
        raise PolicyError([f"process {process.name}: step {step.name}: {text}" for text in reasons]) from cause
