"""A run that is stopped by a signal ends as canceled, even if its thread writes to Dagster at the same time."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import dagster as dg
import pytest

from data_platform.installation import Platform
from data_platform.orchestration import interruption
from data_platform.orchestration.interruption import in_thread
from data_platform_tests.flows.estate import Estate, declare_orders

Status = dg.DagsterRunStatus


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    estate = Estate(tmp_path, spark=None)
    declare_orders(estate)
    opened = Platform(estate.settings)
    yield opened
    opened.close()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interruption, "END_SECONDS", 0.2)
    monkeypatch.setattr(interruption, "POLL_SECONDS", 0.1)


def started(instance: dg.DagsterInstance) -> dg.DagsterRun:
    @dg.op
    def nothing() -> None: ...

    @dg.job
    def job() -> None:
        nothing()

    return instance.create_run_for_job(job, status=Status.STARTED)


def interrupted(
    platform: Platform, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch, then: Callable[[], object]
) -> Status:
    """The status of a run whose caller gets Ctrl-C, and whose thread does ``then`` after that."""
    run = started(instance)
    pressed = threading.Event()

    def work() -> None:
        platform.dagster_run = run.run_id
        assert pressed.wait(60)
        then()
        instance.report_run_failed(run, "the JVM is gone")

    def press(_: threading.Thread, timeout: float | None = None) -> None:
        if platform.dagster_run is not None and not pressed.is_set():
            pressed.set()
            raise KeyboardInterrupt
        joined(_, timeout)

    joined = threading.Thread.join
    monkeypatch.setattr(threading.Thread, "join", press)
    with pytest.raises(KeyboardInterrupt):
        in_thread(platform, instance, work)
    ended = instance.get_run_by_id(run.run_id)
    assert ended is not None
    return ended.status


def test_a_failure_that_is_recorded_before_it_is_canceled(
    platform: Platform, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert interrupted(platform, instance, monkeypatch, lambda: None) is Status.CANCELED


def test_a_failure_that_is_recorded_after_it_was_canceled(
    platform: Platform, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = threading.Event()

    assert interrupted(platform, instance, monkeypatch, lambda: late.wait(0.5)) is Status.CANCELED


@pytest.mark.parametrize("report", ["report_run_canceling", "report_run_canceled"])
def test_a_storage_that_is_locked_for_a_moment(
    platform: Platform, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch, report: str
) -> None:
    real, calls = getattr(instance, report), []

    def locked(run: dg.DagsterRun, message: str) -> object:
        calls.append(message)
        if len(calls) == 1:
            raise sqlite3.OperationalError("database is locked")
        return real(run, message)

    monkeypatch.setattr(instance, report, locked)
    slow = threading.Event()

    assert interrupted(platform, instance, monkeypatch, lambda: slow.wait(0.3)) is Status.CANCELED
    assert len(calls) >= 2
