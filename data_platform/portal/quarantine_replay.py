"""The state of a requested replay: it waits for Dagster's sensor, a run is under way, or one has ended."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from data_platform.catalog.quarantine_action import REPLAY
from data_platform.signals.trigger import SILENT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from data_platform.model.lease import Lease
    from data_platform.model.quarantine_decision import QuarantineAction
    from data_platform.model.run import RunRow
    from data_platform.model.scheduler_state import SchedulerState

SENSOR = "quarantine_replays"
"""The sensor of Dagster that starts requested replays."""
STARTS_WITHIN = timedelta(minutes=5)
"""The sensor looks every half minute; a run also waits for its turn in Dagster's queue."""


class ReplayProgress(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    JUDGED = "judged"


@dataclass(frozen=True, kw_only=True)
class ReplayState:
    """``trouble`` says why no run starts; empty if nothing is known against it. ``run_id`` is of the run that ended,
    and ``stage`` the last stage that it judged."""

    progress: ReplayProgress
    requested_by: str
    requested_at: datetime
    at: datetime | None = None
    run_id: str = ""
    stage: str = ""
    outcome: str = ""
    trouble: str = ""


def replay_state(
    actions: Sequence[QuarantineAction],
    last_run: RunRow | None,
    lease: Lease | None,
    scheduler: SchedulerState,
    now: datetime,
) -> ReplayState | None:
    """The state of the last request; None if nobody requested a replay.

    ``last_run`` is the last one of any stage of the day, and ``lease`` that of the dataset.
    """
    asked = next((action for action in reversed(actions) if action.action == REPLAY), None)
    if asked is None:
        return None
    is_running = lease is not None and lease.expires_at > now and lease.taken_at > asked.at
    if last_run is not None and last_run.started_at > asked.at and not is_running:
        return ReplayState(
            progress=ReplayProgress.JUDGED,
            requested_by=asked.actor,
            requested_at=asked.at,
            at=last_run.finished_at,
            run_id=last_run.run_id,
            stage=last_run.stage,
            outcome=last_run.outcome,
        )
    return ReplayState(
        progress=ReplayProgress.RUNNING if is_running else ReplayProgress.WAITING,
        requested_by=asked.actor,
        requested_at=asked.at,
        at=lease.taken_at if lease is not None and is_running else None,
        trouble="" if is_running else _trouble(asked, scheduler, now),
    )


def _trouble(asked: QuarantineAction, scheduler: SchedulerState, now: datetime) -> str:
    if SENSOR in scheduler.off:
        return f"The sensor {SENSOR} is switched off in Dagster since {scheduler.off[SENSOR]:%Y-%m-%d %H:%M} UTC."
    ticked = scheduler.ticked_at
    if ticked is None:
        return "No daemon of Dagster has ever ticked on this catalog."
    if ticked + SILENT < now:
        return f"Dagster's daemon has not ticked since {ticked:%Y-%m-%d %H:%M} UTC."
    if asked.at + STARTS_WITHIN < now:
        return f"No run of the day has begun since. The ticks of the sensor {SENSOR} in Dagster say why."
    return ""
