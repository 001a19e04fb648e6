"""Prints incidents and signals for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.cli import screen
from data_platform.cli.freshness import COLOURS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from data_platform.installation import Platform
    from data_platform.model.incident import Incident
    from data_platform.model.incident_event import IncidentEvent
    from data_platform.model.signal import Signal
    from data_platform.model.watcher import Watcher

_INCIDENTS = ("number", "state", "severity", "tier", "owner", "opened (UTC)", "affected", "incident")
_SIGNALS = ("signal", "kind", "dataset", "day", "since (UTC)", "until (UTC)", "signature", "reason")
_EVENTS = ("time (UTC)", "what", "by", "text")
_TIME = "%Y-%m-%d %H:%M"


def print_incidents(incidents: Sequence[Incident]) -> None:
    rows = [
        [
            one.number,
            one.state if one.resolution is None else f"{one.state} {one.resolution}",
            screen.styled(one.severity.value, COLOURS[one.severity]),
            one.tier,
            one.owner_team,
            f"{one.opened_at:{_TIME}}",
            one.blast_radius.total,
            one.title,
        ]
        for one in incidents
    ]
    screen.print_table(screen.out(), _INCIDENTS, rows, empty="no incident")


def print_signals(signals: Sequence[Signal]) -> None:
    rows = [
        [
            signal.number,
            screen.styled(signal.finding.kind.value, COLOURS[signal.finding.severity]),
            signal.finding.dataset,
            signal.finding.partition,
            f"{signal.finding.occurred_at:{_TIME}}",
            None if signal.cleared_at is None else f"{signal.cleared_at:{_TIME}}",
            signal.finding.signature,
            signal.finding.reason,
        ]
        for signal in signals
    ]
    screen.print_table(screen.out(), _SIGNALS, rows, empty="no signal")


def print_incident(incident: Incident, signals: Sequence[Signal], events: Sequence[IncidentEvent]) -> None:
    screen.out().print(f"incident {incident.number}: {screen.visible(incident.title)}", markup=False, style="bold")
    for line in _lines(incident):
        screen.out().print(line, markup=False, soft_wrap=True)
    for name in ("signals", "history"):
        screen.out().print(f"\n{name}", style="bold")
        print_signals(signals) if name == "signals" else print_history(events)


def _lines(incident: Incident) -> list[str]:
    radius = incident.blast_radius
    lines = [
        f"{incident.state}, {incident.severity}, {incident.tier}, owner {incident.owner_team or 'unknown'}",
        f"true since {incident.occurred_at:{_TIME}} UTC, opened {incident.opened_at:{_TIME}} UTC",
    ]
    if incident.acknowledged_at:
        lines.append(f"acknowledged by {incident.acknowledged_by} at {incident.acknowledged_at:{_TIME}} UTC")
    if incident.resolved_at:
        comment = f": {screen.visible(incident.comment)}" if incident.comment else ""
        by = f"{incident.resolution} by {incident.resolved_by}"
        lines.append(f"resolved as {by} at {incident.resolved_at:{_TIME}} UTC{comment}")
    if incident.merged_into:
        lines.append(f"merged into incident {incident.merged_into}")
    lines.append(f"affected downstream: {radius.total}" + (f", of {', '.join(radius.owners)}" if radius.owners else ""))
    for one in radius.affected:
        due = f", late after {one.deadline:{_TIME}} UTC" if one.deadline else ""
        lines.append(f"  {one.dataset} ({one.tier or 'no tier'}, {one.owner_team or 'no owner'}){due}")
    return lines


def print_history(events: Sequence[IncidentEvent]) -> None:
    rows = [[f"{event.at:%Y-%m-%d %H:%M:%S}", event.what, event.by, event.text] for event in events]
    screen.print_table(screen.out(), _EVENTS, rows, empty="no event")


def active_incidents(platform: Platform) -> dict[str, list[dict[str, Any]]]:
    """The active incidents of each dataset that has a signal of one, oldest first."""
    active = {one.number: one for one in platform.catalog.incidents.active()}
    numbers: dict[str, set[int]] = {}
    for signal in platform.catalog.signals.active() if active else ():
        if signal.incident in active:
            numbers.setdefault(signal.finding.dataset, set()).add(signal.incident)
    return {urn: [_in_short(active[number]) for number in sorted(found)] for urn, found in numbers.items()}


def _in_short(incident: Incident) -> dict[str, Any]:
    return {
        "number": incident.number,
        "state": incident.state,
        "severity": incident.severity,
        "title": incident.title,
        "opened_at": incident.opened_at,
    }


def print_active(incidents: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """One line for each active incident, however many datasets it has."""
    for one in {one["number"]: one for found in incidents.values() for one in found}.values():
        line = f"incident {one['number']} ({one['state']}): {screen.visible(one['title'])}"
        screen.out().print(line, markup=False, soft_wrap=True, style=COLOURS[one["severity"]])


def print_watchers(watchers: Sequence[Watcher], now: datetime) -> None:
    """Says who watches, and warns if nobody does."""
    alive = [one for one in watchers if one.is_alive(now)]
    for one in alive:
        problem = f"; its last look failed: {one.error}" if one.error else ""
        line = f"{one.name} watches, last at {one.looked_at:%H:%M:%S} UTC{problem}"
        screen.err().print(line, markup=False, soft_wrap=True, style="red" if problem else "")
    if not alive:
        last = f" since {watchers[0].looked_at:{_TIME}} UTC" if watchers else ""
        line = f"nobody watches{last}: start data-platform watch, or Dagster's daemon"
        screen.err().print(line, markup=False, soft_wrap=True, style="yellow")
