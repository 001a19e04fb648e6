"""Runs assets in this process, on the instance that the Dagster UI shows, and collects what they report."""

import re
from collections.abc import Callable, Sequence
from typing import Any

import dagster as dg
from dagster._core.execution.execution_result import ExecutionResult

from data_platform.errors import UsageError
from data_platform.installation import Platform
from data_platform.lake.java import require_java
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import StageReport
from data_platform.orchestration.asset import IO_MANAGER, assets
from data_platform.orchestration.dagster_types import asset_key
from data_platform.orchestration.failure import HeldByGate
from data_platform.orchestration.instance import opened_instance
from data_platform.orchestration.interruption import in_thread
from data_platform.orchestration.io_manager import delta_delivery
from data_platform.orchestration.job import SelectedJob, execute, run_tags, select_job
from data_platform.orchestration.launched import RUN, Launched
from data_platform.orchestration.legacy import LegacyAssets
from data_platform.orchestration.resource import PLATFORM, lent_platform
from data_platform.policies import Dataset
from data_platform.stage.event_emitter import end_runs

_CLASS = re.compile(r"^data_platform\.errors\.\w+: ")


def launch(
    platform: Platform,
    datasets: Sequence[Dataset],
    partition: PartitionKey | None,
    on_step: Callable[[str, dict[str, Any]], None],
    *,
    first: Stage | None = None,
    log_level: str = "CRITICAL",
) -> Launched:
    """Materializes every stage of ``datasets``, in the order of their dependencies, as one Dagster run.

    With ``first``, only that stage and those after it.

    Raises:
        UsageError: ``partition`` is a day that is not over yet.
        EnvironmentProblem, SourceUnavailableError: There is no Java for Spark, or the catalog cannot be used.
    """
    reports: list[StageReport] = []

    def collect_report(step: str, details: dict[str, Any]) -> None:
        if isinstance(details.get("report"), StageReport):
            reports.append(details["report"])
        on_step(step, details)

    platform.on_step = collect_report
    platform.catalog.is_current()  # a problem of this machine is our error here, but a failed stage within a run
    if platform.session is None:
        require_java()
    try:
        with opened_instance(platform.settings) as instance:
            result = _execute(platform, instance, datasets, partition, first, log_level)
    except dg.DagsterUnknownPartitionError:
        raise UsageError(f"{partition} is not over yet, or no day of all that is selected: name another") from None
    finally:
        end_runs(platform)
    errors = _step_errors(result)
    if not result.success and not reports and not errors:
        errors[RUN] = _why_not_begun(result)
    return Launched(result.success, reports, errors)


def _execute(
    platform: Platform,
    instance: dg.DagsterInstance,
    datasets: Sequence[Dataset],
    partition: PartitionKey | None,
    first: Stage | None,
    log_level: str,
) -> ExecutionResult:
    """Executes the stages of ``datasets`` in a thread of its own, so that Ctrl-C can end the run."""
    selection = [asset_key(stage, dataset) for dataset in datasets for stage in dataset.stages_from(first)]
    return in_thread(
        platform,
        instance,
        lambda: execute(
            _job(platform, selection), partition, instance=instance, tags=run_tags(datasets), log_level=log_level
        ),
    )


def _job(platform: Platform, selection: Sequence[dg.AssetKey]) -> SelectedJob:
    """The job of the policies as they were last read; the days of a range share it."""
    policies, kept = platform.policies, platform.last_job
    if kept is None or kept[0] is not policies or kept[1].selection != tuple(selection):
        declared = assets(LegacyAssets(policies, platform.settings.policies, platform.settings.service_url))
        resources = {PLATFORM: lent_platform(platform), IO_MANAGER: delta_delivery}
        kept = platform.last_job = (policies, select_job(policies, declared, selection, resources))
    job: SelectedJob = kept[1]
    return job


def _step_errors(result: ExecutionResult) -> dict[str, str]:
    """Maps each failed step to its error, unless a gate held its batch."""
    errors = {}
    for event in result.get_step_failure_events():
        error = event.step_failure_data.error
        if error is not None and error.cls_name != HeldByGate.__name__:
            errors[event.step_key or RUN] = _cause(error)
    return errors


def _why_not_begun(result: ExecutionResult) -> str:
    """The error of a run before any step, such as a catalog that cannot be written."""
    errors = [event.job_failure_data.error for event in result.all_events if event.is_job_failure]
    return next((_cause(error) for error in errors if error is not None), "Dagster gave no reason")


def _cause(error: Any) -> str:
    """The innermost of our errors is the cause; Dagster's errors around it only give the place."""
    while error.cause is not None:
        error = error.cause
    return _CLASS.sub("", str(error.message).strip())
