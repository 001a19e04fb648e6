"""The instants at which the clocks of a time zone show a time, also in the nights on which clocks change."""

from __future__ import annotations

from bisect import bisect_left
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo


def instants(wall: datetime, zone: ZoneInfo) -> tuple[datetime, ...]:
    """When clocks in ``zone`` show ``wall``, in UTC: two instants if they go back over it; after a jump, its end."""
    first, second = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return (first, second) if first <= second else (_end_of_jump(second, first, zone),)


def _end_of_jump(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """The first second with the offset that ``after`` has."""
    offset, start = after.astimezone(zone).utcoffset(), int(before.timestamp())
    seconds = range(start, int(after.timestamp()) + 1)
    seconds_to_jump = bisect_left(seconds, True, key=lambda at: datetime.fromtimestamp(at, zone).utcoffset() == offset)
    return datetime.fromtimestamp(start + seconds_to_jump, UTC)
