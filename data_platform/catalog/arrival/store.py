"""The part of ``Catalog`` about what has arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog.arrival import marker, report, version
from data_platform.catalog.lineage.event_store import tell

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.model.arrival import ArrivedVersion, AssetReport, MarkerState
    from data_platform.model.lineage import LineageEvent

MOST = 200
"""Of what is read in one go."""


class ArrivalStore:
    _database: Database

    def arrivals(self, after: int, *, limit: int = MOST) -> tuple[ArrivedVersion, ...]:
        """Versions that arrived after number ``after``, of any dataset, in their order."""
        with self._database.reading() as connection:
            return version.find_after(connection, after, limit)

    def arrivals_numbered(self, numbers: Sequence[int]) -> tuple[ArrivedVersion, ...]:
        with self._database.reading() as connection:
            return version.find_numbered(connection, numbers)

    def untagged_run(self, urn: str, process: str, *, since: datetime) -> str | None:
        """The last run of ``process`` that has written the dataset since then without saying which version."""
        with self._database.reading() as connection:
            return version.find_untagged_run(connection, urn, process, since)

    def markers(self, urn: str | None = None) -> tuple[MarkerState, ...]:
        with self._database.reading() as connection:
            return marker.find_markers(connection, urn)

    def take_markers(self, states: Sequence[MarkerState], events: Sequence[LineageEvent], *, now: datetime) -> None:
        """What was seen, and of new deliveries what there is to tell, in one transaction: neither without the other."""
        with self._database.writing() as connection:
            marker.save_markers(connection, states)
            tell(connection, events, outbox=False, now=now)

    def add_report(self, given: AssetReport) -> bool:
        """False if it is on record already."""
        with self._database.writing() as connection:
            return report.add_report(connection, given)

    def reports(self, after: int, *, limit: int = MOST) -> tuple[AssetReport, ...]:
        with self._database.reading() as connection:
            return report.find_after(connection, after, limit)
