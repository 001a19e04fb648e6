"""Charts as values: days and numbers, from which a script draws lines, and the page makes a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from data_platform.model.delivery_history import DeliveredFields
    from data_platform.model.gate_day import GateDay
    from data_platform.model.volume import DeliveredRows

MOST_COLUMNS = 5
"""A chart of more lines cannot be read."""


@dataclass(frozen=True, kw_only=True)
class Series:
    """``numbers`` has one for each day; None: nothing is known. ``low`` and ``high`` bound what is usual."""

    label: str
    numbers: tuple[float | None, ...]
    low: tuple[float | None, ...] = ()
    high: tuple[float | None, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Chart:
    """``unit`` is rows or share; a share is 0..1. Without ``days`` nothing is drawn; a ``step`` begins on each.

    The ``days`` may be numbers of another kind, such as thresholds, which ``step`` names.
    """

    name: str
    title: str
    unit: str
    days: tuple[str, ...] = ()
    series: tuple[Series, ...] = ()
    step: str = "day"


def volume_chart(deliveries: Sequence[DeliveredRows], verdicts: Iterable[GateDay]) -> Chart:
    """Rows of each day, with the band that was usual when the day was judged."""
    bands = {one.partition: one.usual_rows for one in verdicts if one.usual_rows is not None}
    days = tuple(one.partition for one in deliveries)
    has_band = any(day in bands for day in days)
    series = Series(
        label="rows",
        numbers=tuple(one.rows for one in deliveries),
        low=tuple(bands[day].low if day in bands else None for day in days) if has_band else (),
        high=tuple(bands[day].high if day in bands else None for day in days) if has_band else (),
    )
    return Chart(name="volume", title="Rows by day", unit="rows", days=days, series=(series,) if days else ())


def null_chart(deliveries: Sequence[DeliveredFields]) -> Chart:
    """Shares of empty values of the columns in which they change most."""
    days = tuple(one.partition for one in deliveries)
    rates: dict[str, list[float | None]] = {}
    for place, one in enumerate(deliveries):
        for name, metrics in one.fields.items():
            rates.setdefault(name, [None] * len(days))[place] = metrics.null_rate
    series = tuple(Series(label=name, numbers=tuple(rates[name])) for name in _moving(rates))
    return Chart(name="nulls", title="Empty values by day", unit="share", days=days if series else (), series=series)


def _moving(rates: Mapping[str, Sequence[float | None]]) -> list[str]:
    spread = {name: _spread([rate for rate in found if rate is not None]) for name, found in rates.items()}
    ranked = sorted((name for name in spread if spread[name] > (0, 0)), key=lambda name: (spread[name], name))
    return list(reversed(ranked[-MOST_COLUMNS:]))


def _spread(known: Sequence[float]) -> tuple[float, float]:
    return (max(known) - min(known), max(known)) if known else (0, 0)


def compliance_chart(verdicts: Iterable[GateDay]) -> Chart:
    """The share of rows of each day that kept every rule of the row contract."""
    of_contract = (Stage.SILVER, Gate.G4_CONTRACT.value)
    found = [one for one in verdicts if (one.stage, one.gate) == of_contract and one.compliance is not None]
    days = tuple(one.partition for one in found)
    series = (Series(label="compliance", numbers=tuple(one.compliance for one in found)),) if found else ()
    return Chart(name="compliance", title="Rows that keep the contract", unit="share", days=days, series=series)
