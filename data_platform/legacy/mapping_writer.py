"""Writes a scan as a mapping file, so that the code location has watched files and jobs without a database.

JIL does not contain a job's outputs, so people declare them; this file adds what JIL contains about the job. A
deadline is the job's ``must_complete_times``, if it is a time of day in a valid zone, on all days or on weekdays;
any other is omitted.
"""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from data_platform.model.freshness import parse_deadline
from data_platform.model.legacy import Direction, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from data_platform.model.freshness import Deadline
    from data_platform.model.legacy import LegacyProcess, LegacyScan, LegacySchedule

HEADER = "# Written by `data-platform legacy scan … --declare`, and written anew by the next one: add to other files.\n"
_TEAM = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_WEEKDAYS = {"mo", "tu", "we", "th", "fr"}


def declaration(scan: LegacyScan) -> dict[str, list[dict[str, Any]]]:
    """Returns the content of a ``LegacyMapping``: watched files without a mapping, and jobs with inputs or outputs."""
    links: dict[str, dict[Direction, set[str]]] = {}
    for link in scan.links:
        if link.direction is Direction.OUTPUT or link.origin is not Origin.MAPPING:
            links.setdefault(link.process, {}).setdefault(link.direction, set()).add(link.dataset)
    files = [{"pattern": path, "dataset": d.urn} for d in scan.datasets if not d.mapped for path in d.paths]
    jobs = [_job(process, links[process.key]) for process in scan.processes if process.key in links]
    return {"watch_files": files, "jobs": [job for job in jobs if len(job) > 1]}


def _job(process: LegacyProcess, links: Mapping[Direction, Iterable[str]]) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "job": process.name,
        "box": process.box,
        "inputs": sorted(links.get(Direction.INPUT, ())),
        "team": process.team or _team(process.owner),
        "description": process.description,
        "schedule": process.schedule.starts if process.schedule else "",
        "condition": process.condition,
        "freshness": _freshness(process),
    }
    return {name: value for name, value in fields.items() if value}


def _team(owner: str) -> str:
    """Returns the user of an Autosys owner (``user@machine``); empty if it is not a valid team name."""
    user = owner.partition("@")[0]
    return user if _TEAM.fullmatch(user) else ""


def _freshness(process: LegacyProcess) -> dict[str, str]:
    if process.expected_update_by:
        grace = {"grace_period": process.grace_period} if process.grace_period else {}
        return {"expected_update_by": process.expected_update_by, **grace}
    deadlines = _deadlines(process.schedule) if process.schedule and process.schedule.active else []
    latest = max(deadlines, key=lambda deadline: (deadline[0].hour, deadline[0].minute), default=None)
    return {"expected_update_by": latest[1]} if latest else {}  # by then the day's last run must be done


def _deadlines(schedule: LegacySchedule) -> list[tuple[Deadline, str]]:
    """Returns the deadlines that a policy can express, each with its text."""
    cadence, deadlines = _cadence(schedule), []
    for time in schedule.must_complete_times:
        text = f"{time} {schedule.time_zone} {cadence}"
        with suppress(ValueError):
            deadlines.append((parse_deadline(text), text))
    return deadlines


def _cadence(schedule: LegacySchedule) -> str:
    """Returns ``daily``, ``weekdays``, or an empty text for other days, which a deadline cannot express."""
    days = {day.lower()[:2] for day in schedule.days}
    if schedule.run_calendar or schedule.exclude_calendar:
        return ""
    if not days or days == {"al"} or len(days) == 7:
        return "daily"
    return "weekdays" if days == _WEEKDAYS else ""
