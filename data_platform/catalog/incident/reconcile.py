"""One transaction that brings the stored signals and incidents to what a look found.

A look reads the revision of the incidents first. If another look or a person has changed one since, nothing is written:
the look is repeated, so that older findings never undo newer ones.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.catalog.incident import incident_row, signal_row
from data_platform.catalog.incident.history import Changes, last_number
from data_platform.model.incident import IncidentState, Resolution
from data_platform.model.incident_event import WATCHDOG, IncidentChange

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.incident import Incident
    from data_platform.model.incident_event import IncidentEvent, SignalGroup
    from data_platform.model.signal import Finding, Key, Signal

REOPENED_WITHIN = timedelta(hours=24)
_NAMED = 5


def reconcile(
    connection: Connection,
    findings: Iterable[Finding],
    groups: Sequence[SignalGroup],
    *,
    silenced: Mapping[Key, int],
    revision: int,
    now: datetime,
) -> tuple[IncidentEvent, ...] | None:
    """``groups`` have every finding but the ``silenced`` ones; those map to the incident that people resolved.

    None if the incidents are not at ``revision`` any more.
    """
    if last_number(connection) != revision:
        return None
    changes = Changes(connection, by=WATCHDOG, now=now)
    signals = _store(connection, findings, changes, now)
    _silence(connection, signals, silenced, changes)
    _Incidents(connection, changes, signals, now).settle(groups)
    return changes.end()


def _store(connection: Connection, findings: Iterable[Finding], changes: Changes, now: datetime) -> dict[Key, Signal]:
    """Brings the signals to ``findings``; returns the active ones by key."""
    found = {finding.key: finding for finding in findings}
    known = {signal.finding.key: signal for signal in signal_row.find_active(connection)}
    cleared = [signal for key, signal in known.items() if key not in found]
    signal_row.clear(connection, cleared, now)
    for incident, ended in _by_incident(cleared).items():
        changes.add(incident, IncidentChange.SIGNALS_CLEARED, _listed(signal.finding for signal in ended))
    seen = {known[key].number: finding for key, finding in found.items() if key in known}
    changed = [signal.number for key, signal in known.items() if key in found and found[key] != signal.finding]
    signal_row.see_again(connection, seen, changed, now)
    new = [finding for key, finding in found.items() if key not in known]
    kept = {key: signal for key, signal in known.items() if key in found}
    return kept | signal_row.add(connection, new, now)


def _silence(
    connection: Connection, signals: Mapping[Key, Signal], silenced: Mapping[Key, int], changes: Changes
) -> None:
    """New signals that people accepted before join the incident that they resolved."""
    new: dict[int, list[Signal]] = {}
    for key, incident in silenced.items():
        if signals[key].incident is None:
            new.setdefault(incident, []).append(signals[key])
    for incident, joined in sorted(new.items()):
        signal_row.join_incident(connection, [signal.number for signal in joined], incident)
        changes.add(incident, IncidentChange.SILENCED, _listed(signal.finding for signal in joined))


class _Incidents:
    """Gives each group its one incident, and ends the incidents that have no signal any more."""

    def __init__(self, connection: Connection, changes: Changes, signals: Mapping[Key, Signal], now: datetime) -> None:
        self._connection, self._changes, self._now = connection, changes, now
        self._signals = signals
        self._incidents = incident_row.find_active(connection)
        self._of_signal = {signal.number: signal.incident for signal in signals.values()}
        self._groups: dict[int, list[SignalGroup]] = {}

    def settle(self, groups: Sequence[SignalGroup]) -> None:
        before = dict(self._incidents)
        for group in groups:
            self._join(group)
        for number, joined in self._groups.items():
            self._describe(number, joined)
        remaining = set(self._of_signal.values())
        for number in before.keys() - remaining:
            if number in self._incidents:
                self._recover(before[number])

    def _join(self, group: SignalGroup) -> None:
        signals = [self._signals[finding.key] for finding in group.findings]
        existing = self._incidents.keys() & {self._of_signal[signal.number] for signal in signals}
        number = min(existing) if existing else self._reopen(group) or self._open(group)
        if new := [signal.finding for signal in signals if existing and self._of_signal[signal.number] is None]:
            self._changes.add(number, IncidentChange.SIGNALS_ADDED, _listed(new))
        for merged in sorted(existing - {number}):
            self._merge(merged, number)
        self._move([signal.number for signal in signals if self._of_signal[signal.number] != number], number)
        self._groups.setdefault(number, []).append(group)

    def _open(self, group: SignalGroup) -> int:
        number = incident_row.open_incident(self._connection, group, self._now)
        self._incidents[number] = incident_row.find_incident(self._connection, number)
        self._changes.add(number, IncidentChange.OPENED, group.title)
        return number

    def _reopen(self, group: SignalGroup) -> int | None:
        """The incident that ended less than a day ago and whose signal is back."""
        digests = [signal_row.digest_of(finding.key) for finding in group.findings]
        number = incident_row.find_recovered(self._connection, digests, self._now - REOPENED_WITHIN)
        if number is not None:
            ended = dict.fromkeys(("resolved_at", "resolved_by", "resolution", "acknowledged_at", "acknowledged_by"))
            incident_row.change(self._connection, number, state=IncidentState.OPEN.value, **ended)
            self._incidents[number] = incident_row.find_incident(self._connection, number)
            self._changes.add(number, IncidentChange.REOPENED, group.title)
        return number

    def _describe(self, number: int, groups: Sequence[SignalGroup]) -> None:
        """Writes the root of the first group, and what all groups have in common."""
        before, first = self._incidents[number], groups[0]
        every = tuple(finding for group in groups for finding in group.findings)
        changes = incident_row.root_changes(before, replace(first, findings=every))
        if changes:
            incident_row.change(self._connection, number, **changes)
        if "title" in changes or "severity" in changes:
            severity = changes.get("severity", before.severity)
            self._changes.add(number, IncidentChange.CHANGED, f"{severity}: {first.title}")

    def _merge(self, number: int, into: int) -> None:
        incident_row.change(self._connection, number, state=IncidentState.MERGED.value, merged_into=into)
        self._move([signal for signal, incident in self._of_signal.items() if incident == number], into)
        del self._incidents[number]
        if number in self._groups:
            self._groups.setdefault(into, []).extend(self._groups.pop(number))
        self._changes.add(number, IncidentChange.MERGED, f"has the same root cause as incident {into}")

    def _move(self, signals: Sequence[int], incident: int) -> None:
        signal_row.join_incident(self._connection, signals, incident)
        self._of_signal |= dict.fromkeys(signals, incident)

    def _recover(self, incident: Incident) -> None:
        at = max(self._now, incident.opened_at)
        values = {"resolution": Resolution.RECOVERED.value, "resolved_at": at, "resolved_by": WATCHDOG}
        incident_row.change(self._connection, incident.number, state=IncidentState.RESOLVED.value, **values)
        self._changes.add(incident.number, IncidentChange.RESOLVED, "nothing of it is found any more")


def _by_incident(signals: Iterable[Signal]) -> dict[int, list[Signal]]:
    found: dict[int, list[Signal]] = {}
    for signal in signals:
        if signal.incident is not None:
            found.setdefault(signal.incident, []).append(signal)
    return found


def _listed(findings: Iterable[Finding]) -> str:
    """The first findings by name, and the number of the others."""
    names = [" ".join(part for part in (one.dataset, one.partition, one.signature) if part) for one in findings]
    more = len(names) - _NAMED
    return "; ".join((*names[:_NAMED], *([f"and {more} more"] if more > 0 else [])))
