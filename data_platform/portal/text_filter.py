"""Filters of templates: numbers, times and names as people read them."""

from __future__ import annotations

import json
import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from data_platform.model.number_text import number_of
from data_platform.portal.label import fitted

if TYPE_CHECKING:
    from collections.abc import Callable

_RUN_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400


def in_zone(moment: str | datetime, zone: str = "UTC") -> str:
    """``2013-01-04 06:30 EST``; ``zone`` is an IANA name."""
    value = datetime.fromisoformat(moment) if isinstance(moment, str) else moment
    return f"{value.astimezone(ZoneInfo(zone)):%Y-%m-%d %H:%M %Z}"


def clock(moment: str, zone: str = "UTC") -> str:
    """``06:30``."""
    return f"{datetime.fromisoformat(moment).astimezone(ZoneInfo(zone)):%H:%M}"


def thousands(number: float | None) -> str:
    return "–" if number is None else f"{number:,}".replace(",", "\u202f")


def percent(share: float | None, digits: int = 1) -> str:
    """A share of 0..1 as per cent, without a rounding up to 100."""
    if share is None:
        return "–"
    return f"{min(100 * share, 99.9) if share < 1 else 100:.{digits}f} %"


def duration(seconds: float) -> str:
    """``3 min``, ``2 h 5 min``, ``4 days``."""
    rest = int(abs(seconds))
    if rest < _MINUTE:
        return f"{rest} s"
    if rest < _HOUR:
        return f"{rest // _MINUTE} min"
    if rest < 2 * _DAY:
        hours, minutes = divmod(rest // _MINUTE, 60)
        return f"{hours} h {minutes} min" if minutes else f"{hours} h"
    return number_of(rest // _DAY, "day")


def since(moment: str, now: str) -> str:
    """The time from ``moment`` to ``now`` in words."""
    return duration((datetime.fromisoformat(now) - datetime.fromisoformat(moment)) / timedelta(seconds=1))


def short_name(urn: str) -> str:
    """``ops/flights`` of ``ds://ops/flights``; other names stay as they are."""
    return urn.removeprefix("ds://")


def is_run(text: str) -> bool:
    """Whether the text is the id of a run in the catalog, which has a page."""
    return _RUN_ID.fullmatch(text) is not None


def as_json(value: Any) -> str:
    """For a ``data-`` attribute, which a script reads; the template escapes it."""
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


FILTERS: dict[str, Callable[..., str | bool]] = {
    "in_zone": in_zone,
    "clock": clock,
    "thousands": thousands,
    "percent": percent,
    "duration": duration,
    "since": since,
    "short_name": short_name,
    "as_json": as_json,
    "number_of": number_of,
    "fitted": fitted,
    "is_run": is_run,
}
