"""Finds job calendars that start nothing: those that no file defines, and those whose last day has passed.

It reports nothing if the files contain no calendars, since an estate is often exported without them. Extended calendars
are rules and never end.
"""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from data_platform.legacy.jil.value import plain_text
from data_platform.model.legacy_coverage import Concern, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from data_platform.legacy.jil.estate import Job, Thing

_KIND = "calendar"
_DATE = re.compile(
    r"\b(?:(\d{4})([/.-])(\d{1,2})\2(\d{1,2})|(20\d\d|19\d\d)(\d\d)(\d\d)"
    r"|(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2}))\b",
    re.ASCII,
)
_USES = {
    "run_calendar": "it no longer starts this job",
    "exclude_calendar": "it no longer excludes any day of this job",
}


def calendar_problems(jobs: Iterable[Job], things: Mapping[tuple[str, str], Thing], today: date) -> Iterator[Finding]:
    calendars = {name: thing for (kind, name), thing in things.items() if kind == _KIND}
    if not calendars:
        return
    ends = {name: last_day(thing) for name, thing in calendars.items()}
    empty = {name for name, end in ends.items() if end is None and not _is_rule(calendars[name])}
    for job in jobs:
        for key, effect in _USES.items():
            for name in _names(job.value(key)):
                attribute = job.attributes[key][-1]
                text = (
                    f"calendar {name} lists no day: {effect}" if name in empty else _problem(name, effect, ends, today)
                )
                if text:
                    yield Finding(attribute.file, attribute.line, Concern.REFERENCE, f"{job.name}.{key}", text)


def _is_rule(calendar: Thing) -> bool:
    """Returns whether the calendar defines its days by a rule instead of a list."""
    return any(attribute.key not in ("dates", "description") for attribute in calendar.attributes)


def last_day(calendar: Thing) -> date | None:
    """Returns the last listed day; None if the calendar lists no days."""
    lists = (_DATE.finditer(attribute.value) for attribute in calendar.attributes if attribute.key == "dates")
    days = [day for matches in lists for match in matches if (day := _day(match)) is not None]
    return max(days, default=None)


def _names(value: str) -> list[str]:
    return [name for name in (plain_text(part).strip("\"' ") for part in plain_text(value).split(",")) if name]


def _problem(name: str, effect: str, ends: Mapping[str, date | None], today: date) -> str:
    if name not in ends:
        return f"names calendar {name}, which no file defines"
    last = ends[name]
    if last is not None and last < today:
        return f"calendar {name} ended on {last}: {effect}"
    return ""


def _day(match: re.Match[str]) -> date | None:
    """Reads month before day, as the scheduler writes it; day before month if that is not a date."""
    year_first, _, month, day, compact, compact_month, compact_day, first, second, year = match.groups()
    if year_first:
        return _date(year_first, month, day)
    if compact:
        return _date(compact, compact_month, compact_day)
    century = "20" if len(year) == 2 else ""
    return _date(century + year, first, second) or _date(century + year, second, first)


def _date(year: str, month: str, day: str) -> date | None:
    try:
        return date(int(year), int(month), int(day))
    except ValueError:
        return None
