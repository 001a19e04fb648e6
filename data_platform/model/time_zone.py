"""Which names are time zones: those of the IANA database, on every machine alike."""

from __future__ import annotations

from functools import lru_cache
from zoneinfo import ZoneInfo

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
