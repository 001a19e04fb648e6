"""Reads when the clock starts a job. An invalid time, day or zone is reported, and kept with the job as written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from data_platform.legacy.jil.value import has_smart_quotes, items, plain_text, truth
from data_platform.model.legacy import LegacySchedule
from data_platform.model.legacy_coverage import Concern, Finding
from data_platform.model.time_zone import is_zone

if TYPE_CHECKING:
    from collections.abc import Callable

    from data_platform.legacy.jil.estate import Job

_DAYS = ("mo", "tu", "we", "th", "fr", "sa", "su", "all")
_TIME = re.compile(r"([01]?\d|2[0-3]):([0-5]\d)", re.ASCII)
_RELATIVE = re.compile(r"[+-]\d{1,5}", re.ASCII)
_MINUTE = re.compile(r"[0-5]?\d", re.ASCII)
_WINDOW = re.compile(r"\s*([^\s-]+)\s*-\s*([^\s-]+)\s*")

PARTS = (
    "days_of_week", "start_times", "start_mins", "run_calendar", "exclude_calendar", "run_window",
    "must_start_times", "must_complete_times", "timezone",
)  # fmt: skip


def schedule_of(job: Job, findings: list[Finding]) -> tuple[LegacySchedule | None, set[str]]:
    """Returns the schedule, None if the job has none, and the attributes that could not be read."""
    return _Reader(job, findings).schedule()


class _Reader:
    def __init__(self, job: Job, findings: list[Finding]) -> None:
        self.job = job
        self.findings = findings
        self.unread: set[str] = set()

    def schedule(self) -> tuple[LegacySchedule | None, set[str]]:
        present = [key for key in PARTS if self.job.value(key)]
        active = self._active()
        if not present and not active:
            return None, self.unread
        schedule = LegacySchedule(
            active=active,
            days=tuple(dict.fromkeys(self._list("days_of_week", _day, "mo, tu, we, th, fr, sa, su or all"))),
            start_times=self._list("start_times", _time, "a time of day such as 21:30"),
            start_minutes=tuple(int(m) for m in self._list("start_mins", _minute, "a minute from 0 to 59")),
            run_calendar=plain_text(self.job.value("run_calendar")).strip() or None,
            exclude_calendar=plain_text(self.job.value("exclude_calendar")).strip() or None,
            run_window=self._window(),
            must_start_times=self._list("must_start_times", _time_or_distance, "a time, or +minutes"),
            must_complete_times=self._list("must_complete_times", _time_or_distance, "a time, or +minutes"),
            time_zone=self._zone(),
        )
        self._contradictions(schedule)
        return schedule, self.unread

    def _active(self) -> bool:
        active = truth(self.job.value("date_conditions"))
        if active is None:
            self._add("date_conditions", Concern.VALUE, "neither yes nor no; read as no: the clock does not start it")
            self.unread.add("date_conditions")
        return bool(active)

    def _list(self, key: str, read: Callable[[str], str | None], expected: str) -> tuple[str, ...]:
        value = self.job.value(key)
        if not value:
            return ()
        if has_smart_quotes(value):
            self._add(key, Concern.ENCODING, 'typographic quotes were removed; write "')
        read_items = [read(item) for item in items(value)]
        if None in read_items:
            self._add(key, Concern.VALUE, f"an item is not {expected}; the others count")
            self.unread.add(key)
        return tuple(item for item in read_items if item is not None)

    def _window(self) -> str | None:
        value = plain_text(self.job.value("run_window"))
        if not value:
            return None
        match = _WINDOW.fullmatch(value)
        ends = [_time(end) for end in match.groups()] if match else []
        if ends and all(ends):
            return "-".join(end for end in ends if end)
        self._add("run_window", Concern.VALUE, "not a window of two times; expected one such as 22:30-02:00")
        self.unread.add("run_window")
        return None

    def _zone(self) -> str | None:
        name = plain_text(self.job.value("timezone"))
        if name and not is_zone(name):
            self._add("timezone", Concern.REFERENCE, "is not in the time zone database; kept as written")
        return name or None

    def _contradictions(self, schedule: LegacySchedule) -> None:
        times = schedule.start_times or schedule.start_minutes or schedule.days or schedule.run_calendar
        if not schedule.active and times:
            self._add("date_conditions", Concern.AMBIGUITY, "is not 1, so the times of this job start nothing")
        if schedule.start_times and schedule.start_minutes:
            self._add(
                "start_mins", Concern.CONFLICT, "is set as well as start_times; the scheduler uses one of the two"
            )
        if schedule.days and schedule.run_calendar:
            self._add(
                "run_calendar", Concern.CONFLICT, "is set as well as days_of_week; the scheduler uses one of the two"
            )

    def _add(self, key: str, concern: Concern, text: str) -> None:
        values = self.job.attributes.get(key)
        file, line = (values[-1].file, values[-1].line) if values else (self.job.file, self.job.line)
        self.findings.append(Finding(file, line, concern, f"{self.job.name}.{key}", text))


def _day(item: str) -> str | None:
    return item.lower() if item.lower() in _DAYS else None


def _time(item: str) -> str | None:
    match = _TIME.fullmatch(item)
    return f"{int(match[1]):02}:{match[2]}" if match else None


def _time_or_distance(item: str) -> str | None:
    return item if _RELATIVE.fullmatch(item) else _time(item)


def _minute(item: str) -> str | None:
    return str(int(item)) if _MINUTE.fullmatch(item) else None
