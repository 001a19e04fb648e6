"""A scan as a mapping file, so that the code location knows watched files and jobs without a database.

What a job writes is what people say of it, since JIL does not know; here is what JIL says of that job beside it. A
deadline is the job's ``must_complete_times``, where it is a time of day in a known zone, on all days or on weekdays;
any other is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from data_platform.model.freshness import parse_deadline
from data_platform.model.legacy import Direction, Origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from data_platform.model.legacy import LegacyProcess, LegacyScan, LegacySchedule

HEADER = "# Written by `data-platform legacy scan … --declare`, and written anew by the next one: add to other files.\n"
_TIME = re.compile(r"\d{1,2}:\d{2}")
_TEAM = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_WEEKDAYS = {"mo", "tu", "we", "th", "fr"}


def declaration(scan: LegacyScan) -> dict[str, list[dict[str, Any]]]:
    """The content of a ``LegacyMapping``: watched files that nobody has named, jobs that read or write something."""
    links: dict[str, dict[Direction, set[str]]] = {}
    for link in scan.links:
        if link.direction is Direction.OUTPUT or link.origin is not Origin.MAPPING:
            links.setdefault(link.process, {}).setdefault(link.direction, set()).add(link.dataset)
    files = [{"pattern": path, "dataset": d.urn} for d in scan.datasets if not d.mapped for path in d.paths]
    jobs = [_job(process, links[process.key]) for process in scan.processes if process.key in links]
    return {"watch_files": files, "jobs": [job for job in jobs if len(job) > 1]}


def _job(process: LegacyProcess, links: Mapping[Direction, Iterable[str]]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "job": process.name,
        "box": process.box,
        "inputs": sorted(links.get(Direction.INPUT, ())),
        "team": process.team or _team(process.owner),
        "description": process.description,
        "schedule": _starts(process.schedule),
        "condition": process.condition,
        "freshness": _freshness(process),
    }
    return {name: value for name, value in found.items() if value}


def _team(owner: str) -> str:
    """An Autosys owner is a user at a machine; what is no name of a team is left out."""
    user = owner.partition("@")[0]
    return user if _TEAM.fullmatch(user) else ""


def _starts(schedule: LegacySchedule | None) -> str:
    if schedule is None or not schedule.active:
        return ""
    calendar = f"calendar {schedule.run_calendar}" if schedule.run_calendar else ""
    minutes = [f":{minute:02}" for minute in schedule.start_minutes]
    parts = (", ".join(schedule.days) or calendar, ", ".join([*schedule.start_times, *minutes]), schedule.time_zone)
    return " ".join(part for part in parts if part)


def _freshness(process: LegacyProcess) -> dict[str, str]:
    if process.expected_update_by:
        grace = {"grace_period": process.grace_period} if process.grace_period else {}
        return {"expected_update_by": process.expected_update_by, **grace}
    return next(({"expected_update_by": text} for text in _deadlines(process.schedule)), {})


def _deadlines(schedule: LegacySchedule | None) -> Iterator[str]:
    """The latest time of day first: by then the day's last run must be done."""
    if schedule is None or not schedule.active or not schedule.time_zone:
        return
    cadence = _cadence(schedule)
    for time in sorted(filter(_TIME.fullmatch, schedule.must_complete_times), key=_minutes, reverse=True):
        text = f"{time} {schedule.time_zone} {cadence}"
        try:
            parse_deadline(text)
        except ValueError:
            continue
        yield text


def _cadence(schedule: LegacySchedule) -> str:
    """Empty for days that are neither: such a deadline is none that can be said."""
    days = {day.lower()[:2] for day in schedule.days}
    if schedule.run_calendar or schedule.exclude_calendar:
        return ""
    if not days or days == {"al"} or len(days) == 7:
        return "daily"
    return "weekdays" if days == _WEEKDAYS else ""


def _minutes(time: str) -> int:
    hour, minute = time.split(":")
    return int(hour) * 60 + int(minute)
