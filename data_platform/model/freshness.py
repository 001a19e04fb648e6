"""When a dataset is due, in the form of requirement FR-2: ``"02:00 ET daily"``, grace ``"30m"``.

A deadline is a wall-clock time in a zone, so it follows daylight saving time: ``model.deadline`` computes the
instants. ``rhythm`` has the days on which it falls, and ``quiet_day`` those of which nothing is due.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Self

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from data_platform.model.closed import Closed
from data_platform.model.holiday import check_calendar
from data_platform.model.quiet_day import HOLIDAYS, as_quiet_day, check_quiet_day, is_quiet
from data_platform.model.rhythm import CRON_DAYS, parse_rhythm
from data_platform.model.time_zone import FIXED, HALF_YEAR, ZONES, known_zone

if TYPE_CHECKING:
    from datetime import date

    from data_platform.model.rhythm import Rhythm

_DEADLINE = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d{2}) (?P<zone>\S+) (?P<cadence>.+)", re.ASCII)
MOST_PARTS = 100
"""Each part costs a comparison for each row."""

_DURATION = re.compile(r"(?:(\d{1,5})h)?(?:(\d{1,5})m)?", re.ASCII)


@dataclass(frozen=True)
class Deadline:
    """``hour``:``minute`` in ``time_zone`` (IANA), on the days of ``cadence``. Holidays are those of ``calendar``."""

    hour: int
    minute: int
    time_zone: str
    cadence: str
    calendar: str | None = None

    @property
    def rhythm(self) -> Rhythm:
        return parse_rhythm(self.cadence)

    @property
    def cron(self) -> str | None:
        """None if no cron has these days."""
        days = CRON_DAYS.get(self.cadence)
        return None if days is None else f"{self.minute} {self.hour} * * {days}"

    def falls_on(self, day: date) -> bool:
        """Whether the cadence includes ``day``, a date in the deadline's zone."""
        return self.rhythm.falls_on(day, self.calendar)


def parse_deadline(text: str) -> Deadline:
    """Raises: ValueError, if ``text`` is not ``HH:MM ZONE CADENCE``."""
    match = _DEADLINE.fullmatch(" ".join(text.split()))
    if match is None or int(match["hour"]) > 23 or int(match["minute"]) > 59:
        raise ValueError(f"{text!r} is not a deadline; expected HH:MM ZONE CADENCE, such as '02:00 ET daily'")
    parse_rhythm(match["cadence"])
    if match["zone"] in FIXED:
        daylight, fixed = FIXED[match["zone"]]
        raise ValueError(f"{match['zone']!r} has no summer time; write {daylight}, or {fixed} if that is meant")
    if match["zone"] in HALF_YEAR:
        raise ValueError(f"{match['zone']!r} is the time of a part of the year; write {HALF_YEAR[match['zone']]}")
    zone = ZONES.get(match["zone"], match["zone"])
    return Deadline(int(match["hour"]), int(match["minute"]), known_zone(zone), match["cadence"])


def parse_duration(text: str) -> timedelta:
    """``30m``, ``2h``, ``1h30m``. Raises: ValueError."""
    match = _DURATION.fullmatch(text.strip())
    if match is None or not text.strip():
        raise ValueError(f"{text!r} is not a duration; expected such as 30m, 2h or 1h30m")
    return timedelta(hours=int(match[1] or 0), minutes=int(match[2] or 0))


def _is_deadline(text: str) -> str:
    parse_deadline(text)
    return text


def _is_duration(text: str) -> str:
    parse_duration(text)
    return text


def _is_rhythm(text: str) -> str:
    parse_rhythm(text)
    return text


PartValues = Annotated[
    tuple[Annotated[str, Field(min_length=1, max_length=200)], ...], Field(min_length=1, max_length=MOST_PARTS)
]


class PartDeadline(Closed):
    """A deadline of some parts: at first after the end of the day, as that of the dataset."""

    values: PartValues
    expected_update_by: Annotated[str, AfterValidator(_is_deadline)]
    grace_period: Annotated[str, AfterValidator(_is_duration)] | None = None


class Parts(Closed):
    """The parts of which each partition has rows: the values of a column, as text.

    ``deadlines`` are of parts that are due at another time than the rest. ``column`` may be left out for a dataset that
    the platform does not make: its producer reports the rows of each part.
    """

    column: str = Field(default="", max_length=300)
    values: PartValues
    deadlines: tuple[PartDeadline, ...] = ()

    @model_validator(mode="after")
    def _deadlines_are_of_parts(self) -> Self:
        named = [value for one in self.deadlines for value in one.values]
        for value in named:
            if value not in self.values:
                raise ValueError(f"deadlines has {value!r}, which is not in values; add it there")
            if named.count(value) > 1:
                raise ValueError(f"deadlines has {value!r} twice; leave one out")
        return self

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        twice = next((value for value in self.values if self.values.count(value) > 1), None)
        if twice is not None:
            raise ValueError(f"values has {twice!r} twice; leave one out")
        return self


class Freshness(Closed):
    """FR-2: when each partition is expected, and how much later it counts as late.

    A partition is complete when it has rows of each of ``parts``. ``data_days`` are the days that have data, in the
    form of a cadence, and ``quiet_days`` are exceptions. ``calendar`` names the holidays that ``business days`` and
    ``quiet_days: [holidays]`` mean.
    """

    expected_update_by: Annotated[str, AfterValidator(_is_deadline)]
    grace_period: Annotated[str, AfterValidator(_is_duration)] = "0m"
    partition_key: str | None = None
    calendar: Annotated[str, AfterValidator(check_calendar)] | None = None
    data_days: Annotated[str, AfterValidator(_is_rhythm)] = "daily"
    quiet_days: tuple[Annotated[str, BeforeValidator(as_quiet_day), AfterValidator(check_quiet_day)], ...] = ()
    parts: Parts | None = None

    @model_validator(mode="after")
    def _calendar_is_used(self) -> Self:
        parts = [parse_deadline(one.expected_update_by).rhythm for one in self.parts.deadlines] if self.parts else []
        rhythms = (self.deadline.rhythm, parse_rhythm(self.data_days), *parts)
        used = HOLIDAYS in self.quiet_days or any(rhythm.needs_calendar for rhythm in rhythms)
        if self.calendar and not used:
            raise ValueError(
                "calendar changes nothing here; write 'business days' in expected_update_by or data_days, or "
                "quiet_days: [holidays]"
            )
        if HOLIDAYS in self.quiet_days and not self.calendar:
            raise ValueError("quiet_days has holidays; say which, such as calendar: US")
        return self

    @cached_property
    def deadline(self) -> Deadline:
        return replace(parse_deadline(self.expected_update_by), calendar=self.calendar)

    @cached_property
    def grace(self) -> timedelta:
        return parse_duration(self.grace_period)

    @property
    def cron(self) -> str | None:
        """The deadlines as a cron; None if no cron has them, or if there are days without data."""
        return self.deadline.cron if self.data_days == "daily" and not self.quiet_days else None

    def expects(self, day: date) -> bool:
        """Whether ``day`` has data."""
        if not parse_rhythm(self.data_days).falls_on(day, self.calendar):
            return False
        return not is_quiet(day, self.quiet_days, self.calendar)


class FreshnessDocument(Closed):
    """FR-2's own file form: a dataset and its freshness policy."""

    dataset: str
    freshness_policy: Freshness
