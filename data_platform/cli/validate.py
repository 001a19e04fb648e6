"""``data-platform validate``: checks the policy files, and then lets Spark plan their rules and processes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import AsJson, Debug, opened
from data_platform.errors import EnvironmentProblem, PolicyError, UsageError

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.policies.problem import Finding

LIMIT_SECONDS = 600


@dataclass(frozen=True)
class SparkAnswer:
    """What Spark reported; ``left_out`` is why Spark did not check the policies, or not all of them."""

    problems: tuple[str, ...] = ()
    left_out: str = ""


def validate(
    *,
    spark: Annotated[
        bool, typer.Option("--spark/--no-spark", help="Also check with Spark, which takes some seconds and needs Java.")
    ] = True,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Read every policy file, and report all problems, each with its file and line.

    If the files have no problem, Spark plans each rule and each step of a process on empty tables, and its errors are
    problems too. Without Java the Spark check is skipped, with a message.
    """
    with opened(as_json=as_json, debug=debug) as platform:
        _require_datasets(platform)
        answer = _ask_spark(platform) if spark else SparkAnswer(left_out="--no-spark was given")
        if answer.problems:
            raise PolicyError(answer.problems)
        _print(platform, answer, as_json=as_json)


def _require_datasets(platform: Platform) -> None:
    from data_platform.stage.landing import landing_problem
    from data_platform.stage.selection import NO_DATASETS

    if not platform.policies.datasets:
        raise UsageError(f"{platform.settings.policies}: {NO_DATASETS}")
    if problem := landing_problem(platform):
        raise UsageError(problem)


def _ask_spark(platform: Platform) -> SparkAnswer:
    from data_platform.lake.java import require_java
    from data_platform.policies import problems_at

    findings: list[Finding] = []
    left_out = ""
    try:
        require_java()
        screen.announce("the policy files are valid; starting Spark to check the rules (skip with --no-spark)")
        _collect(platform, findings)
    except EnvironmentProblem as error:
        left_out = str(error)
    return SparkAnswer(tuple(str(problem) for problem in problems_at(platform.settings.policies, findings)), left_out)


def _collect(platform: Platform, findings: list[Finding]) -> None:
    """Adds Spark's findings for each dataset, with a progress bar on a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from data_platform.lake.small_session import small_session
    from data_platform.stage.policy_check import findings_of

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    console, policies = screen.err(), platform.policies
    with (
        small_session(LIMIT_SECONDS) as session,
        Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress,
    ):
        task = progress.add_task("checking with Spark", total=len(policies.datasets))
        for dataset, new_findings in findings_of(session, policies, datetime.now(UTC)):
            findings += new_findings
            progress.update(task, description=f"checked {dataset.urn}", advance=1)


def _print(platform: Platform, answer: SparkAnswer, *, as_json: bool) -> None:
    policies = platform.policies
    datasets, processes, environment = len(policies.datasets), len(policies.processes), policies.platform.environment
    if as_json:
        counts = {"datasets": datasets, "processes": processes, "environment": environment, "problems": []}
        screen.print_json({**counts, "spark": {"asked": not answer.left_out, "left_out": answer.left_out}})
        return
    screen.out().print(
        f"{datasets} datasets and {processes} processes in {platform.settings.policies}"
        f" (environment {environment}): no problem found",
        markup=False,
    )
    if answer.left_out:
        screen.out().print(f"skipped the Spark check: {answer.left_out}", markup=False, soft_wrap=True)
