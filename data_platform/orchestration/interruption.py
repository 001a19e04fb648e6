"""Runs a Dagster run beside the main thread, so that whoever waits for it can be stopped by a signal.

In the main thread Dagster takes the signals for itself, and raises from the midst of a call to the JVM. The connection
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
"""For the run to notice that the JVM is gone. What is not given back by then is freed as that of a dead run."""
POLL_SECONDS = 0.2
ATTEMPTS = 5


def in_thread(platform: Platform, instance: dg.DagsterInstance, run: Callable[[], Answer]) -> Answer:
    """The answer of ``run``, or its error. If the caller is interrupted, its Dagster run is canceled."""
    answers: list[Answer] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            answers.append(run())
        except BaseException as error:
            errors.append(error)  # raised again where it is waited for

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
    """Calls ``write`` until it answers that it is done: the run's thread may write to Dagster's storage meanwhile."""
    for attempt in range(1, ATTEMPTS + 1):
        try:
            if write():
                return
        except Exception as error:
            LOG.warning("not %s yet (attempt %d of %d): %s", status, attempt, ATTEMPTS, type(error).__name__)
        time.sleep(POLL_SECONDS)


def _announce(platform: Platform, instance: dg.DagsterInstance) -> bool:
    """Dagster's daemon starts a failed run again, and a step that is stopped fails: so the run is tagged first."""
    run = _run_of(platform, instance)
    if run is not None and not run.is_finished:
        instance.add_run_tags(run.run_id, {"dagster/max_retries": "0"})
        instance.report_run_canceling(run, "The process of this run was asked to end by a signal.")
    return True


def _cancel(platform: Platform, instance: dg.DagsterInstance) -> bool:
    """Whether the run has the status that it keeps; if not, it is canceled, and its status is to be read again.

    Also where Dagster has recorded a failure by now: the steps that failed did so because they were stopped.
    """
    run = _run_of(platform, instance)
    if run is None or run.status in (dg.DagsterRunStatus.SUCCESS, dg.DagsterRunStatus.CANCELED):
        return True
    instance.event_log_storage.free_concurrency_slots_for_run(run.run_id)
    for lease in platform.catalog.leases.all():
        if lease.subject == PREFIX + run.run_id:
            platform.catalog.leases.release(lease.subject, holder=lease.holder)
    instance.report_run_canceled(run, "Stopped by a signal. The next run rolls back what was written and not judged.")
    return False


def _run_of(platform: Platform, instance: dg.DagsterInstance) -> dg.DagsterRun | None:
    return instance.get_run_by_id(platform.dagster_run) if platform.dagster_run else None
