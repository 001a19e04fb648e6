"""The place where changes of incidents become messages for people, in the transaction of the change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.catalog.alert import outbox
from data_platform.catalog.incident import incident_row, signal_row
from data_platform.model.alert import AlertState, Audience, Recipient
from data_platform.model.incident_event import IncidentChange
from data_platform.model.plain_json import plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.engine import Connection

    from data_platform.model.incident import Incident
    from data_platform.model.incident_event import IncidentEvent
    from data_platform.model.signal import Finding

_REASONS = 3
_BEGINNING = {IncidentChange.OPENED, IncidentChange.REOPENED}


def announce(connection: Connection, events: Sequence[IncidentEvent]) -> None:
    """Is called once at the end of each transaction that changed incidents, with all its events in order.

    The incidents have their new states already. What is stored here is stored exactly if the change is.
    """
    of_incident: dict[int, list[IncidentEvent]] = {}
    for event in events:
        of_incident.setdefault(event.incident, []).append(event)
    for number, own in list(of_incident.items()):
        into = incident_row.find_incident(connection, number).merged_into
        if into is not None and own[-1].what is IncidentChange.MERGED:
            of_incident.setdefault(into, [own[-1]])  # its owners may be more than before
    for number, own in of_incident.items():
        _announce(connection, incident_row.find_incident(connection, number), own)


def _announce(connection: Connection, incident: Incident, events: Sequence[IncidentEvent]) -> None:
    changes = {event.what for event in events if event.incident == incident.number}
    number = outbox.round_of(connection, incident.number)
    if changes & _BEGINNING or number == 0:
        number += 1
    informed = outbox.severities(connection, incident.number, number)
    recipients = _recipients(incident)
    told = {owner: recipients.get(owner, _downstream(incident, owner)) for owner in informed}
    states: dict[AlertState, dict[str, Recipient]] = {}
    if incident.state.is_active:
        states[AlertState.OPEN] = {owner: one for owner, one in recipients.items() if owner not in informed}
        milder = {owner for owner, severity in informed.items() if severity != incident.severity.value}
        if incident.severity.value == "CRITICAL":
            states[AlertState.WORSE] = {owner: one for owner, one in told.items() if owner in milder}
        if IncidentChange.ACKNOWLEDGED in changes:
            states[AlertState.ACKNOWLEDGED] = told
    elif changes & {IncidentChange.RESOLVED, IncidentChange.MERGED}:
        states[AlertState(incident.state.value)] = told
    values = {
        "incident": incident.number,
        "round": number,
        "dataset_urn": incident.dataset,
        "severity": incident.severity.value,
        "created_at": events[-1].at,
    }
    facts = _facts(connection, incident, events[-1])
    for state, owners in states.items():
        outbox.add(connection, owners, state, values, facts)


def _recipients(incident: Incident) -> dict[str, Recipient]:
    """The owner of the root, and the owners of what is affected, each with the highest tier that it owns there."""
    owners = {owner: _downstream(incident, owner) for owner in incident.blast_radius.owners}
    return {**owners, incident.owner_team: Recipient(Audience.OWNER, incident.tier)}


def _downstream(incident: Incident, owner: str) -> Recipient:
    tiers = [one.tier for one in incident.blast_radius.affected if one.owner_team == owner and one.tier]
    return Recipient(Audience.DOWNSTREAM, min(tiers, default=incident.tier))


def _facts(connection: Connection, incident: Incident, event: IncidentEvent) -> dict[str, Any]:
    signals = signal_row.find_of_incident(connection, incident.number)
    active = [one for one in signals if one.is_active]
    ordered = sorted((one.finding for one in active or signals), key=lambda one: _distance(incident, one))
    reasons = dict.fromkeys(f"{one.dataset}: {one.reason}" for one in ordered)
    facts: dict[str, Any] = plain(
        {
            "title": incident.title,
            "partition": str(incident.partition or ""),
            "owner": incident.owner_team,
            "occurred_at": incident.occurred_at,
            "opened_at": incident.opened_at,
            "reasons": list(reasons)[:_REASONS],
            "affected": incident.blast_radius.affected,
            "total": incident.blast_radius.total,
            "owners": incident.blast_radius.owners,
            "by": event.by,
            "comment": incident.comment if incident.state.value == "RESOLVED" else event.text,
            "resolution": incident.resolution,
            "merged_into": incident.merged_into,
        }
    )
    return facts


def _distance(incident: Incident, finding: Finding) -> tuple[bool, bool]:
    """The root of the incident is named first: what waits for it says nothing new."""
    return finding.dataset != incident.dataset, finding.partition != incident.partition
