"""A backtest of row counts as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.cli import screen
from data_platform.gates.volume.backtest import DROPS, SEASONAL_FROM
from data_platform.model.number_text import number_of

if TYPE_CHECKING:
    from rich.console import Console

    from data_platform.gates.volume.backtest import Alert, Backtest, Score

_SHOWN = 20


def print_backtest(result: Backtest) -> None:
    out = screen.out()
    if result.rolling is None or result.seasonal is None:
        out.print(
            f"{number_of(result.deliveries, 'delivery', 'deliveries')}: a backtest needs more than {SEASONAL_FROM}",
            markup=False,
        )
        return
    out.print(
        f"{number_of(result.deliveries, 'delivery', 'deliveries')}, of which {result.judged:,} are judged: "
        f"{result.years:.1f} years",
        markup=False,
    )
    out.print()
    columns = ["rule", "threshold", "alerts a year", *(f"recall of -{drop} %" for drop in DROPS), ""]
    rows = [_row(result.rolling, ""), _row(result.seasonal, "used from 60 deliveries on")]
    rows += [_row(score, "fits" if score.fits else "") for score in result.thresholds]
    screen.print_table(out, columns, rows)
    out.print()
    _print_verdict(out, result)
    _print_alerts(out, result)


def _row(score: Score, note: str) -> list[object]:
    recall = [f"{score.recall[drop]:.3f}" for drop in DROPS]
    return [score.rule.value, f"{score.threshold_pct:g} %", f"{score.alerts_per_year:.1f}", *recall, note]


def _print_verdict(out: Console, result: Backtest) -> None:
    if result.seasonal and result.seasonal.fits:
        out.print(screen.styled(f"monitorable: the threshold of {result.seasonal.threshold_pct:g} % fits", "green"))
    elif result.monitorable:
        text = f"monitorable with slo.volume.seasonal_threshold_pct: {result.suggested_pct:g}"
        out.print(screen.styled(text, "green"))
    else:
        text = "not monitorable: at no threshold is a drop of 40 % found on most days without an alert a month"
        out.print(screen.styled(text, "yellow"))


def _print_alerts(out: Console, result: Backtest) -> None:
    if not result.alerts:
        return
    out.print()
    rows = [_alert(alert) for alert in result.alerts[-_SHOWN:]]
    screen.print_table(out, ["unusual", "until", "rows", "expected", "usual"], rows)
    if len(result.alerts) > _SHOWN:
        out.print(f"the newest {_SHOWN} of {len(result.alerts)} alerts; --json has all", markup=False)


def _alert(alert: Alert) -> list[object]:
    until = alert.last if alert.last != alert.first else None
    usual = f"{max(alert.low, 0):,.0f} to {alert.high:,.0f}"
    return [alert.first, until, f"{alert.rows:,}", f"{alert.expected:,.0f}", usual]
