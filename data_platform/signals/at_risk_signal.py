"""Findings of days that will be late: warnings before the deadline, for those whose grace is over within hours.

A day that is at risk belongs to the incident of what it waits for, and becomes that of a late day when it is late.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.model.signal import Finding, SignalKind, SignalSeverity
from data_platform.signals.at_risk import find_at_risk

if TYPE_CHECKING:
    from data_platform.model.at_risk import AtRisk
    from data_platform.signals.situation import Situation

NEAR = timedelta(hours=3)
"""What is late later may still be started in time by itself; ``data-platform signals at-risk`` lists it."""


def find_at_risk_signals(situation: Situation) -> list[Finding]:
    found = find_at_risk(situation.policies, situation.catalog, situation.now, within=NEAR, recent=True)
    return [_finding(situation, one) for one in found]


def _finding(situation: Situation, one: AtRisk) -> Finding:
    """It was at risk from the moment on at which what must still run should have begun."""
    return Finding(
        kind=SignalKind.AT_RISK,
        dataset=one.dataset,
        partition=one.partition,
        signature="AT_RISK",
        severity=SignalSeverity.WARNING,
        occurred_at=situation.now + one.slack,
        reason=_reason(one),
        upstream=one.upstream,
        details={"due": one.due.isoformat()},
    )


def _reason(one: AtRisk) -> str:
    """It names no expected time, which would change at each look."""
    remaining = sum((step.remaining for step in one.path), timedelta(0))
    first = one.path[0]
    waits = f"; {first.dataset}: {first.state}" if first.dataset != one.dataset else f"; {first.state}"
    minutes, end = remaining.total_seconds() / 60, f"{one.late_since:%H:%M} UTC"
    return f"what must still run takes up to {minutes:.0f} minutes, and the grace ends at {end}{waits}"
