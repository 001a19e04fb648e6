"""``catalog.incidents`` and ``catalog.signals``: what the platform noticed, and what people did about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog.incident import decision, history, incident_row, kpi, signal_row, watcher
from data_platform.catalog.incident.reconcile import reconcile

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.model.incident import Incident, IncidentState, Resolution
    from data_platform.model.incident_event import IncidentEvent, SignalGroup
    from data_platform.model.kpi import Share
    from data_platform.model.page import Page
    from data_platform.model.registration import Actor
    from data_platform.model.signal import Finding, Key, Signal
    from data_platform.model.watcher import Watcher


class Signals:
    def __init__(self, database: Database) -> None:
        self._database = database

    def active(self) -> tuple[Signal, ...]:
        """What the last look found, in the order in which it was first seen."""
        with self._database.reading() as connection:
            return signal_row.find_active(connection)

    def of_incident(self, number: int) -> tuple[Signal, ...]:
        """Those that have ended too, in the order in which they were first seen."""
        with self._database.reading() as connection:
            return signal_row.find_of_incident(connection, number)

    def silenced(self, keys: Iterable[Key]) -> dict[Key, int]:
        """The findings that people accepted, each with the number of the incident that they resolved so."""
        with self._database.reading() as connection:
            return signal_row.find_silenced(connection, keys)

    def find(
        self, urn: str | None = None, *, active_only: bool = False, limit: int = 100, cursor: str | None = None
    ) -> Page[Signal]:
        """Newest first."""
        with self._database.reading() as connection:
            return signal_row.find_page(connection, urn=urn, active_only=active_only, limit=limit, cursor=cursor)


class Incidents:
    def __init__(self, database: Database) -> None:
        self._database = database

    def revision(self) -> int:
        """Increases with every change of an incident."""
        with self._database.reading() as connection:
            return history.last_number(connection)

    def reconcile(
        self,
        findings: Iterable[Finding],
        groups: Sequence[SignalGroup],
        *,
        silenced: Mapping[Key, int],
        revision: int,
        now: datetime,
    ) -> tuple[IncidentEvent, ...] | None:
        """Bring signals and incidents to what a look found, in one transaction; returns the changes of incidents.

        ``groups`` have each finding but those in ``silenced``, which maps findings that people accepted to their
        incident. None, and nothing is written, if an incident has changed since ``revision``.
        """
        with self._database.writing() as connection:
            return reconcile(connection, findings, groups, silenced=silenced, revision=revision, now=now)

    def get(self, number: int) -> Incident:
        """Raises: NotFoundError, if the incident does not exist."""
        with self._database.reading() as connection:
            return incident_row.find_incident(connection, number)

    def active(self) -> tuple[Incident, ...]:
        """Open and acknowledged ones, oldest first."""
        with self._database.reading() as connection:
            return tuple(incident_row.find_active(connection).values())

    def find(
        self,
        urn: str | None = None,
        *,
        states: Collection[IncidentState] = (),
        limit: int = 100,
        cursor: str | None = None,
    ) -> Page[Incident]:
        """Newest first; those with a signal of the dataset, if one is named."""
        with self._database.reading() as connection:
            return incident_row.find_page(connection, urn=urn, states=states, limit=limit, cursor=cursor)

    def opened_since(self, since: datetime) -> tuple[Incident, ...]:
        """Those that were opened then or later, in whatever state they are."""
        with self._database.reading() as connection:
            return incident_row.find_opened_since(connection, since)

    def evidence_shares(self, since: datetime) -> dict[str, Share]:
        """By dataset, the certifications since then, and how many of them have evidence."""
        with self._database.reading() as connection:
            return kpi.find_evidence_shares(connection, since)

    def history(self, number: int) -> tuple[IncidentEvent, ...]:
        """Every change of the incident, oldest first."""
        with self._database.reading() as connection:
            return history.find_events(connection, number)

    def acknowledge(self, number: int, *, by: Actor, comment: str = "", now: datetime) -> Incident:
        """Raises: NotFoundError; ConflictError, if the incident is not open."""
        with self._database.writing() as connection:
            return decision.acknowledge(connection, number, by=by, comment=comment, now=now)

    def resolve(self, number: int, resolution: Resolution, *, by: Actor, comment: str = "", now: datetime) -> Incident:
        """End an incident for a reason of a person.

        Raises:
            NotFoundError: There is no such incident.
            ConflictError: It is not active, or is said to be fixed while a signal of it is found.
            InputError: The reason is the platform's own, or the comment is too long.
        """
        with self._database.writing() as connection:
            return decision.resolve(connection, number, resolution, by=by, comment=comment, now=now)

    def save_watcher(self, one: Watcher) -> None:
        """Record when a process that watches has looked."""
        with self._database.writing() as connection:
            watcher.save_watcher(connection, one)

    def watchers(self) -> tuple[Watcher, ...]:
        """The one that has looked last comes first."""
        with self._database.reading() as connection:
            return watcher.find_watchers(connection)
