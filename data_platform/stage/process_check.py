"""Could a run ever compute the steps of a process? Spark's own answer, on inputs without rows (see ``rule_check``)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from data_platform.errors import PolicyError
from data_platform.policies.problem import Finding
from data_platform.sql.impossible import impossible_parts
from data_platform.sql.refusal import line_of, plain_reason, spark_errors
from data_platform.stage.rule_check import gold_columns, no_rows, refusal
from data_platform.stage.silver_plan import declared_output, input_rows
from data_platform.transform import sql

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from pyspark.sql import DataFrame, SparkSession

    from data_platform.model.process import Process
    from data_platform.policies import Dataset, Policies


def process_findings(session: SparkSession, policies: Policies, dataset: Dataset, now: datetime) -> list[Finding]:
    """The problems that Spark has with the process of ``dataset``; ``session`` is its own, in the zone of the dataset.

    There are none if some input declares no columns, as an external dataset may.
    """
    process = dataset.process
    if process is None:
        return []
    partition = dataset.policy.partition.first if dataset.policy.partition else None
    inputs: dict[str, DataFrame] = {}
    for item in process.inputs:
        upstream = policies.dataset(item.dataset)
        if not upstream.bundle.schema_.constraints:
            return []
        inputs[item.view] = input_rows(no_rows(session, gold_columns(upstream)), upstream, item, partition)
    frames: list[DataFrame] = []
    try:
        for frame in sql.frames(session, process, inputs, partition, now):
            frames.append(frame)
    except PolicyError as error:
        return [_refused(process, len(frames), error)]
    return list(_plan_findings(process, frames)) or list(_output_findings(dataset, process, frames[-1]))


def _refused(process: Process, step: int, error: PolicyError) -> Finding:
    cause = error.__cause__
    if isinstance(cause, spark_errors()):
        return Finding(owner=process.name, step=step, text=plain_reason(cause), line=line_of(cause))
    return Finding(owner=process.name, step=step, text="; ".join(error.problems))


def _plan_findings(process: Process, frames: list[DataFrame]) -> Iterator[Finding]:
    """The first step whose plan fails, and each part that fails for any row. The last step's plan contains them all."""
    output = frames[-1]
    if refusal(partial(_same, output)):
        reasons = [refusal(partial(_same, frame)) for frame in frames]
        step = next(position for position, reason in enumerate(reasons) if reason)
        yield Finding(owner=process.name, step=step, text=reasons[step])
        return
    remaining = impossible_parts(output)
    for step, frame in enumerate(frames if remaining else ()):
        here = [reason for reason in impossible_parts(frame) if reason in remaining]
        yield from (Finding(owner=process.name, step=step, text=reason) for reason in here)
        remaining = [reason for reason in remaining if reason not in here]


def _same(frame: DataFrame) -> DataFrame:
    return frame


def _output_findings(dataset: Dataset, process: Process, output: DataFrame) -> Iterator[Finding]:
    try:
        _, verdict = declared_output(output, dataset)
        reason = "" if verdict.passed else f"its rows are not as schema.constraints declares: {verdict.reason}"
    except spark_errors() as error:
        reason = plain_reason(error)
    if reason:
        yield Finding(owner=process.name, step=len(process.steps) - 1, text=reason)
