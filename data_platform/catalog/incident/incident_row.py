"""Incidents as rows."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.cursor import decode, encode, page_size
from data_platform.catalog.incident_table import INCIDENT, SIGNAL
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.errors import NotFoundError
from data_platform.model.incident import (
    ACTIVE_STATES,
    SILENCING,
    Affected,
    BlastRadius,
    Incident,
    IncidentState,
    Resolution,
)
from data_platform.model.page import Page
from data_platform.model.plain_json import plain
from data_platform.model.signal import SignalSeverity

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlalchemy.engine import Connection, Row

    from data_platform.model.incident_event import SignalGroup

ACTIVE = tuple(state.value for state in ACTIVE_STATES)


def find_incident(connection: Connection, number: int) -> Incident:
    """Raises: NotFoundError, if the incident does not exist."""
    query = select(INCIDENT).where(INCIDENT.c.number == number)
    row = connection.execute(query).one_or_none() if 0 < number < 2**63 else None
    if row is None:
        raise NotFoundError(f"there is no incident {number}: the list of incidents shows their numbers")
    return _incident(row)


def find_active(connection: Connection) -> dict[int, Incident]:
    """Open and acknowledged incidents by number, oldest first."""
    rows = connection.execute(select(INCIDENT).where(INCIDENT.c.state.in_(ACTIVE)).order_by(INCIDENT.c.number))
    return {row.number: _incident(row) for row in rows}


def find_opened_since(connection: Connection, since: datetime) -> tuple[Incident, ...]:
    rows = connection.execute(select(INCIDENT).where(INCIDENT.c.opened_at >= since).order_by(INCIDENT.c.opened_at))
    return tuple(_incident(row) for row in rows)


def find_page(
    connection: Connection,
    *,
    urn: str | None,
    states: Collection[IncidentState],
    limit: int,
    cursor: str | None,
) -> Page[Incident]:
    """Newest first. ``urn`` selects the incidents that have a signal of the dataset, or their root there."""
    query = select(INCIDENT)
    if urn is not None:
        with_signal = select(SIGNAL.c.incident).where(SIGNAL.c.dataset_urn == urn, SIGNAL.c.incident.is_not(None))
        query = query.where((INCIDENT.c.dataset_urn == urn) | INCIDENT.c.number.in_(with_signal))
    if states:
        query = query.where(INCIDENT.c.state.in_([state.value for state in states]))
    if (after := decode(cursor, int)) is not None:
        query = query.where(INCIDENT.c.number < after[0])
    rows = connection.execute(query.order_by(INCIDENT.c.number.desc()).limit(page_size(limit) + 1)).all()
    shown = tuple(_incident(row) for row in rows[:limit])
    return Page(shown, encode(shown[-1].number) if len(rows) > limit else None)


def find_recovered(connection: Connection, digests: Iterable[str], since: datetime) -> int | None:
    """The newest incident with one of these signals that ended after ``since``, by itself or as fixed."""
    query = (
        select(INCIDENT.c.number)
        .join(SIGNAL, SIGNAL.c.incident == INCIDENT.c.number)
        .where(
            SIGNAL.c.digest.in_(WANTED),
            INCIDENT.c.resolution.not_in([one.value for one in SILENCING]),
            INCIDENT.c.resolved_at >= since,
        )
    )
    return max((row.number for row in rows_of(connection, query, digests)), default=None)


def open_incident(connection: Connection, group: SignalGroup, now: datetime) -> int:
    values = {**root_values(group), "state": IncidentState.OPEN.value, "opened_at": now}
    values.setdefault("blast_radius", plain(BlastRadius()))
    number: int = connection.execute(insert(INCIDENT).values(**values).returning(INCIDENT.c.number)).scalar_one()
    return number


def root_values(group: SignalGroup) -> dict[str, Any]:
    """What an incident has of its root and of all its signals."""
    radius = {} if group.blast_radius is None else {"blast_radius": plain(group.blast_radius)}
    severities = {finding.severity for finding in group.findings}
    worst = SignalSeverity.CRITICAL if SignalSeverity.CRITICAL in severities else SignalSeverity.WARNING
    return {
        "dataset_urn": group.dataset,
        "partition": group.partition,
        "signature": group.root.signature,
        "severity": worst.value,
        "title": group.title,
        "owner_team": group.owner_team,
        "tier": group.tier,
        "occurred_at": min(finding.occurred_at for finding in group.findings),
        **radius,
    }


def root_changes(before: Incident, group: SignalGroup) -> dict[str, Any]:
    """The values of the root that an incident does not have yet. It occurred when the first of its signals did."""
    values = root_values(group)
    values["occurred_at"] = min(before.occurred_at, values["occurred_at"])
    had = {
        "dataset_urn": before.dataset,
        "severity": before.severity.value,
        "blast_radius": plain(before.blast_radius),
    }
    return {name: value for name, value in values.items() if value != (had if name in had else vars(before))[name]}


def change(connection: Connection, number: int, **values: Any) -> None:
    connection.execute(update(INCIDENT).where(INCIDENT.c.number == number).values(**values))


def _incident(row: Row[Any]) -> Incident:
    values = dict(row._mapping)
    return Incident(
        dataset=values.pop("dataset_urn"),
        blast_radius=_radius(values.pop("blast_radius")),
        severity=SignalSeverity(values.pop("severity")),
        state=IncidentState(values.pop("state")),
        resolution=None if (resolution := values.pop("resolution")) is None else Resolution(resolution),
        **values,
    )


def _radius(document: dict[str, Any]) -> BlastRadius:
    affected = tuple(
        Affected(**{**one, "deadline": datetime.fromisoformat(one["deadline"]) if one["deadline"] else None})
        for one in document["affected"]
    )
    return BlastRadius(affected=affected, total=document["total"], owners=tuple(document["owners"]))
