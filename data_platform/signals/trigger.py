"""Why nothing has started: a dead daemon, a schedule that is switched off, a missing marker, a legacy job.

The catalog knows of Dagster what a sensor stored at its last tick. A daemon that stopped only after the day was late is
no reason.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.model.process import TriggerMode
from data_platform.model.scheduler_state import ARRIVALS, ON_CERTIFICATION, schedule_name
from data_platform.signals.missing_marker import missing_marker

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.lateness import LegacyJob, Progress, SliceFacts
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.scheduler_state import SchedulerState
    from data_platform.policies import Dataset

_NOTHING = "nothing has started for this day"
SILENT = timedelta(minutes=5)
"""The sensor ticks every 30 seconds, or later while the daemon is busy."""


def why_not_triggered(
    dataset: Dataset,
    progress: Progress,
    waits_for: str,
    *,
    late_since: datetime,
    now: datetime,
    nothing: str = _NOTHING,
) -> str:
    """All reasons that are known, the first cause first; ``nothing`` if none is. ``waits_for`` is about the marker."""
    starters, scheduler = _starters(dataset, progress, waits_for), progress.scheduler
    legacy = progress.legacy.get(dataset.urn)
    reasons = [
        _dead_daemon(scheduler, min(late_since, now)) if starters else "",
        _switched_off(starters, scheduler),
        waits_for,
        _legacy(legacy, late_since) if legacy else "",
    ]
    return "; ".join(reason for reason in reasons if reason) or nothing


def marker_that_never_came(
    dataset: Dataset, progress: Progress, partition: PartitionKey | None, *, late_since: datetime, now: datetime
) -> str:
    """The path of the completion marker that was not seen; empty if nobody can have seen it, or none is declared."""
    scheduler = progress.scheduler
    is_watched = scheduler.ticked_at is not None or any(urn == dataset.urn for urn, _ in progress.delivered)
    if not is_watched or _dead_daemon(scheduler, min(late_since, now)) or _switched_off(((ARRIVALS,),), scheduler):
        return ""
    return missing_marker(progress, dataset.urn, partition)


def wait_for_marker(facts: SliceFacts, progress: Progress, urn: str, partition: PartitionKey | None) -> str:
    """What the delivery waits for: what its marker shows, or the marker itself; empty if it has come."""
    if facts.waits_for:
        return facts.waits_for
    marker = missing_marker(progress, urn, partition)
    return f"its completion marker {marker} has not been seen" if marker else ""


def _starters(dataset: Dataset, progress: Progress, waits_for: str) -> tuple[tuple[str, ...], ...]:
    """Each way in which Dagster starts or notices it: the schedules and sensors that must all run."""
    process = dataset.process
    by_schedule = ((schedule_name(dataset.scheduled_job),),) if dataset.schedule else ()
    by_event: tuple[tuple[str, ...], ...] = ()
    if process is None and (waits_for or dataset.urn in progress.arrivals):
        by_event = ((ARRIVALS, ON_CERTIFICATION),) if dataset.stages else ((ARRIVALS,),)
    elif process is not None and process.trigger is not TriggerMode.PROCESS:
        by_event = ((ON_CERTIFICATION,),)
    return (*by_event, *by_schedule)


def _dead_daemon(scheduler: SchedulerState, needed_at: datetime) -> str:
    ticked = scheduler.ticked_at
    if ticked is None or ticked + SILENT >= needed_at:
        return ""
    return f"Dagster's daemon, or its sensor dead_runs, has not ticked since {ticked:%Y-%m-%d %H:%M} UTC"


def _switched_off(starters: tuple[tuple[str, ...], ...], scheduler: SchedulerState) -> str:
    off = [[name for name in names if name in scheduler.off] for names in starters]
    if not off or not all(off):
        return ""
    names = dict.fromkeys(name for group in off for name in group)
    parts = [f"{name} is switched off in Dagster since {scheduler.off[name]:%Y-%m-%d %H:%M} UTC" for name in names]
    return " and ".join(parts)


def _legacy(job: LegacyJob, late_since: datetime) -> str:
    """What its scheduler was to do, and whether the job was reported since."""
    if not job.starts:
        return ""
    scheduled = job.last_scheduled(late_since)
    last = job.last_started
    if scheduled is None:
        reported = f"its last run began at {last:%Y-%m-%d %H:%M} UTC" if last else "no run of it was ever reported"
        return f"{job.process} is scheduled {job.starts}, and {reported}"
    what = f"{job.process} was to start at {scheduled:%Y-%m-%d %H:%M} UTC ({job.starts}), and"
    if last is not None and last >= scheduled:
        return f"{what} a run that began at {last:%Y-%m-%d %H:%M} UTC reported no version of this day"
    return f"{what} no run of it was reported since"
