"""Plans the replay of quarantined rows: the stages of their day that judge them again by today's policy.

A replay runs the day again from silver, with bronze as its input. It does not merge rows of a quarantine table into the
day. The reasons:

- Quarantine has tokens and masks in place of personal values, so its rows cannot be judged as they were delivered.
  Bronze can.
- One write replaces the slice of the day. The same bronze, policy and decisions give the same rows, so a replay that is
  repeated, or killed at any step, ends in the same rows, each once. The writer reconciles what a dead run left.
- A newer delivery has replaced the slice in bronze, so rows of the older one are in no input: the newer delivery wins.
- The writer counts what it reads, accepts and quarantines, and fails if the counts do not add up.

What people decided about rows is another input (``decision``). Bronze runs too if its last run was held, or was judged
by another policy; it ingests what is in the landing folder then. Rows of a derived dataset are made anew from the
certified versions of its inputs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.gates.released import RELEASED, ROWS
from data_platform.model.dataset import Stage
from data_platform.model.quarantine import QuarantineStatus
from data_platform.stage import decision
from data_platform.stage.prerequisite import delivery_id, is_current

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.run import StageReport
    from data_platform.policies import Dataset


@dataclass(frozen=True, kw_only=True)
class Replay:
    """One day to run again from stage ``first``; None with a ``reason`` if there is nothing to do."""

    dataset: Dataset
    partition: PartitionKey | None
    entries: tuple[QuarantineEntry, ...]
    first: Stage | None
    reason: str = ""

    @property
    def stages(self) -> tuple[Stage, ...]:
        return self.dataset.stages_from(self.first) if self.first else ()


def plan(platform: Platform, name: str, partition: PartitionKey | None) -> list[Replay]:
    """The days to run again, oldest first: that of one quarantine table, or each open one of a dataset.

    A day is replayed too if an earlier replay of it died, or if a decision about its rows was changed since.

    Raises:
        UsageError: ``name`` is neither a quarantine table nor a dataset.
    """
    entry = platform.catalog.quarantine.entry(name)
    if entry is not None:
        if partition not in (None, entry.partition):
            raise UsageError(f"{entry.full_name} is of {entry.partition}, and not of {partition}")
        return [_of_entry(platform, platform.policies.dataset(entry.dataset_urn), entry)]
    dataset = _dataset(platform, name)
    stored = platform.catalog.quarantine.entries(dataset.urn, include_closed=True)
    by_day: dict[PartitionKey | None, list[QuarantineEntry]] = {}
    for one in stored:
        if partition in (None, one.partition):
            by_day.setdefault(one.partition, []).append(one)
    days = sorted(by_day, key=str)
    planned = [_of_day(platform, dataset, day, tuple(by_day[day])) for day in days]
    return [one for one in planned if one.first is not None]


def counts_of(platform: Platform, silver: StageReport) -> dict[str, int]:
    """The rows that silver read, by what became of them: ``read`` is the sum of the others.

    ``accepted`` are those that keep the policy. Rows that were delivered again, corrected, are part of ``quarantined``.
    """
    entry = platform.catalog.quarantine.entry((silver.quarantine_table or "").removeprefix("quarantine."))
    discarded = entry.discarded_rows if entry else 0
    released = silver.metadata.get(RELEASED, {}).get(ROWS, 0) if silver.qualifies else 0
    return {
        "read": silver.rows.read,
        "accepted": silver.rows.accepted - released,
        "released": released,
        "discarded": discarded,
        "quarantined": silver.rows.quarantined - discarded,
    }


def _dataset(platform: Platform, name: str) -> Dataset:
    try:
        return platform.policies.dataset(name)
    except UsageError as error:
        table = f"there is no quarantine table {name}: see `data-platform quarantine list`"
        raise UsageError(f"{table}; and {error}") from None


def _of_entry(platform: Platform, dataset: Dataset, entry: QuarantineEntry) -> Replay:
    planned = _of_day(platform, dataset, entry.partition, (entry,))
    if planned.first is not None:
        return planned
    stored = platform.catalog.quarantine.entries(dataset.urn)
    others = [other.full_name for other in stored if other.partition == entry.partition]
    by = f" by {entry.closed_by}" if entry.closed_by else ""
    now_open = f"open for its day now: {', '.join(others)}" if others else "nothing of its day is open"
    reason = f"{entry.full_name} is {entry.status}{by}, so there is nothing to replay; {now_open}"
    return Replay(dataset=dataset, partition=entry.partition, entries=(entry,), first=None, reason=reason)


def _of_day(
    platform: Platform, dataset: Dataset, partition: PartitionKey | None, entries: tuple[QuarantineEntry, ...]
) -> Replay:
    open_ = tuple(entry for entry in entries if entry.status is QuarantineStatus.OPEN)
    due = bool(open_) or _is_unfinished(platform, dataset, partition) or _is_decided_anew(platform, dataset, partition)
    return Replay(
        dataset=dataset,
        partition=partition,
        entries=open_ or entries[:1],
        first=_first(platform, dataset, partition) if due else None,
    )


def _first(platform: Platform, dataset: Dataset, partition: PartitionKey | None) -> Stage:
    """Silver, if bronze holds a delivery that passed today's policy."""
    if Stage.BRONZE not in dataset.stages:
        return Stage.SILVER
    last = platform.catalog.runs.latest(dataset.urn, Stage.BRONZE, partition)
    return Stage.SILVER if last is not None and last.qualifies and is_current(dataset, last) else Stage.BRONZE


def _is_unfinished(platform: Platform, dataset: Dataset, partition: PartitionKey | None) -> bool:
    """Whether silver passed, and a later stage was not made of its result: a run has died in between."""
    last = platform.catalog.runs.latest(dataset.urn, Stage.SILVER, partition)
    for before, stage in ((Stage.SILVER, Stage.GOLD), (Stage.GOLD, Stage.CERTIFIED)):
        if last is None or not last.proceeds:
            return False
        report = platform.catalog.runs.latest(dataset.urn, stage, partition)
        if report is None or report.input_versions.get(f"{dataset.urn}@{before}", -1) < (last.version or 0):
            return True
        last = report
    return False


def _is_decided_anew(platform: Platform, dataset: Dataset, partition: PartitionKey | None) -> bool:
    """Whether a decision about this delivery was approved or withdrawn since its rows were judged."""
    for stage, before in ((Stage.SILVER, Stage.BRONZE), (Stage.GOLD, Stage.SILVER)):
        last = platform.catalog.runs.latest(dataset.urn, stage, partition)
        if last is None:
            return False
        delivery = delivery_id(platform, dataset, before, partition)
        now = decision.find(platform, dataset, stage, partition, delivery).input_version(dataset)
        if now != {name: number for name, number in last.input_versions.items() if name.endswith("@decisions")}:
            return True
    return False
