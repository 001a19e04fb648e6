"""Which names are time zones: those of the IANA database, on every machine alike, and the usual abbreviations."""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

ZONES = {
    "UTC": "UTC", "GMT": "UTC", "ET": "America/New_York", "CT": "America/Chicago", "MT": "America/Denver",
    "PT": "America/Los_Angeles", "AT": "America/Halifax", "NT": "America/St_Johns", "UK": "Europe/London",
    "CET": "Europe/Berlin", "EET": "Europe/Athens", "MSK": "Europe/Moscow", "IST": "Asia/Kolkata",
    "SGT": "Asia/Singapore", "HKT": "Asia/Hong_Kong", "JST": "Asia/Tokyo", "KST": "Asia/Seoul",
    "AET": "Australia/Sydney", "NZT": "Pacific/Auckland",
}  # fmt: skip
"""Abbreviations, and the zone that they mean."""

FIXED = {"EST": ("ET", "Etc/GMT+5"), "MST": ("MT", "America/Phoenix"), "HST": ("Pacific/Honolulu", "Pacific/Honolulu")}
"""IANA names without summer time, which are rarely meant: the zone with summer time, and a clear name without."""

HALF_YEAR = {
    "EDT": "ET", "CST": "CT, or Asia/Shanghai", "CDT": "CT", "MDT": "MT", "PST": "PT", "PDT": "PT",
    "AST": "AT, or Asia/Riyadh", "ADT": "AT", "NST": "NT", "NDT": "NT", "BST": "UK, or Asia/Dhaka", "CEST": "CET",
    "EEST": "EET", "AEST": "AET", "AEDT": "AET", "NZST": "NZT", "NZDT": "NZT",
}  # fmt: skip
"""Names of winter or summer time alone, and the zone that has both."""

_NO_ZONES = ("Factory", "localtime", "posixrules")
"""Files in the zone database that are not zones; ``localtime`` is another zone on each machine."""


@lru_cache(maxsize=1024)
def is_zone(name: str) -> bool:
    if name in _NO_ZONES or name.startswith(("right/", "posix/")):
        return False
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # unknown; not a valid name; a folder of the database
        return False
    return True


def known_zone(name: str) -> str:
    """``name``, if it is an IANA time zone. Raises: ValueError."""
    if not is_zone(name):
        short = ", ".join(ZONES)
        near = get_close_matches(name, available_timezones(), n=1)
        hint = f"; write {near[0]}" if near else ""
        raise ValueError(f"{name!r} is not a time zone; allowed: IANA names such as Europe/Berlin, or {short}{hint}")
    return name
