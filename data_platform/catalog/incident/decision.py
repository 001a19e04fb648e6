"""What people decide about an incident: each decision is in its history and in the audit log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog.audit import add_audit
from data_platform.catalog.incident import incident_row, signal_row
from data_platform.catalog.incident.history import Changes
from data_platform.errors import ConflictError, InputError
from data_platform.model.incident import SILENCING, IncidentState, Resolution
from data_platform.model.incident_event import IncidentChange
from data_platform.model.number_text import number_of
from data_platform.model.personal import redacted

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.incident import Incident
    from data_platform.model.registration import Actor

_LONGEST_COMMENT = 2000


def acknowledge(connection: Connection, number: int, *, by: Actor, comment: str, now: datetime) -> Incident:
    """Raises: NotFoundError; ConflictError, if the incident is not open."""
    incident = incident_row.find_incident(connection, number)
    if incident.state is not IncidentState.OPEN:
        raise ConflictError(f"{_now(incident)}; only an open one can be acknowledged")
    values = {"state": IncidentState.ACKNOWLEDGED.value, "acknowledged_at": now, "acknowledged_by": by.name}
    incident_row.change(connection, number, **values)
    return _recorded(connection, number, IncidentChange.ACKNOWLEDGED, by, comment, now)


def resolve(
    connection: Connection, number: int, resolution: Resolution, *, by: Actor, comment: str, now: datetime
) -> Incident:
    """Raises: NotFoundError; ConflictError, if it is not active, or is said to be fixed while a signal is found."""
    incident = incident_row.find_incident(connection, number)
    if not incident.state.is_active:
        raise ConflictError(f"{_now(incident)}; only an active one can be resolved")
    if resolution is Resolution.RECOVERED:
        raise InputError("reason", "RECOVERED is what the platform writes; choose another reason")
    active = [one for one in signal_row.find_of_incident(connection, number) if one.is_active]
    if active and resolution not in SILENCING:
        found = f"{number_of(len(active), 'signal')} of incident {number} {'is' if len(active) == 1 else 'are'}"
        raise ConflictError(
            f"{found} still found, such as {active[0].finding.reason}: it resolves itself once nothing is found; "
            f"to end it now, choose one of {', '.join(sorted(SILENCING))}"
        )
    values = {
        "state": IncidentState.RESOLVED.value,
        "resolution": resolution.value,
        "resolved_at": max(now, incident.opened_at),
        "resolved_by": by.name,
        "comment": redacted(comment.strip()) or None,
    }
    incident_row.change(connection, number, **values)
    return _recorded(connection, number, IncidentChange.RESOLVED, by, comment, now, resolution)


def _now(incident: Incident) -> str:
    into = f" into incident {incident.merged_into}" if incident.merged_into else ""
    by = incident.resolved_by or incident.acknowledged_by
    return f"incident {incident.number} is {incident.state}{into}{f' by {by}' if by and not into else ''}"


def _recorded(
    connection: Connection,
    number: int,
    what: IncidentChange,
    by: Actor,
    comment: str,
    now: datetime,
    resolution: Resolution | None = None,
) -> Incident:
    text = redacted(comment.strip())
    if len(text) > _LONGEST_COMMENT:
        raise InputError("comment", f"expected at most {_LONGEST_COMMENT} characters")
    changes = Changes(connection, by=by.name, now=now)
    changes.add(number, what, ": ".join(part for part in (resolution, text) if part))
    changes.end()
    incident = incident_row.find_incident(connection, number)
    verb = "acknowledge" if what is IncidentChange.ACKNOWLEDGED else "resolve"
    detail = {"incident": number, "comment": text, "reason": resolution}
    add_audit(
        connection, actor=by.name, role=by.role, action=f"incident.{verb}", subject=incident.dataset, detail=detail,
        now=now,
    )  # fmt: skip
    return incident
