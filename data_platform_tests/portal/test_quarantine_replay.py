"""The state of a requested replay is read from runs, the lease and the daemon's ticks."""

from datetime import timedelta
from typing import Any

import pytest

from data_platform.model.dataset import Stage
from data_platform.model.lease import Lease
from data_platform.model.quarantine_decision import QuarantineAction
from data_platform.model.run import RowCounts, RunRow
from data_platform.model.scheduler_state import SchedulerState
from data_platform.model.verdict import Outcome
from data_platform.portal.quarantine_replay import SENSOR, replay_state
from data_platform_tests.portal.shop import NOW, ORDERS

ALIVE = SchedulerState(ticked_at=NOW)
MINUTE = timedelta(minutes=1)


def request(minutes_ago: float = 1, action: str = "replay.request") -> QuarantineAction:
    at = NOW - minutes_ago * MINUTE
    return QuarantineAction(id=1, entry="x", at=at, actor="ann", role="LOCAL", action=action, reason="")


def lease(minutes_ago: float, **changes: Any) -> Lease:
    values = {"subject": ORDERS, "owner": "run_2", "taken_at": NOW - minutes_ago * MINUTE, "expires_at": NOW + MINUTE}
    return Lease(**{**values, **changes})


def run(minutes_ago: float) -> RunRow:
    at = NOW - minutes_ago * MINUTE
    return RunRow(
        run_id="run_2", dataset_urn=ORDERS, stage=Stage.SILVER, partition=None, outcome=Outcome.PASSED, path="",
        version=1, rows=RowCounts(read=1, accepted=1), started_at=at, finished_at=at,
    )  # fmt: skip


def test_nobody_requested_a_replay() -> None:
    assert replay_state([request(action="assign")], run(0), lease(0), ALIVE, NOW) is None


@pytest.mark.parametrize(
    ("last_run", "held", "progress"),
    [
        pytest.param(None, None, "waiting", id="nothing has begun"),
        pytest.param(run(9), lease(9), "waiting", id="what ran before the request is not it"),
        pytest.param(run(9), lease(1), "running", id="a run has the lease"),
        pytest.param(None, lease(1, expires_at=NOW - MINUTE), "waiting", id="the lease has expired"),
        pytest.param(run(1), lease(1), "running", id="a stage has ended, and the run has the lease"),
        pytest.param(run(1), None, "judged", id="a run has ended"),
        pytest.param(run(1), lease(9), "judged", id="a run has ended, and another has had the lease before"),
    ],
)
def test_the_progress_of_a_request(last_run: RunRow | None, held: Lease | None, progress: str) -> None:
    state = replay_state([request(2)], last_run, held, ALIVE, NOW)

    assert state is not None
    assert (state.progress, state.trouble) == (progress, "")


@pytest.mark.parametrize(
    ("minutes_ago", "scheduler", "trouble"),
    [
        pytest.param(1, SchedulerState(), "No daemon of Dagster has ever ticked", id="no daemon"),
        pytest.param(
            1, SchedulerState(ticked_at=NOW - 10 * MINUTE), "has not ticked since 2026-02-15 11:50", id="dead"
        ),
        pytest.param(1, SchedulerState(ticked_at=NOW, off={SENSOR: NOW}), "is switched off", id="switched off"),
        pytest.param(6, ALIVE, "No run of the day has begun since", id="nothing starts"),
    ],
)
def test_the_reason_why_no_run_starts(minutes_ago: float, scheduler: SchedulerState, trouble: str) -> None:
    state = replay_state([request(minutes_ago)], None, None, scheduler, NOW)

    assert state is not None
    assert trouble in state.trouble
