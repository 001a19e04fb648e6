"""Holidays by the code of a country, of a part of one, or of a market: ``US``, ``DE-BY``, ``XNYS``."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date


def holidays_of(calendar: str | None) -> Mapping[date, str]:
    """The names of holidays by date, computed as they are asked for; empty without a calendar.

    Raises:
        ValueError: No country or market has this code.
    """
    if calendar is None:
        return {}
    import holidays

    country, _, part = calendar.partition("-")  # names in one language, whatever the locale is
    try:
        if country in holidays.list_supported_financial():
            return holidays.financial_holidays(country, language="en_US")
        return holidays.country_holidays(country, subdiv=part or None, language="en_US")
    except NotImplementedError:
        raise ValueError(
            f"{calendar!r} is no calendar of holidays; expected the code of a country such as US, of a part of one "
            "such as DE-BY, or of a market such as XNYS"
        ) from None
