"""When a process is expected to run next, by its own schedule or that of its legacy scheduler."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.internal import JOBS
from data_platform.model.legacy_start import next_start
from data_platform.model.process import TriggerMode
from data_platform.model.schedule import parse_schedule
from data_platform.model.schedule_tick import next_tick

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from data_platform.model.lateness import LegacyJob
    from data_platform.model.process import Process
    from data_platform.policies import Policies

WITH_INPUTS = "when its inputs are certified"


@dataclass(frozen=True, kw_only=True)
class NextRun:
    """``at`` is in UTC; None if no clock starts it, or if only its scheduler knows. ``text`` says what starts it."""

    at: datetime | None = None
    text: str = ""


def declared_processes(policies: Policies) -> dict[str, Process]:
    """The declared processes by their keys in the catalog."""
    return {f"{JOBS}/{one.name}": one for one in policies.processes}


def next_run(
    key: str, policies: Policies, declared: Mapping[str, Process], jobs: Mapping[str, LegacyJob], now: datetime
) -> NextRun:
    process, job = declared.get(key), jobs.get(key)
    if process is not None:
        return _declared(process, policies, now)
    if job is not None and job.schedule is not None:
        return NextRun(at=next_start(job.schedule, now), text=job.starts)
    return NextRun()


def _declared(process: Process, policies: Policies, now: datetime) -> NextRun:
    if process.schedule is None:
        return NextRun(text=WITH_INPUTS if process.trigger is TriggerMode.DATASET else "when somebody starts it")
    output = policies.find(process.output)
    at = next_tick(parse_schedule(process.schedule), now, zone=output.policy.zone if output else "UTC")
    both = f", or {WITH_INPUTS}" if process.trigger is TriggerMode.HYBRID else ""
    return NextRun(at=at, text=f"{process.schedule}{both}")
