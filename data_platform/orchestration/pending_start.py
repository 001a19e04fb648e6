"""Runs that an event triggered, and why one has to wait: for the end of its day, for its inputs, or for another run."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import dagster as dg

from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.orchestration.automation import Automation
from data_platform.orchestration.dagster_types import asset_key
from data_platform.orchestration.event_log import EventLog
from data_platform.policies import Dataset
from data_platform.policies.external import ExternalAsset


@dataclass(frozen=True)
class PendingStart:
    """A run of ``stage`` and the stages after it that was triggered and has not been requested.

    ``partition`` is None for a dataset without partitions. ``event`` is the number of the materialization that
    triggered it, and ``event_partition`` the partition of that materialization.
    """

    urn: str
    stage: Stage
    partition: PartitionKey | None
    event_partition: PartitionKey | None
    event: int

    @property
    def subject(self) -> tuple[str, PartitionKey | None]:
        return self.urn, self.partition

    def __str__(self) -> str:
        return f"{self.urn} {self.partition}" if self.partition else self.urn


def latest(starts: Iterable[PendingStart]) -> list[PendingStart]:
    """One start for each stage and partition: the one of the latest event."""
    latest_starts: dict[tuple[str, PartitionKey | None, Stage], PendingStart] = {}
    for start in starts:
        other = latest_starts.get((*start.subject, start.stage))
        if other is None or other.event < start.event:
            latest_starts[*start.subject, start.stage] = start
    return list(latest_starts.values())


@dataclass(frozen=True)
class Request:
    """Stages to run now, in one run, and a later start for those that have to wait."""

    start: PendingStart
    stages: tuple[Stage, ...]
    later: PendingStart | None = None


class Decision:
    """Decides on all starts of one tick: ``requests`` are to run now, ``reasons`` explain why the others wait."""

    def __init__(self, automation: Automation, log: EventLog, now: datetime, starts: Sequence[PendingStart]) -> None:
        self._automation, self._log, self._now = automation, log, now
        due = [start for start in starts if not self._is_made_since(start)]
        self.reasons = {start: reason for start in due if (reason := self._reason(start))}
        ready = [start for start in due if start not in self.reasons]
        self._starting = {start.subject for start in ready if start.stage is not Stage.GOLD}
        self.reasons |= {start: reason for start in ready if (reason := self._reason_of_this_tick(start))}
        self.requests = [self._request(start) for start in _first([one for one in ready if one not in self.reasons])]

    @property
    def waiting(self) -> list[PendingStart]:
        return latest([*self.reasons, *(request.later for request in self.requests if request.later)])

    def _dataset(self, start: PendingStart) -> Dataset:
        return self._automation.policies.dataset(start.urn)

    def _stages(self, start: PendingStart) -> tuple[Stage, ...]:
        stages = self._dataset(start).stages
        return stages[stages.index(start.stage) :]

    def _request(self, start: PendingStart) -> Request:
        """Defers gold to a later run if a reference dataset is missing or is being made."""
        stages = self._stages(start)
        if Stage.GOLD in stages[1:] and (self._reference_reason(start) or self._that_starts(start, Stage.GOLD)):
            return Request(start, stages[: stages.index(Stage.GOLD)], replace(start, stage=Stage.GOLD))
        return Request(start, stages)

    def _is_made_since(self, start: PendingStart) -> bool:
        """Whether a run that was created after the event makes it, or has made it; a held or cancelled run counts too.

        A materialization after a delivery or a certification proves nothing: its run may have read the input before.
        Within a dataset it does, because a stage reads the stage before it under the dataset's lease.
        """
        dataset = self._dataset(start)
        key = asset_key(start.stage, dataset)
        made = 0 if start.stage is dataset.stages[0] else self._log.materialized(key, start.partition)
        return max(self._log.planned(key, start.partition), made) > start.event

    def _reason(self, start: PendingStart) -> str:
        """Why the run cannot start now; empty if it can."""
        dataset, declared = self._dataset(start), self._dataset(start).policy.partition
        if declared and start.partition and not declared.is_over(start.partition, self._now):
            return "its day is not over"
        if start.stage is dataset.stages[0]:
            reason = self._input_reason(start, dataset) or self._check_reason(start, dataset)
        else:
            reason = self._reference_reason(start) if start.stage is Stage.GOLD else ""
        return reason or self._run_reason(start, dataset)

    def _input_reason(self, start: PendingStart, dataset: Dataset) -> str:
        for one in self._automation.inputs(dataset):
            key, partition = self._automation.certified(one), self._partition_of(one, start)
            by_any = one.policy.partition is not None and start.partition is None
            if not by_any and not self._log.materialized(key, partition):
                return f"{one.urn} is not certified for it"
            if run_id := self._log.run_making(key, partition):
                return f"run {run_id} makes {one.urn}"
        return ""

    def _check_reason(self, start: PendingStart, dataset: Dataset) -> str:
        for asset in self._automation.reported(dataset):
            if not self._log.have_passed(
                _checks(asset), (start.partition or start.event_partition) if asset.partitions else None
            ):
                return f"the checks of {'/'.join(asset.key)} have not passed"
        return ""

    def _reference_reason(self, start: PendingStart) -> str:
        """A reference with days needs no particular day, so a missing day is no reason to wait."""
        for one in self._automation.references(self._dataset(start)):
            key, partition = self._automation.certified(one), self._partition_of(one, start)
            waits_too = self._automation.are_published_together(self._dataset(start), one)
            if one.policy.partition is None and not waits_too and not self._log.materialized(key, None):
                return f"{one.urn} was never certified"
            if run_id := self._log.run_making(key, partition):
                return f"run {run_id} makes {one.urn}"
        return ""

    def _run_reason(self, start: PendingStart, dataset: Dataset) -> str:
        for stage in self._stages(start):
            if run_id := self._log.run_making(asset_key(stage, dataset), start.partition):
                return f"run {run_id} makes it"
        return ""

    def _reason_of_this_tick(self, start: PendingStart) -> str:
        """Inputs that are requested in the same tick run first, whatever their gates will answer."""
        input_urn = self._that_starts(start, start.stage)
        return f"{input_urn} is being made" if input_urn else ""

    def _that_starts(self, start: PendingStart, stage: Stage) -> str:
        """An input of ``stage`` that is requested in this tick; empty if there is none."""
        dataset, read = self._dataset(start), list[Dataset]()
        if stage is dataset.stages[0]:
            read += self._automation.inputs(dataset)
        if stage is Stage.GOLD:
            read += self._automation.references(dataset)
        return next((one.urn for one in read if (one.urn, self._partition_of(one, start)) in self._starting), "")

    def _partition_of(self, other: Dataset, start: PendingStart) -> PartitionKey | None:
        """The partition of ``other`` that ``start`` reads: the same one, or that of the event."""
        return None if other.policy.partition is None else start.partition or start.event_partition


def _checks(asset: ExternalAsset) -> list[dg.AssetCheckKey]:
    return [dg.AssetCheckKey(dg.AssetKey(list(asset.key)), name) for name in asset.checks]


def _first(ready: Sequence[PendingStart]) -> list[PendingStart]:
    """One start for each partition: the earliest stage, which the others follow, with the latest event."""
    starts: dict[tuple[str, PartitionKey | None], PendingStart] = {}
    for start in ready:
        other = starts.setdefault(start.subject, start)
        first = min(start, other, key=lambda one: list(Stage).index(one.stage))
        starts[start.subject] = replace(first, event=max(start.event, other.event))
    return list(starts.values())
