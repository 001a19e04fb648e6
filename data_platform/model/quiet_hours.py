"""Hours of the day in a time zone, such as 22:00 to 07:00, also in the nights on which clocks change."""

from __future__ import annotations

from datetime import datetime, time, timedelta
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, Field, model_validator

from data_platform.model.closed import Closed
from data_platform.model.time_zone import ZONES, known_zone
from data_platform.model.wall_clock import instants

if TYPE_CHECKING:
    from datetime import date


def _as_zone(name: str) -> str:
    return known_zone(ZONES.get(name, name))


class QuietHours(Closed):
    """``from`` and ``to`` are clock times in ``zone``; a ``to`` that is earlier belongs to the next day.

    ``owner`` is a team; without it the hours are those of every team that has none of its own.
    """

    owner: str | None = Field(default=None, min_length=1)
    start: str = Field(alias="from", pattern=r"^([01]\d|2[0-3]):[0-5]\d$")
    to: str = Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$")
    zone: Annotated[str, AfterValidator(_as_zone)]

    @model_validator(mode="after")
    def _not_empty(self) -> QuietHours:
        if self.start == self.to:
            raise ValueError(f"quiet hours begin and end at {self.to}; two different times are needed")
        return self

    def end(self, now: datetime) -> datetime | None:
        """When the quiet hours that contain ``now`` end, in UTC; None outside of them."""
        zone = ZoneInfo(self.zone)
        today = now.astimezone(zone).date()
        for day in (today - timedelta(days=1), today):
            begins = _instants(day, self.start, zone)[0]
            ends = _instants(day if self.start < self.to else day + timedelta(days=1), self.to, zone)[-1]
            if begins <= now < ends:
                return ends
        return None


def _instants(day: date, clock: str, zone: ZoneInfo) -> tuple[datetime, ...]:
    return instants(datetime.combine(day, time.fromisoformat(clock)), zone)
