"""When a dataset is due, in the form of requirement FR-2: ``"02:00 ET daily"``, grace ``"30m"``.

A deadline is a wall-clock time in a zone, so it follows daylight saving time: ``model.deadline`` computes the
instants.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator

from data_platform.model.closed import Closed
from data_platform.model.time_zone import is_zone

if TYPE_CHECKING:
    from datetime import date

ZONES = {
    "UTC": "UTC", "GMT": "UTC", "ET": "America/New_York", "CT": "America/Chicago", "MT": "America/Denver",
    "PT": "America/Los_Angeles", "UK": "Europe/London", "CET": "Europe/Berlin", "IST": "Asia/Kolkata",
    "JST": "Asia/Tokyo",
}  # fmt: skip
"""Abbreviations that people write, and the zone that they mean."""

FIXED = {"EST": ("ET", "Etc/GMT+5"), "MST": ("MT", "America/Phoenix"), "HST": ("Pacific/Honolulu", "Pacific/Honolulu")}
"""IANA names without summer time, which are rarely meant: the zone with summer time, and a clear name without."""

CADENCES = {"daily": "*", "weekdays": "1-5"}
_DEADLINE = re.compile(r"(?P<hour>\d{1,2}):(?P<minute>\d{2}) (?P<zone>\S+) (?P<cadence>\S+)", re.ASCII)
_DURATION = re.compile(r"(?:(\d{1,5})h)?(?:(\d{1,5})m)?", re.ASCII)


@dataclass(frozen=True)
class Deadline:
    """``hour``:``minute`` in ``time_zone`` (IANA), on the days of ``cadence``."""

    hour: int
    minute: int
    time_zone: str
    cadence: str

    @property
    def cron(self) -> str:
        return f"{self.minute} {self.hour} * * {CADENCES[self.cadence]}"

    def falls_on(self, day: date) -> bool:
        """Whether the cadence includes ``day``, a date in the deadline's zone."""
        return self.cadence == "daily" or day.weekday() < 5


def parse_deadline(text: str) -> Deadline:
    """Raises: ValueError, if ``text`` is not ``HH:MM ZONE CADENCE``."""
    match = _DEADLINE.fullmatch(text.strip())
    if match is None or int(match["hour"]) > 23 or int(match["minute"]) > 59:
        raise ValueError(f"{text!r} is not a deadline; expected HH:MM ZONE CADENCE, such as '02:00 ET daily'")
    if match["cadence"] not in CADENCES:
        raise ValueError(f"{match['cadence']!r} is not a cadence; allowed: {', '.join(CADENCES)}")
    if match["zone"] in FIXED:
        daylight, fixed = FIXED[match["zone"]]
        raise ValueError(f"{match['zone']!r} has no summer time; write {daylight}, or {fixed} if that is meant")
    zone = ZONES.get(match["zone"], match["zone"])
    return Deadline(int(match["hour"]), int(match["minute"]), known_zone(zone), match["cadence"])


def known_zone(name: str) -> str:
    """``name``, if it is an IANA time zone. Raises: ValueError."""
    if not is_zone(name):
        short = ", ".join(ZONES)
        raise ValueError(f"{name!r} is not a time zone; allowed: IANA names such as Europe/Berlin, or {short}")
    return name


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


class Freshness(Closed):
    """FR-2: when each partition is expected, and how much later it counts as late."""

    expected_update_by: Annotated[str, AfterValidator(_is_deadline)]
    grace_period: Annotated[str, AfterValidator(_is_duration)] = "0m"
    partition_key: str | None = None

    @cached_property
    def deadline(self) -> Deadline:
        return parse_deadline(self.expected_update_by)

    @property
    def grace(self) -> timedelta:
        return parse_duration(self.grace_period)


class FreshnessDocument(Closed):
    """FR-2's own file form: a dataset and its freshness policy."""

    dataset: str
    freshness_policy: Freshness
