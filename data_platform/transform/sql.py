"""Runs the steps of a process: each a view of its name, the last one the output.

``:partition`` is a parameter of the query and never pasted into its text. Inputs are handed in as
frames, so nothing here knows where a certified version lies.
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
    from datetime import date, datetime

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.model.process import Process, Step


def run(
    session: SparkSession,
    process: Process,
    inputs: Mapping[str, DataFrame],
    partition: date | None,
    now: datetime | None = None,
) -> DataFrame:
    """The rows of the last step, not yet computed. ``inputs`` leads from view name to rows read in ``session``.

    Raises:
        PolicyError: Spark does not accept a step's query.
    """
    *_, output = frames(session, process, inputs, partition, now)
    return output


def frames(
    session: SparkSession,
    process: Process,
    inputs: Mapping[str, DataFrame],
    partition: date | None,
    now: datetime | None = None,
) -> Iterator[DataFrame]:
    """The rows of each step in turn, not yet computed, each a view of the step's name.

    Days and clock times are those of the session's zone. ``now`` stands for ``current_timestamp()`` and its like.

    ``session`` must be this run's own (``spark.newSession()``): its views would hide another run's.

    Raises:
        PolicyError: Spark does not accept a step's query.
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
        arguments = {"partition": partition} if partition is not None and ":partition" in step.sql else {}
        try:
            rows = session.sql(text, args=arguments) if arguments else session.sql(text)
        except spark_errors() as error:
            reason = f"process {process.name}: step {step.name}: Spark refuses it: {condition_of(error)}"
            raise PolicyError(reason) from error
        rows.createOrReplaceTempView(step.name)
        yield rows


def failing_step(session: SparkSession, process: Process) -> str | None:
    """The first step of ``process`` whose rows cannot be computed, asked one by one; for after a run that died."""
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    for step in process.steps:
        try:
            session.table(step.name).write.format("noop").mode("overwrite").save()
        except (PySparkException, Py4JJavaError):
            return step.name
    return None


def _require_allowed(session: SparkSession, process: Process, step: Step, readable: tuple[str, ...]) -> None:
    """Policies may have been read without their SQL, so both parsers judge it here, before Spark takes the text."""
    from pyspark.errors import ParseException

    found = [problem.text for problem in query_problems(step.sql, readable)]
    cause: ParseException | None = None
    try:
        found = found or list(query_refusals(session, step.sql, readable))
    except ParseException as error:
        found, cause = [f"Spark refuses it: {error.getCondition() or 'it cannot be parsed'}"], error
    if found:
        raise PolicyError([f"process {process.name}: step {step.name}: {text}" for text in found]) from cause
