"""Questions to Dagster's event log. An instance asks each question once, so make one for each tick."""

from collections.abc import Sequence
from datetime import datetime

import dagster as dg
from dagster._core.event_api import EventRecordsFilter
from dagster._core.storage.asset_check_execution_record import AssetCheckExecutionRecordStatus

from data_platform.model.partition_key import PartitionKey
from data_platform.orchestration.dagster_types import dagster_key

_MATERIALIZATION = dg.DagsterEventType.ASSET_MATERIALIZATION


class EventLog:
    def __init__(self, instance: dg.DagsterInstance) -> None:
        self._instance = instance
        self._storage = instance.event_log_storage
        self._runs: dict[str, dg.DagsterRun | None] = {}
        self._materialized: dict[tuple[dg.AssetKey, PartitionKey | None], int] = {}
        self._planned: dict[tuple[dg.AssetKey, PartitionKey | None], tuple[int, str]] = {}

    def materializations(self, after: int, limit: int) -> Sequence[dg.EventLogRecord]:
        """The first ``limit`` materializations with a number above ``after``, in order of their numbers."""
        wanted = EventRecordsFilter(_MATERIALIZATION, after_cursor=after)
        return self._storage.get_event_records(wanted, limit=limit, ascending=True)

    def number_before(self, at: datetime) -> int:
        """The highest number of a materialization that was recorded before ``at``; 0 if there is none."""
        wanted = EventRecordsFilter(_MATERIALIZATION, before_timestamp=at.timestamp())
        return next((record.storage_id for record in self._storage.get_event_records(wanted, limit=1)), 0)

    def materialized(self, key: dg.AssetKey, partition: PartitionKey | None) -> int:
        """The number of the latest materialization of the partition, 0 if there is none. None means any partition."""
        cache_key = (key, partition)
        if cache_key not in self._materialized:
            if partition is None:
                number = self._storage.get_latest_materialization_storage_ids([key]).get(key)
            else:
                numbers = self._storage.get_latest_storage_id_by_partition(key, _MATERIALIZATION, {str(partition)})
                number = numbers.get(partition)
            self._materialized[cache_key] = number or 0
        return self._materialized[cache_key]

    def planned(self, key: dg.AssetKey, partition: PartitionKey | None) -> int:
        """The number of the latest event that planned a materialization, 0 if there is none."""
        return self._latest_plan(key, partition)[0]

    def planned_by(self, key: dg.AssetKey, partition: PartitionKey | None) -> str:
        """The id of the run of that event; empty if there never was one."""
        return self._latest_plan(key, partition)[1]

    def run_making(self, key: dg.AssetKey, partition: PartitionKey | None) -> str:
        """The id of the unfinished run, queued or under way, that materializes the asset; empty if there is none."""
        run = self.run(self.planned_by(key, partition))
        return run.run_id if run is not None and not run.is_finished else ""

    def _latest_plan(self, key: dg.AssetKey, partition: PartitionKey | None) -> tuple[int, str]:
        cache_key = (key, partition)
        if cache_key not in self._planned:
            info = self._storage.get_latest_planned_materialization_info(key, dagster_key(partition))
            self._planned[cache_key] = (info.storage_id, info.run_id) if info else (0, "")
        return self._planned[cache_key]

    def run(self, run_id: str) -> dg.DagsterRun | None:
        """The run; None if it was deleted, and for events that were reported without a run."""
        if run_id not in self._runs:
            self._runs[run_id] = self._instance.get_run_by_id(run_id) if run_id else None
        return self._runs[run_id]

    def have_passed(self, checks: Sequence[dg.AssetCheckKey], partition: PartitionKey | None) -> bool:
        """Whether each check has passed for the latest materialization of the partition."""
        if not checks:
            return True
        keys = None if partition is None else [str(partition)]
        passed = {
            info.check_key
            for info in self._storage.get_asset_check_partition_info(list(checks), partition_keys=keys)
            if info.partition_key == partition
            and info.is_current
            and info.latest_execution_status is AssetCheckExecutionRecordStatus.SUCCEEDED
        }
        return passed == set(checks)
