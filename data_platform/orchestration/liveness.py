"""Finds which Dagster runs are alive, whoever started them, and ends those that are not.

A run that is killed stays STARTED in Dagster for ever: it counts against the limit of concurrent runs, and keeps the
slots of its pools. Dagster's own monitoring sees only runs that its launcher started, and only with a daemon. So every
run of the platform holds its own lease in the catalog, ``dagster/<run id>``, and renews it while it is alive. Each new
run, a sensor and ``data-platform reconcile`` end the runs whose process is gone. A run that is killed before it takes
its lease, while its process loads the policies, is ended once it has reported nothing for longer than any load takes.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, timedelta

import dagster as dg

from data_platform.errors import EnvironmentProblem
from data_platform.installation import Platform
from data_platform.model.lease import Lease
from data_platform.orchestration.job import LOCATION
from data_platform.orchestration.scheduler_state import record_scheduler
from data_platform.orchestration.unreached_check import forget_unreached_checks
from data_platform.orchestration.upkeep_sensor import upkeep_sensor
from data_platform.settings import Settings
from data_platform.stage import lease_owner
from data_platform.stage.lease import Held

PREFIX = "dagster/"
CHECK_SECONDS = 30
START = timedelta(minutes=5)
"""How long a run that was handed to a process may be without a lease; Dagster itself waits three minutes."""

_UNDER_WAY = [dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]


@contextmanager
def alive(platform: Platform, run_id: str, instance: dg.DagsterInstance) -> Iterator[None]:
    """Keeps the lease of ``run_id`` while it runs, and first ends the runs that are dead.

    The lease stays at the end, since Dagster records the end of the run only after this; a later check removes it.

    Raises:
        EnvironmentProblem: The start took so long that the run was ended as dead.
    """
    platform.dagster_run = run_id
    subject, me = PREFIX + run_id, lease_owner.this_process(run_id)
    platform.catalog.leases.take(subject, owner=me, now=platform.now(), ttl=platform.settings.lease)
    run = instance.get_run_by_id(run_id)
    if run is not None and run.is_finished:
        platform.catalog.leases.release(subject, owner=me)
        raise EnvironmentProblem(f"Dagster run {run_id} was ended before it began: start it again")
    for message in end_dead_runs(platform, instance):
        platform.on_step("freed", {"message": message})
    held = Held(platform, subject, me)
    try:
        yield
    finally:
        held.end(release=False)


def end_dead_runs(platform: Platform, instance: dg.DagsterInstance) -> list[str]:
    """Marks them as failed in Dagster, and frees their pool slots; returns a message for each."""
    now = platform.now()
    silent = _silent(platform, instance)  # read before the leases: a lease that is taken in between counts
    leases = [lease for lease in platform.catalog.leases.all() if lease.subject.startswith(PREFIX)]
    messages = []
    for lease in leases:
        if lease_owner.is_dead(lease.owner) or lease.expires_at <= now:
            run = instance.get_run_by_id(lease.subject.removeprefix(PREFIX))
            if run is not None and _end(instance, run, _died(lease)):
                messages.append(_died(lease))
            platform.catalog.leases.release(lease.subject, owner=lease.owner)
    leased = {lease.subject for lease in leases}
    for run in silent:
        if PREFIX + run.run_id not in leased and _end(instance, run, _never_began(run)):
            messages.append(_never_began(run))
    return messages


def _silent(platform: Platform, instance: dg.DagsterInstance) -> list[dg.DagsterRun]:
    """Runs of this code location that are under way, and have reported nothing to Dagster for ``START``."""
    records = instance.get_run_records(dg.RunsFilter(statuses=_UNDER_WAY))
    before = platform.now() - START
    return [r.dagster_run for r in records if _is_ours(r.dagster_run) and r.update_timestamp.astimezone(UTC) < before]


def _is_ours(run: dg.DagsterRun) -> bool:
    """Whether the run is of this code location; runs of others in the same instance take no lease."""
    origin = run.remote_job_origin
    return origin is not None and origin.repository_origin.code_location_origin.location_name == LOCATION


def _died(lease: Lease) -> str:
    return (
        f"Dagster run {lease_owner.described(lease.owner)}, started {lease.taken_at:%Y-%m-%d %H:%M:%S} UTC, "
        "is dead: its process ended without reporting. It was marked as failed; what it wrote without a verdict "
        "is rolled back"
    )


def _never_began(run: dg.DagsterRun) -> str:
    minutes = int(START.total_seconds() // 60)
    return (
        f"Dagster run {run.run_id} is dead: {minutes} minutes after its start no process of it had opened the catalog. "
        "It was marked as failed; it wrote nothing, and can be started again"
    )


def _end(instance: dg.DagsterInstance, run: dg.DagsterRun, message: str) -> bool:
    """Returns False if the run had already ended."""
    instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
    if run.is_finished:
        return False
    forget_unreached_checks(instance, run.run_id)
    if run.status is dg.DagsterRunStatus.CANCELING:
        instance.report_run_canceled(run, message)
    else:
        instance.report_run_failed(run, message)
    return True


def _tick(platform: Platform, instance: dg.DagsterInstance) -> list[str]:
    record_scheduler(platform, instance)
    return end_dead_runs(platform, instance)


def dead_runs_sensor(settings: Settings) -> dg.SensorDefinition:
    """Ends dead runs regularly, so that they do not fill Dagster's queue, where no new run could start and end them."""
    return upkeep_sensor(
        settings,
        _tick,
        name="dead_runs",
        description="Ends runs whose process is gone, frees what they held, and records that the daemon runs.",
        interval_seconds=CHECK_SECONDS,
        nothing="no run is dead",
        what="the alive runs",
    )
