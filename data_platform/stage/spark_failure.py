"""Why a Spark job died, as our own errors: a place that cannot be written, a broken file, rows or a rule that raise.

Under ANSI SQL a division by zero or an overflow ends the whole job, and Spark's text quotes the value. So only the
class and the condition of Spark's errors are ever reported, and never their text. Which rules raise is tested only
after a write has died, each rule by itself, so that the other rules still report.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from data_platform.errors import DataPlatformError, EnvironmentProblem, PolicyError, SourceError, VanishedInputError
from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform.sql.refusal import causes
from data_platform.sql.refusal import spark_errors as spark_errors  # re-exported
from data_platform.transform.sql import failing_step

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pyspark.sql import Column, DataFrame

    from data_platform.model.process import Process
    from data_platform.stage.candidate import Attempt, RowRules

_WRAPPERS = {"", "TASK_WRITE_FAILED"}
_GONE = "FAILED_READ_FILE.FILE_NOT_EXIST"


@contextmanager
def explained(
    attempt: Attempt, rows: DataFrame | None, of_source: Callable[[Exception], Exception | None] = lambda _: None
) -> Iterator[None]:
    """``of_source`` is the error of a source that caused one of Spark's, if it did.

    Raises:
        EnvironmentProblem, SourceError, PolicyError: In place of Spark's own errors, which quote values.
        SourceUnavailableError: The source did not answer to the end.
    """
    try:
        yield
    except spark_errors() as error:
        ours = of_source(error) or _explanation(attempt, rows, error)
        raise ours from None  # a traceback would show Spark's text beside ours


def errored(attempt: Attempt, rules: RowRules | None) -> Verdict | None:
    """A verdict that names each rule that raises, and counts the rows that break the others; None if no rule raises.

    Raises:
        DataPlatformError: The rows themselves cannot be computed, so no rule could be tested.
    """
    if rules is None:
        return None
    with explained(attempt, rules.rows):
        rules.rows.write.format("noop").mode("overwrite").save()
    results = [_ask(rules.rows, signature, flag, rules.severities) for signature, flag in rules.flags.items()]
    raising = [result for result in results if result.outcome is Outcome.ERRORED]
    if not raising:
        return None
    return Verdict(
        gate=Gate.G4_CONTRACT,
        outcome=Outcome.ERRORED,
        results=tuple(results),
        reason="; ".join(f"{result.signature} {result.reason}" for result in raising),
    )


def _ask(rows: DataFrame, signature: str, flag: Column, severities: Mapping[str, Severity]) -> RuleResult:
    from pyspark.sql import functions as F

    severity = severities.get(signature, Severity.QUARANTINE)
    try:
        counts = rows.select(F.count_if(flag).alias("broken")).collect()
    except spark_errors() as error:
        reason = f"raises {condition_of(error)} on at least one row: write the rule so that it works for every row"
        return RuleResult.errored(signature, reason)
    return RuleResult.counted(signature, int(counts[0]["broken"]), severity)


def _explanation(attempt: Attempt, rows: DataFrame | None, error: Exception) -> DataPlatformError:
    what = attempt.name
    error_causes = causes(error)
    if any(condition.startswith("FAILED_READ_FILE") for _, condition in error_causes):
        is_gone = any(condition == _GONE for _, condition in error_causes)
        return (VanishedInputError if is_gone else SourceError)(
            f"{what}: a file that it reads is gone or broken inside; nothing is shown. Ask for the delivery again, or "
            "run the stage before again, and then this one"
        )
    if any(name.endswith("IOException") or "FileSystem" in name or "FileNotFound" in name for name, _ in error_causes):
        return EnvironmentProblem(
            f"{what}: Spark could not write below the lake ({condition_of(error)}); nothing is shown. Look at the "
            "folder's permissions and at the free space, and run again"
        )
    process = attempt.dataset.process
    if process is not None:
        return PolicyError(
            f"{what}: process {process.name}{_step_of(attempt, rows, process)}: its rows cannot be computed "
            f"({condition_of(error)}); nothing is shown. "
            "Write its steps so that they can be computed for every row; a rerun cannot help"
        )
    return SourceError(
        f"{what}: Spark ended with {condition_of(error)}; nothing is shown. Look at the delivery and at the rules"
    )


def _step_of(attempt: Attempt, rows: DataFrame | None, process: Process) -> str:
    """``: step totals``, if that is the first step that fails; tested only after the process has failed as a whole."""
    if attempt.stage is not Stage.SILVER or rows is None:
        return ""
    step = failing_step(rows.sparkSession, process)
    return f": step {step}" if step else ""


def condition_of(error: Exception) -> str:
    """The innermost condition that Spark names, or the class of the innermost cause; never Spark's text."""
    error_causes = causes(error)
    named = [condition for _, condition in error_causes if condition not in _WRAPPERS]
    return named[-1] if named else error_causes[-1][0]
