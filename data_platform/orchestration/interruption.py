"""Runs a Dagster run outside the main thread, so that a signal can stop the caller that waits for it.

In the main thread Dagster handles the signals itself, and raises in the middle of a call to the JVM. The connection
of that call then waits for an answer that nobody reads.
"""

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

import dagster as dg

from data_platform.installation import Platform
from data_platform.orchestration.liveness import PREFIX

LOG = logging.getLogger(__name__)
Answer = TypeVar("Answer")
END_SECONDS = 10
"""The time in which the run notices that the JVM is gone. Later, what it still holds is freed as that of a dead run."""
POLL_SECONDS = 0.2
ATTEMPTS = 5


def in_thread(platform: Platform, instance: dg.DagsterInstance, run: Callable[[], Answer]) -> Answer:
    """Returns the answer of ``run``, or raises its error. If the caller is interrupted, its Dagster run is canceled."""
    answers: list[Answer] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            answers.append(run())
        except BaseException as error:
            errors.append(error)  # raised again in the thread that waits for it

    platform.dagster_run = None
    thread = threading.Thread(target=work, name="dagster run", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(POLL_SECONDS)
    except BaseException:
        platform.stopping.set()
        _attempt("canceling", lambda: _announce(platform, instance))
        thread.join(END_SECONDS)
        _attempt("canceled", lambda: _cancel(platform, instance) and not thread.is_alive())
        raise
    if errors:
        raise errors[0]
    return answers[0]


def _attempt(status: str, write: Callable[[], bool]) -> None:
    """Calls ``write`` until it returns True: the run's thread may write to Dagster's storage at the same time."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            if write():
                return
        except Exception as error:
            LOG.warning("not %s yet (attempt %d of %d): %s", status, attempt, ATTEMPTS, type(error).__name__)
        time.sleep(POLL_SECONDS)


def _announce(platform: Platform, instance: dg.DagsterInstance) -> bool:
    """Tags the run first: Dagster's daemon restarts a failed run, and a step that is stopped fails."""
    run = _run_of(platform, instance)
    if run is not None and not run.is_finished:
        instance.add_run_tags(run.run_id, {"dagster/max_retries": "0"})
        instance.report_run_canceling(run, "The process of this run was asked to end by a signal.")
    return True


def _cancel(platform: Platform, instance: dg.DagsterInstance) -> bool:
    """Returns whether the run has its final status; if not, it is canceled, and its status has to be read again.

    This also holds if Dagster has already recorded a failure: the steps failed because they were stopped.
    """
    run = _run_of(platform, instance)
    if run is None or run.status in (dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.CANCELED):
        return True
    instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
    for lease in platform.catalog.leases.all():
        if lease.subject == PREFIX + run.run_id:
            platform.catalog.leases.release(lease.subject, owner=lease.owner)
    instance.report_run_canceled(run, "Stopped by a signal. The next run rolls back what was written and not judged.")
    return False


def _run_of(platform: Platform, instance: dg.DagsterInstance) -> dg.DagsterRun | None:
    return instance.get_run_by_id(platform.dagster_run) if platform.dagster_run else None
