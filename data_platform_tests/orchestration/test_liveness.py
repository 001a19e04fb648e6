"""A run whose process is dead is marked as failed in Dagster, and its slots and lease are released."""

import os
import socket
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.remote_origin import (
    ManagedGrpcPythonEnvCodeLocationOrigin,
    RemoteInstigatorOrigin,
    RemoteRepositoryOrigin,
)
from dagster._core.scheduler.instigation import InstigatorState, InstigatorStatus, InstigatorType
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin

from data_platform.errors import EnvironmentProblem
from data_platform.installation import Platform
from data_platform.orchestration.job import JOB, LOCATION, MODULE, REPOSITORY, origin
from data_platform.orchestration.liveness import PREFIX, START, alive, dead_runs_sensor, end_dead_runs
from data_platform.stage import lease_owner
from data_platform_tests.flows.estate import Estate, declare_orders

HOUR = timedelta(hours=1)
Status = dg.DagsterRunStatus


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    estate = Estate(tmp_path, spark=None)
    declare_orders(estate)
    opened = Platform(estate.settings)
    yield opened
    opened.close()


def dead(run_id: str) -> str:
    return f"{run_id}@{socket.gethostname()}:{os.getpid()}:1:{lease_owner.this_process('x').rsplit(':', 1)[1]}"


def elsewhere(run_id: str) -> str:
    return f"{run_id}@another-host:7:1:0123456789abcdef"


def started(instance: dg.DagsterInstance, status: Status = Status.STARTED) -> str:
    @dg.op
    def nothing() -> None: ...

    @dg.job
    def job() -> None:
        nothing()

    return instance.create_run_for_job(job, status=status).run_id


def put(platform: Platform, run_id: str, owner: str, ttl: timedelta = HOUR) -> None:
    platform.catalog.leases.take(PREFIX + run_id, owner=owner, now=platform.now(), ttl=ttl)


def status_of(instance: dg.DagsterInstance, run_id: str) -> Status:
    run = instance.get_run_by_id(run_id)
    assert run is not None
    return run.status


def test_a_dead_run_fails_with_a_message_and_frees_its_slot(platform: Platform, instance: dg.DagsterInstance) -> None:
    run_id = started(instance)
    put(platform, run_id, dead(run_id))
    storage = instance.event_log_storage
    storage.set_concurrency_slots("dataset_orders", 1)
    storage.claim_concurrency_slot("dataset_orders", run_id, "bronze__orders")

    [message] = end_dead_runs(platform, instance)

    assert f"Dagster run {run_id} on {socket.gethostname()}" in message
    assert status_of(instance, run_id) is Status.FAILURE
    assert storage.get_concurrency_info("dataset_orders").active_slot_count == 0
    assert message in [entry.message for entry in instance.all_logs(run_id)]
    assert platform.catalog.leases.all() == ()
    assert end_dead_runs(platform, instance) == []


def test_a_run_of_another_host_is_dead_once_its_lease_is_over(platform: Platform, instance: dg.DagsterInstance) -> None:
    lasting, over = started(instance), started(instance)
    put(platform, lasting, elsewhere(lasting))
    put(platform, over, elsewhere(over), timedelta(0))

    assert len(end_dead_runs(platform, instance)) == 1
    assert status_of(instance, lasting) is Status.STARTED
    assert status_of(instance, over) is Status.FAILURE


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(Status.CANCELING, Status.CANCELED, id="somebody had asked it to end"),
        pytest.param(Status.SUCCESS, Status.SUCCESS, id="it had ended by itself"),
    ],
)
def test_how_a_dead_run_ends(platform: Platform, instance: dg.DagsterInstance, before: Status, after: Status) -> None:
    run_id = started(instance, before)
    put(platform, run_id, dead(run_id))

    end_dead_runs(platform, instance)

    assert status_of(instance, run_id) is after
    assert platform.catalog.leases.all() == ()


