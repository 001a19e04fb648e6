"""Which Dagster runs are alive, whoever started them, and what becomes of those that are not.

A run that is killed stays STARTED in Dagster for ever: it counts against the limit of concurrent runs, and keeps the
slots of its pools. Dagster's own monitoring sees only runs that its launcher started, and only with a daemon. So every
run of the platform holds a lease of its own in the catalog, ``dagster/<run id>``, and renews it while it lives. Each
new run, a sensor and ``data-platform reconcile`` end those whose process is gone.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from data_platform.errors import DataPlatformError
from data_platform.installation import Platform
from data_platform.model.lease import Lease
from data_platform.orchestration.unreached_check import forget_unreached_checks
from data_platform.settings import Settings
from data_platform.stage import lease_owner
from data_platform.stage.lease import Held

PREFIX = "dagster/"
CHECK_SECONDS = 30


@contextmanager
def alive(platform: Platform, run_id: str, instance: dg.DagsterInstance) -> Iterator[None]:
    """Keeps the lease of ``run_id``, and first ends the runs that are dead.

    The lease is left behind at the end, since Dagster records the end of the run after this: who looks next removes it.
    """
    for message in end_dead_runs(platform, instance):
        platform.on_step("freed", {"message": message})
    platform.dagster_run = run_id
    subject, me = PREFIX + run_id, lease_owner.of(run_id)
    platform.catalog.take_lease(subject, holder=me, now=platform.now(), ttl=platform.settings.lease)
    held = Held(platform, subject, me)
    try:
        yield
    finally:
        held.end(release=False)


def end_dead_runs(platform: Platform, instance: dg.DagsterInstance) -> list[str]:
    """Mark them as failed in Dagster, and free their pool slots; a sentence for each."""
    now = platform.now()
    leases = [lease for lease in platform.catalog.leases() if lease.subject.startswith(PREFIX)]
    messages = []
    for lease in leases:
        if lease_owner.is_dead(lease.holder) or lease.expires_at <= now:
            message = _end(instance, lease)
            platform.catalog.release_lease(lease.subject, holder=lease.holder)
            messages += [message] if message else []
    return messages


def _end(instance: dg.DagsterInstance, lease: Lease) -> str | None:
    """None if the run had ended by itself, or is of another instance."""
    run = instance.get_run_by_id(lease.subject.removeprefix(PREFIX))
    if run is None:
        return None
    instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
    if run.is_finished:
        return None
    forget_unreached_checks(instance, run.run_id)
    message = (
        f"Dagster run {lease_owner.described(lease.holder)}, started {lease.taken_at:%Y-%m-%d %H:%M:%S} UTC, "
        "is dead: its process ended without a word. It was marked as failed; what it wrote and nobody judged "
        "is rolled back"
    )
    if run.status is dg.DagsterRunStatus.CANCELING:
        instance.report_run_canceled(run, message)
    else:
        instance.report_run_failed(run, message)
    return message


def dead_runs_sensor(settings: Settings) -> dg.SensorDefinition:
    """So that dead runs do not fill Dagster's queue, where nothing new could start and find them."""

    @dg.sensor(
        name="dead_runs",
        minimum_interval_seconds=CHECK_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Marks runs whose process is gone as failed, and frees what they held.",
    )
    def dead_runs(context: dg.SensorEvaluationContext) -> dg.SkipReason:
        platform = Platform(settings)
        try:
            messages = end_dead_runs(platform, context.instance)
        except DataPlatformError as error:
            return dg.SkipReason(f"the catalog did not say which runs are alive: {error}")
        finally:
            platform.close()
        return dg.SkipReason("; ".join(messages) or "no run is dead")

    return dead_runs
