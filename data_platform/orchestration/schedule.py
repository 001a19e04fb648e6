"""Schedules of processes and of tables: each tick starts all stages of the last day that is over, in one run.

PROCESS is started by its schedule alone, as in a legacy scheduler; missing inputs then hold the run. HYBRID is also
started by the certification of its inputs (``automation``), so its schedule starts only what nothing has started: it
skips, and gives the reason, while an input is not certified, while a run is under way, and once the day is made of the
current inputs. An automation tick in the same second as a schedule's may still start a second run; the lease of the
dataset keeps the two apart, and the second reuses the results of the first.

A table may also have a marker of the job that fills it. Then its schedule starts only a day that no marker has started.
"""

from functools import partial

import dagster as dg

from data_platform.catalog import open_catalog
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.process import TriggerMode
from data_platform.model.schedule import parse_schedule
from data_platform.model.scheduler_state import schedule_name
from data_platform.orchestration.dagster_types import asset_key, dagster_key
from data_platform.orchestration.event_log import EventLog
from data_platform.policies import Dataset, Policies
from data_platform.settings import Settings
from data_platform.stage.readiness import State, readiness


def schedules(policies: Policies, settings: Settings) -> list[dg.ScheduleDefinition]:
    return [_schedule(policies, settings, dataset) for dataset in policies.datasets if dataset.schedule]


def _schedule(policies: Policies, settings: Settings, dataset: Dataset) -> dg.ScheduleDefinition:
    when, process = parse_schedule(dataset.schedule), dataset.process
    declared = dataset.policy.partition
    stages = dg.AssetSelection.assets(*(asset_key(stage, dataset) for stage in dataset.stages))
    what = f"Makes {dataset.urn}: all of its stages."
    return dg.ScheduleDefinition(
        name=schedule_name(dataset.scheduled_job),
        job=dg.define_asset_job(dataset.scheduled_job, stages, description=what),
        cron_schedule=when.cron,
        execution_timezone=when.time_zone or (declared.time_zone if declared else "UTC"),
        execution_fn=partial(_due, policies=policies, settings=settings, dataset=dataset),
        default_status=dg.DefaultScheduleStatus.RUNNING,
        description=f"{dataset.schedule}{f', {process.trigger.value}' if process else ''}: "
        f"{'the day that was over last' if declared else 'as a whole'}.",
    )


def _due(
    context: dg.ScheduleEvaluationContext, *, policies: Policies, settings: Settings, dataset: Dataset
) -> dg.RunRequest | dg.SkipReason:
    at, declared = context.scheduled_execution_time, dataset.policy.partition
    partition = declared.last_over(at) if declared else None
    if declared and partition is None:
        last = f", and the last {declared.last}" if declared.last else ""
        what = f"the day that was over last is no day of {dataset.urn}"
        return dg.SkipReason(f"{what}: the first is {declared.first}{last}")
    if dataset.process is not None and dataset.process.trigger is TriggerMode.HYBRID:
        reason = _under_way(context.instance, dataset, partition) or _not_due(policies, settings, dataset, partition)
        if reason:
            return dg.SkipReason(reason)
    source = dataset.policy.source
    if partition is not None and source is not None and source.arrival is not None:
        reason = _under_way(context.instance, dataset, partition) or _was_read(settings, dataset, partition)
        if reason:
            return dg.SkipReason(reason)
    return dg.RunRequest(run_key=f"{dataset.urn} {partition or at.isoformat()}", partition_key=dagster_key(partition))


def _under_way(instance: dg.DagsterInstance, dataset: Dataset, partition: PartitionKey | None) -> str:
    """Whether any stage of it is being made, by any run: also a queued one, and one of the command line."""
    log = EventLog(instance)
    for stage in dataset.stages:
        if run_id := log.run_making(asset_key(stage, dataset), partition):
            return f"{_named(dataset, partition)} is being made already, by run {run_id}"
    return ""


def _not_due(policies: Policies, settings: Settings, dataset: Dataset, partition: PartitionKey | None) -> str:
    with open_catalog(settings.catalog_url) as catalog:
        state = readiness(catalog, policies, dataset, partition)
    reasons = {
        State.DUE: "",
        State.WAITING: f"waits for {', '.join(state.missing)}, not certified for it so far: that will start it",
        State.MADE: f"was made of its inputs as they are now, by {state.run_id}",
        State.HELD: f"was held in {state.run_id}, of its inputs as they are now: fix the cause, then run it by hand",
    }
    return f"{_named(dataset, partition)} {reasons[state.state]}" if reasons[state.state] else ""


def _was_read(settings: Settings, dataset: Dataset, partition: PartitionKey) -> str:
    with open_catalog(settings.catalog_url) as catalog:
        last = catalog.runs.latest(dataset.urn, Stage.BRONZE, partition)
    if last is None:
        return ""
    again = "" if last.qualifies else ", which held it: fix the cause, then run it by hand"
    return f"{_named(dataset, partition)} was read by {last.run_id}, which its marker or somebody started{again}"


def _named(dataset: Dataset, partition: PartitionKey | None) -> str:
    return f"{dataset.urn} {partition}" if partition else dataset.urn