def test_a_run_that_starts_ends_the_dead_and_is_alive_itself(platform: Platform, instance: dg.DagsterInstance) -> None:
    gone, mine = started(instance), started(instance)
    put(platform, gone, dead(gone))

    with alive(platform, mine, instance):
        assert status_of(instance, gone) is Status.FAILURE
        assert end_dead_runs(platform, instance) == []

    assert end_dead_runs(platform, instance) == []  # until this process is gone, and then a record of its end is due
    assert status_of(instance, mine) is Status.STARTED


def test_the_sensor_ends_dead_runs_where_the_queue_is_full_of_them(
    platform: Platform, instance: dg.DagsterInstance
) -> None:
    run_id = started(instance)
    put(platform, run_id, dead(run_id))
    sensor = dead_runs_sensor(platform.settings)

    said = sensor(dg.build_sensor_context(instance=instance))

    assert isinstance(said, dg.SkipReason)
    assert run_id in str(said.skip_message)
    assert status_of(instance, run_id) is Status.FAILURE


def switch_off(instance: dg.DagsterInstance, name: str, location: str) -> None:
    """As the UI does it, for a sensor of a code location."""
    target = LoadableTargetOrigin(module_name=MODULE)
    code = ManagedGrpcPythonEnvCodeLocationOrigin(target, location_name=location)
    selected = RemoteInstigatorOrigin(RemoteRepositoryOrigin(code, REPOSITORY), name)
    instance.add_instigator_state(InstigatorState(selected, InstigatorType.SENSOR, InstigatorStatus.STOPPED, None))


def test_each_tick_records_that_the_daemon_runs_and_what_is_switched_off(platform: Platform, tmp_path: Path) -> None:
    with dg.DagsterInstance.local_temp(str(tmp_path)) as instance:
        switch_off(instance, "arrivals", LOCATION)
        switch_off(instance, "on_certification", "another_location")

        dead_runs_sensor(platform.settings)(dg.build_sensor_context(instance=instance))

    state = platform.catalog.scheduler.state()
    assert state.ticked_at is not None
    assert state.ticked_at > platform.now() - timedelta(minutes=5)
    assert list(state.off) == ["arrivals"]


def at(platform: Platform, moment: datetime) -> Platform:
    return Platform(platform.settings, now=lambda: moment)


def launched(instance: dg.DagsterInstance, status: Status = Status.STARTED) -> str:
    """Of our code location, as the UI and the daemon launch runs."""

    @dg.job
    def job() -> None: ...

    return instance.create_run_for_job(job, status=status, remote_job_origin=origin(JOB)).run_id


@pytest.mark.parametrize("status", [Status.STARTING, Status.STARTED])
def test_a_run_that_is_killed_before_it_takes_its_lease_is_ended(
    platform: Platform, instance: dg.DagsterInstance, status: Status
) -> None:
    run_id, of_another_location = launched(instance, status), started(instance)
    now = datetime.now(UTC)

    assert end_dead_runs(at(platform, now + START / 2), instance) == []
    [message] = end_dead_runs(at(platform, now + START * 2), instance)

    assert f"Dagster run {run_id} is dead: 5 minutes after its start" in message
    assert status_of(instance, run_id) is Status.FAILURE
    assert status_of(instance, of_another_location) is Status.STARTED


def test_a_run_that_has_its_lease_may_be_silent(platform: Platform, instance: dg.DagsterInstance) -> None:
    run_id = launched(instance)
    later = at(platform, datetime.now(UTC) + START * 2)

    with alive(later, run_id, instance):
        assert end_dead_runs(later, instance) == []

    assert status_of(instance, run_id) is Status.STARTED


def test_a_run_that_was_given_up_does_not_begin(platform: Platform, instance: dg.DagsterInstance) -> None:
    run_id = launched(instance, Status.FAILURE)

    with pytest.raises(EnvironmentProblem, match="was ended before it began"), alive(platform, run_id, instance):
        pytest.fail("it began")

    assert platform.catalog.leases.all() == ()
