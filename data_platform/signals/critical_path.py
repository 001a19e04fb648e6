"""When a partition will be there, by the usual times of what must still run: its stages, and those of its inputs.

A stage that runs is done when its usual time is over, or now if it takes longer. What has not started starts now, or
when its last input is there. What a gate held or what failed starts again now: that is the earliest. Stages and jobs
that have run too seldom take no time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.model.at_risk import PathStep
from data_platform.model.lateness import SliceFacts
from data_platform.model.run_time import RunTime
from data_platform.signals.missing_input import missing_inputs

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from data_platform.model.dataset import Stage
    from data_platform.model.lateness import Progress
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset, Policies


@dataclass(frozen=True)
class Arrival:
    """``at`` is by the 95th percentiles, ``usual_at`` by the medians. ``path`` ends with the partition itself."""

    at: datetime
    usual_at: datetime
    path: tuple[PathStep, ...] = ()


@dataclass
class CriticalPath:
    """``stages`` and ``jobs`` are the run times of stages by dataset, and of the jobs of external datasets."""

    policies: Policies
    progress: Progress
    stages: Mapping[tuple[str, Stage], RunTime]
    jobs: Mapping[str, RunTime]
    now: datetime
    _known: dict[tuple[str, PartitionKey], Arrival] = field(default_factory=dict)

    def arrival(self, urn: str, partition: PartitionKey) -> Arrival:
        """When consumers will see the partition: with the other members of its publish group."""
        dataset, group = self.policies.find(urn), self.policies.group_of(urn)
        if dataset is None or self.progress.has(urn, partition):
            return Arrival(self.now, self.now)
        own = self._passed(dataset, partition)
        members = [self._member(other, partition) for other in (group.members if group else ()) if other != urn]
        last = max([own, *members], key=lambda one: one.at)
        if last is own:
            return own
        waits = PathStep(dataset=urn, partition=partition, remaining=timedelta(0), state=_IN_GROUP)
        return Arrival(last.at, max(own.usual_at, last.usual_at), (*last.path, waits))

    def _member(self, urn: str, partition: PartitionKey) -> Arrival:
        dataset = self.policies.find(urn)
        declared = dataset.policy.partition if dataset else None
        if dataset is None or declared is None or declared.outside(partition) or self.progress.has(urn, partition):
            return Arrival(self.now, self.now)
        return self._passed(dataset, partition)

    def _passed(self, dataset: Dataset, partition: PartitionKey) -> Arrival:
        key = (dataset.urn, partition)
        if key not in self._known:
            self._known[key] = Arrival(self.now, self.now)  # for datasets that are made of each other
            self._known[key] = self._computed(dataset, partition)
        return self._known[key]

    def _computed(self, dataset: Dataset, partition: PartitionKey) -> Arrival:
        facts = self.progress.slices.get((dataset.urn, partition), SliceFacts())
        begin = Arrival(self.now, self.now)
        if facts.running is None and facts.last is None:
            inputs = missing_inputs(self.progress, self.policies, dataset, partition)
            begin = max([begin, *(self.arrival(urn, partition) for urn in inputs)], key=lambda one: one.at)
        over = partition.ends_at(dataset.policy.zone)
        at, usual_at = max(begin.at, over), max(begin.usual_at, over)
        state, times = self._remaining(dataset, facts)
        if facts.running is not None and facts.running.is_alive and times:
            started, first, times = facts.running.started_at, times[0], times[1:]
            at, usual_at = max(at, started + first.long), max(usual_at, started + first.usual)
        long = at + sum((one.long for one in times), timedelta(0))
        usual = usual_at + sum((one.usual for one in times), timedelta(0))
        step = PathStep(dataset=dataset.urn, partition=partition, remaining=long - max(begin.at, self.now), state=state)
        return Arrival(long, usual, (*begin.path, step))

    def _remaining(self, dataset: Dataset, facts: SliceFacts) -> tuple[str, list[RunTime]]:
        """What is said of the partition, and the times of what runs and of what comes after it."""
        if not dataset.stages:
            job = self.jobs.get(dataset.urn, RunTime())
            return ("its job is running" if facts.running else "has not arrived"), [job]
        stages, state = list(dataset.stages), "nothing has started"
        if facts.running is not None and facts.running.stage in stages:
            state = f"{facts.running.stage} {'is running' if facts.running.is_alive else 'died'}"
            stages = stages[stages.index(facts.running.stage) :]
        elif facts.last is not None and facts.last.stage in stages:
            place = stages.index(facts.last.stage)
            passed = facts.last.outcome.qualifies
            state = f"{facts.last.stage} {'passed' if passed else 'was held'}"
            stages = stages[place + 1 :] if passed else stages[place:]
        if facts.failed_at is not None and (facts.last is None or facts.failed_at > facts.last.finished_at):
            state = "its last run failed"
        return state, [self.stages.get((dataset.urn, stage), RunTime()) for stage in stages]


_IN_GROUP = "waits for its publish group"
