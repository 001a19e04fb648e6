"""The part of ``Catalog`` about what has arrived."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog.arrival import marker, report, version
from data_platform.catalog.lineage.event_store import record_events

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.model.arrival import ArrivedAgain, ArrivedVersion, AssetReport, MarkerState
    from data_platform.model.lineage import LineageEvent

MOST, MOST_NAMES = 200, 5_000
"""Of what is read in one go."""


class Arrivals:
    def __init__(self, database: Database) -> None:
        self._database = database

    def names(self, after: int, *, limit: int = MOST_NAMES) -> tuple[tuple[int, str], ...]:
        """Numbers after ``after``, and the datasets of which a version has arrived, in their order."""
        with self._database.reading() as connection:
            return version.find_names_after(connection, after, limit)

    def versions(self, numbers: Sequence[int]) -> tuple[ArrivedVersion, ...]:
        """In the order of their numbers."""
        with self._database.reading() as connection:
            return version.find_numbered(connection, numbers)

    def have_arrived(self, wanted: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
        """Those of ``wanted``, URNs and version tags, that have arrived. At most some hundred of them."""
        with self._database.reading() as connection:
            return version.find_known(connection, wanted)

    def untagged_run(self, urn: str, process: str, *, since: datetime) -> str | None:
        """The last run of ``process`` that has written the dataset since then without saying which version."""
        with self._database.reading() as connection:
            return version.find_untagged_run(connection, urn, process, since)

    def markers(self, urn: str | None = None) -> tuple[MarkerState, ...]:
        with self._database.reading() as connection:
            return marker.find_markers(connection, urn)

    def take_markers(
        self,
        states: Sequence[MarkerState],
        events: Sequence[LineageEvent] = (),
        arrived: Sequence[ArrivedAgain] = (),
        *,
        known: Mapping[marker.Key, str] | None = None,
        now: datetime,
    ) -> None:
        """What was seen, and of new deliveries what there is to tell, in one transaction: neither without the other.

        The events bring versions; one of ``arrived`` that was there before arrives again. ``known`` leads from markers
        to the stamps that the caller last saw, empty for one that it sees for the first time.

        Raises:
            ConflictError: Another watcher has seen something since then; nothing is kept.
        """
        with self._database.writing() as connection:
            before = version.last_number(connection)
            marker.save_markers(connection, states, known or {})
            record_events(connection, events, outbox=False, now=now)
            version.add_again(connection, arrived, before, now=now)

    def add_report(self, given: AssetReport) -> bool:
        """False if it is on record already."""
        with self._database.writing() as connection:
            return report.add_report(connection, given)

    def reports(self, after: int, *, limit: int = MOST) -> tuple[AssetReport, ...]:
        with self._database.reading() as connection:
            return report.find_after(connection, after, limit)

    def last_checks(self, urn: str, partition: str | None, *, until: int) -> tuple[AssetReport, ...]:
        """What each check of the dataset's day said last, up to report number ``until``."""
        with self._database.reading() as connection:
            return report.find_last_checks(connection, urn, partition, until)
