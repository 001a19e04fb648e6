"""``catalog.arrivals``: versions that have arrived, completion markers, and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog import row_count
from data_platform.catalog.arrival import marker, report, size, version
from data_platform.catalog.lineage.event_store import record_events

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from data_platform.catalog.database import Database
    from data_platform.model.arrival import ArrivedAgain, ArrivedVersion, AssetReport, MarkerState
    from data_platform.model.lineage import LineageEvent
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.reported_size import ReportedSize

MOST, MOST_NAMES = 200, 5_000
"""The most reports, and the most names, of one read."""


class Arrivals:
    def __init__(self, database: Database) -> None:
        self._database = database

    def names(self, after: int, *, limit: int = MOST_NAMES) -> tuple[tuple[int, str], ...]:
        """Arrivals after number ``after``: their numbers and datasets, in order."""
        with self._database.reading() as connection:
            return version.find_names_after(connection, after, limit)

    def versions(self, numbers: Sequence[int]) -> tuple[ArrivedVersion, ...]:
        """The arrivals with these numbers, in order."""
        with self._database.reading() as connection:
            return version.find_numbered(connection, numbers)

    def have_arrived(self, wanted: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
        """Those of ``wanted`` (URN and version tag) that have arrived; pass at most a few hundred."""
        with self._database.reading() as connection:
            return version.find_arrived(connection, wanted)

    def untagged_run(self, urn: str, process: str, *, since: datetime) -> str | None:
        """The last run of ``process`` since ``since`` that wrote the dataset without a version tag."""
        with self._database.reading() as connection:
            return version.find_untagged_run(connection, urn, process, since)

    def report_states(self, urns: Iterable[str], *, since: datetime) -> dict[str, tuple[Any, ...]]:
        """A value that changes with each reported size, of the datasets of which one was reported ``since``."""
        with self._database.reading() as connection:
            return size.find_report_states(connection, urns, since)

    def expected(self, urns: Iterable[str]) -> dict[str, frozenset[PartitionKey]]:
        """The partitions of each dataset whose unusual size people resolved as expected."""
        with self._database.reading() as connection:
            return row_count.find_expected(connection, urns)

    def reported_sizes(self, urn: str, *, limit: int) -> tuple[ReportedSize, ...]:
        """The reported rows and bytes of the newest ``limit`` partitions, in their order."""
        with self._database.reading() as connection:
            return size.find_reported_sizes(connection, urn, limit=limit)

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
        """Save observed states and the events of new deliveries, in one transaction.

        The events add versions; one of ``arrived`` that existed before arrives again. ``known`` maps markers to the
        stamps that the caller last read, empty for a marker that is new to it.

        Raises:
            ConflictError: Another watcher has changed a state since then; everything is rolled back.
        """
        with self._database.writing() as connection:
            before = version.last_number(connection)
            marker.save_markers(connection, states, known or {})
            record_events(connection, events, outbox=False, now=now)
            version.add_again(connection, arrived, before, now=now)

    def add_report(self, asset_report: AssetReport) -> bool:
        """Store a report; False if it is already stored."""
        with self._database.writing() as connection:
            return report.add_report(connection, asset_report)

    def reports(self, after: int, *, limit: int = MOST) -> tuple[AssetReport, ...]:
        with self._database.reading() as connection:
            return report.find_after(connection, after, limit)

    def last_checks(self, urn: str, partition: PartitionKey | None, *, until: int) -> tuple[AssetReport, ...]:
        """The last result of each check of the dataset's day, up to report number ``until``."""
        with self._database.reading() as connection:
            return report.find_last_checks(connection, urn, partition, until)
