"""The time as of which a page is asked for."""

from __future__ import annotations

from datetime import datetime

from data_platform.errors import InputError

LONGEST = 100


def moment_of(text: str) -> datetime:
    """Raises: InputError, if the text is no time with its zone."""
    try:
        # a browser's form sends a + of the zone as a space
        moment = datetime.fromisoformat(text.replace(" ", "+") if "T" in text else text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InputError("at", "no time with its zone: expected one such as 2013-01-04T06:45:00-05:00")
    return moment
