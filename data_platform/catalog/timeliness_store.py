"""``catalog.timeliness``: facts about recent partitions, read in one transaction each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog import health, timeliness
from data_platform.catalog.first_arrival import find_beginnings, find_first_arrived
from data_platform.catalog.run_time import find_job_times, find_new_runs, find_stage_times
from data_platform.catalog.stage_time import StageTimes
from data_platform.catalog.timeliness_legacy import find_legacy_jobs
from data_platform.catalog.timeliness_part import (
    find_part_times,
    find_parts,
    find_reported_part_times,
    find_reported_parts,
)
from data_platform.catalog.timeliness_whole import find_updated, find_whole_ends

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.catalog.stage_time import NewRuns
    from data_platform.model.dataset import Stage
    from data_platform.model.health import GateScore
    from data_platform.model.lateness import JobRun, LegacyJob, StageBegin, StageEnd
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run_time import RunTime
    from data_platform.model.verdict import Gate


class Timeliness:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._stage_times = StageTimes()

    def certified(self, urns: Iterable[str], *, since: PartitionKey) -> dict[str, frozenset[PartitionKey]]:
        """The certified partitions of each dataset, from ``since`` on."""
        with self._database.reading() as connection:
            return timeliness.find_certified(connection, urns, since)

    def parts(self, urns: Iterable[str], *, since: PartitionKey) -> dict[tuple[str, PartitionKey], dict[str, int]]:
        """The rows of each part of the certified partitions, from ``since`` on, of those whose parts were counted."""
        with self._database.reading() as connection:
            return find_parts(connection, urns, since)

    def arrived(self, urns: Iterable[str], *, since: PartitionKey) -> dict[str, frozenset[PartitionKey]]:
        """The reported partitions of each external dataset, from ``since`` on."""
        with self._database.reading() as connection:
            return timeliness.find_arrived(connection, urns, since)

    def stage_ends(self, urns: Iterable[str], *, since: PartitionKey) -> dict[tuple[str, PartitionKey], StageEnd]:
        """The last result of each partition of the datasets, from ``since`` on."""
        with self._database.reading() as connection:
            return timeliness.find_stage_ends(connection, urns, since)

    def stage_begins(self, *, now: datetime) -> dict[tuple[str, PartitionKey], StageBegin]:
        """Stages that write now, or whose run died while it wrote."""
        with self._database.reading() as connection:
            return timeliness.find_stage_begins(connection, now)

    def updated(self, urns: Iterable[str]) -> dict[str, datetime]:
        """When each dataset without partitions was certified last, or an external one was reported last."""
        with self._database.reading() as connection:
            return find_updated(connection, urns)

    def whole_ends(self, urns: Iterable[str]) -> dict[str, StageEnd]:
        """The last result of each dataset without partitions."""
        with self._database.reading() as connection:
            return find_whole_ends(connection, urns)

    def whole_begins(self, *, now: datetime) -> dict[str, StageBegin]:
        """Stages that write a dataset without partitions now, or whose run died while it wrote."""
        with self._database.reading() as connection:
            return timeliness.find_whole_begins(connection, now)

    def unfinished_jobs(self, *, since: datetime) -> tuple[JobRun, ...]:
        """Runs of jobs that failed or have not ended, oldest first."""
        with self._database.reading() as connection:
            return timeliness.find_unfinished_jobs(connection, since)

    def legacy_jobs(self, processes: Iterable[str]) -> dict[str, LegacyJob]:
        """The schedule and the last start of each process, by its key."""
        with self._database.reading() as connection:
            return find_legacy_jobs(connection, processes)

    def reported_parts(
        self, urns: Iterable[str], *, since: PartitionKey
    ) -> dict[tuple[str, PartitionKey], dict[str, int]]:
        """The rows of each part that external datasets' reports named, of the partitions that were reported."""
        with self._database.reading() as connection:
            return find_reported_parts(connection, urns, since)

    def part_times(
        self, urns: Iterable[str], *, since: PartitionKey
    ) -> dict[tuple[str, PartitionKey], dict[str, datetime | None]]:
        """When each part was in a certified version first; None if it was counted, and had no rows so far."""
        with self._database.reading() as connection:
            return find_part_times(connection, urns, since)

    def reported_part_times(
        self, urns: Iterable[str], *, since: PartitionKey
    ) -> dict[tuple[str, PartitionKey], dict[str, datetime | None]]:
        """When each part of external datasets was reported first with rows."""
        with self._database.reading() as connection:
            return find_reported_part_times(connection, urns, since)

    def recent_stage_times(self, urns: Iterable[str]) -> dict[tuple[str, Stage], RunTime]:
        """``stage_times``, read anew only of datasets that have run since: a look at thousands reads few runs."""
        return self._stage_times.find(urns, self.stage_times, self._new_runs)

    def _new_runs(self, after: int | None) -> NewRuns:
        with self._database.reading() as connection:
            return find_new_runs(connection, after)

    def stage_times(self, urns: Iterable[str]) -> dict[tuple[str, Stage], RunTime]:
        """How long each stage of the datasets takes; without those that have run too seldom."""
        with self._database.reading() as connection:
            return find_stage_times(connection, urns)

    def job_times(self, processes: Iterable[str]) -> dict[str, RunTime]:
        """How long each job takes by its completed runs, by the keys of their processes."""
        with self._database.reading() as connection:
            return find_job_times(connection, processes)

    def producers(self, urns: Iterable[str]) -> dict[str, str]:
        """The key of the process that made the newest version of each external dataset."""
        with self._database.reading() as connection:
            return timeliness.find_producers(connection, urns)

    def gate_scores(self, urns: Iterable[str], *, since: PartitionKey) -> dict[str, dict[Gate, GateScore]]:
        """How the gates judged the partitions of each dataset, from ``since`` on."""
        with self._database.reading() as connection:
            return health.find_gate_scores(connection, urns, since)

    def first_arrived(self, urns: Iterable[str], *, since: PartitionKey) -> dict[str, dict[PartitionKey, datetime]]:
        """When each partition of external datasets from ``since`` on was reported first."""
        with self._database.reading() as connection:
            return find_first_arrived(connection, urns, since)

    def beginnings(self, urns: Iterable[str]) -> dict[str, datetime]:
        """Since when the catalog knows each dataset."""
        with self._database.reading() as connection:
            return find_beginnings(connection, urns)

    def first_certified(self, urns: Iterable[str], *, since: PartitionKey) -> dict[str, dict[PartitionKey, datetime]]:
        """When each partition of each dataset was certified first, from ``since`` on."""
        with self._database.reading() as connection:
            return health.find_first_certified(connection, urns, since)
