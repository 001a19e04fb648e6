"""Dagster's files in SQLite stay open only where nobody watches them, and every process sees each event at once."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from dagster._core.instance.ref import InstanceRef

from data_platform.orchestration.instance import opened_instance
from data_platform.orchestration.sqlite_storage import MOST_RUNS
from data_platform_tests.flows.estate import Estate

ORDERS = dg.AssetKey("orders")
PATIENCE_SECONDS = 60
QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


@pytest.fixture
def estate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Estate:
    monkeypatch.setenv("DAGSTER_HOME", str(tmp_path / "dagster"))
    return Estate(tmp_path, spark=None)


@pytest.fixture
def instance(estate: Estate) -> Iterator[dg.DagsterInstance]:
    with opened_instance(estate.settings) as opened:
        yield opened


def open_files(folder: Path) -> list[str]:
    links = [os.readlink(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd") if number != "0"
             and os.path.lexists(f"/proc/self/fd/{number}")]  # fmt: skip
    return sorted(link.removeprefix(f"{folder}/") for link in links if link.startswith(str(folder)))


def materialize(instance: dg.DagsterInstance) -> str:
    orders = dg.AssetsDefinition.from_op(dg.op(name="orders")(lambda: 1))
    result = dg.materialize([orders], instance=instance, run_config=QUIET)
    assert result.success
    return result.run_id


def test_another_process_sees_each_event_and_the_file_of_a_run_is_written(
    estate: Estate, instance: dg.DagsterInstance
) -> None:
    run_id = materialize(instance)

    home = estate.settings.dagster_home
    with dg.DagsterInstance.from_ref(InstanceRef.from_dir(str(home))) as other:
        run = other.get_run_by_id(run_id)
        assert run is not None
        assert run.is_success
        assert other.get_latest_materialization_event(ORDERS) is not None
    held = open_files(home)
    assert {"history/runs.db", "history/runs/index.db"} <= set(held)
    assert not [name for name in held if run_id in name]  # the UI watches it: a closed file has all events
    assert not (home / "history" / "runs" / f"{run_id}.db-wal").exists()


def test_an_event_of_a_run_that_goes_on_is_in_its_file_a_moment_later(
    estate: Estate, instance: dg.DagsterInstance
) -> None:
    run = instance.add_run(dg.DagsterRun(job_name="orders", run_id="0b5e0000-0000-4000-8000-000000000001"))
    home = estate.settings.dagster_home

    instance.report_engine_event("a long step began", dagster_run=run)

    until = time.monotonic() + PATIENCE_SECONDS
    while any(run.run_id in name for name in open_files(home)):
        assert time.monotonic() < until, "the file of the run was not closed"
        time.sleep(0.05)
    assert b"a long step began" in (home / "history" / "runs" / f"{run.run_id}.db").read_bytes()


def test_nothing_stays_open_after_the_instance(estate: Estate) -> None:
    with opened_instance(estate.settings) as opened:
        materialize(opened)

    assert open_files(estate.settings.dagster_home) == []


def test_the_events_of_many_runs_can_be_read(instance: dg.DagsterInstance) -> None:
    runs = [materialize(instance) for _ in range(MOST_RUNS + 1)]

    assert all(instance.all_logs(run_id) for run_id in [*runs, *runs])


def test_a_wiped_storage_can_be_used_again(instance: dg.DagsterInstance) -> None:
    before = materialize(instance)

    instance.wipe()

    assert instance.get_run_by_id(before) is None
    assert instance.get_run_by_id(materialize(instance)) is not None
