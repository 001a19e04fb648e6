"""Why a partition is late, by fixed rules over what the catalog knows. The first rule that applies is the answer.

1. A stage is writing it: ``JOB_RUNNING_SLOW`` if it takes longer than 95 % of its runs do, else it began too late:
   ``JOB_NOT_TRIGGERED``.
2. The process that wrote it is dead, or its last job ended with an error: ``JOB_FAILED``.
3. Its last stage was held or errored by a gate: ``HELD_BY_GATE``.
4. It passed, and waits for another member of its publish group: ``UPSTREAM_LATE``, with the chain that begins there.
5. Its last stage passed, and nothing came after, or it was certified without one of its parts: ``PARTIAL_WRITE``.
6. Nothing has run, and an input is not there: ``UPSTREAM_LATE``, with the chain to the first dataset that is late.
7. Otherwise nothing has started: ``JOB_NOT_TRIGGERED``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from data_platform.model.dataset import Stage
from data_platform.model.lateness import LateCause, SliceFacts
from data_platform.signals.missing_input import missing_inputs
from data_platform.signals.trigger import marker_that_never_came, wait_for_marker, why_not_triggered

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.lateness import Progress, StageBegin, StageEnd
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset, Policies


_MOST_NAMED = 5

Slice: TypeAlias = "tuple[str, PartitionKey]"
"""A partition of a dataset."""


@dataclass(frozen=True)
class Explained:
    cause: LateCause
    reason: str
    upstream: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    marker: str = ""


def explain(
    policies: Policies,
    progress: Progress,
    dataset: Dataset,
    partition: PartitionKey,
    *,
    late_since: datetime,
    now: datetime,
) -> Explained:
    """The cause of a partition that is not there at ``now``."""
    facts = progress.slices.get((dataset.urn, partition), SliceFacts())
    found = explain_by_runs(facts, late_since, now)
    if found is not None and found.cause is not LateCause.PARTIAL_WRITE:
        return found
    if chain := _chain(policies, progress, dataset, partition):
        waits = facts.in_group.reason if facts.in_group else f"waits for {' '.join(chain[-1])}"
        first, of_day = policies.find(chain[-1][0]), chain[-1][1]
        marker = _marker(progress, first, of_day, late_since, now) if first else ""
        return Explained(LateCause.UPSTREAM_LATE, waits, tuple(urn for urn, _ in chain), marker=marker)
    if found is not None:
        return found
    waits_for = wait_for_marker(facts, progress, dataset.urn, partition)
    reason = why_not_triggered(dataset, progress, waits_for, late_since=late_since, now=now)
    return Explained(LateCause.JOB_NOT_TRIGGERED, reason, marker=_marker(progress, dataset, partition, late_since, now))


def _marker(progress: Progress, first: Dataset, partition: PartitionKey, late_since: datetime, now: datetime) -> str:
    """The marker for which the first dataset of a chain waits, if nothing of it has run."""
    facts = progress.slices.get((first.urn, partition), SliceFacts())
    if facts.running or facts.last or facts.failed_at or facts.waits_for:
        return ""
    return marker_that_never_came(first, progress, partition, late_since=late_since, now=now)


def explain_by_runs(facts: SliceFacts, late_since: datetime, now: datetime) -> Explained | None:
    """The cause by what runs and what ended; None if nothing has run."""
    if facts.running is not None:
        return _running(facts.running, late_since, now)
    last = facts.last
    if facts.failed_at is not None and (last is None or facts.failed_at > last.finished_at):
        return Explained(LateCause.JOB_FAILED, facts.failure or "the job ended with an error")
    if last is None:
        return (
            Explained(LateCause.PARTIAL_WRITE, _reported(facts.without), without=facts.without)
            if facts.without
            else None
        )
    if not last.outcome.qualifies:
        return Explained(LateCause.HELD_BY_GATE, f"{last.stage} {last.outcome}: {last.reason}")
    if last.stage is Stage.CERTIFIED and facts.without:
        return Explained(LateCause.PARTIAL_WRITE, _without(facts.without, last), without=facts.without)
    written = f"{last.stage} passed at {last.finished_at:%Y-%m-%d %H:%M} UTC, and was not certified"
    return Explained(LateCause.PARTIAL_WRITE, facts.in_group.reason if facts.in_group else written)


def _without(parts: tuple[str, ...], last: StageEnd) -> str:
    return f"certified at {last.finished_at:%Y-%m-%d %H:%M} UTC without rows of {_named(parts)}"


def _reported(without: tuple[str, ...]) -> str:
    return f"reported without rows of {_named(without)}"


def _named(parts: tuple[str, ...]) -> str:
    """The first parts; they are values of the policy."""
    more = f" and {len(parts) - _MOST_NAMED} more" if len(parts) > _MOST_NAMED else ""
    return ", ".join(parts[:_MOST_NAMED]) + more


def _running(begin: StageBegin, late_since: datetime, now: datetime) -> Explained:
    since = f"{begin.stage or begin.run_id} began at {begin.started_at:%Y-%m-%d %H:%M} UTC"
    if not begin.is_alive:
        return Explained(LateCause.JOB_FAILED, f"{since}, and its process is dead")
    seconds = (now - begin.started_at).total_seconds()
    if begin.started_at >= late_since or (begin.usual_seconds is not None and seconds <= begin.usual_seconds):
        return Explained(LateCause.JOB_NOT_TRIGGERED, f"{since}, too late, and is running")
    usual = "" if begin.usual_seconds is None else f"; 95 % of its runs take {begin.usual_seconds / 60:.0f} minutes"
    return Explained(LateCause.JOB_RUNNING_SLOW, f"{since}, {seconds / 60:.0f} minutes ago{usual}")


def _chain(policies: Policies, progress: Progress, dataset: Dataset, partition: PartitionKey) -> list[Slice]:
    """From what the partition waits for to the first one that waits for no other."""
    chain: list[Slice] = []
    waiting: Dataset | None = dataset
    seen = {dataset.urn}
    while waiting is not None:
        nearer = _waits_for(policies, progress, waiting, partition)
        following = next((one for one in nearer if one[0] not in seen), None)
        if following is None:
            break
        chain.append(following)
        seen.add(following[0])
        waiting, partition = policies.find(following[0]), following[1]
    return chain


def _waits_for(policies: Policies, progress: Progress, dataset: Dataset, partition: PartitionKey) -> list[Slice]:
    """Other members of its publish group if it has passed, or inputs if nothing has run."""
    facts = progress.slices.get((dataset.urn, partition), SliceFacts())
    if not (facts.running or facts.last or facts.failed_at):
        return [(urn, partition) for urn in missing_inputs(progress, policies, dataset, partition)]
    waiting = facts.in_group
    if waiting is None or facts.running or (facts.failed_at and facts.failed_at > waiting.since):
        return []
    if facts.last is not None and not facts.last.outcome.qualifies:
        return []
    return [(one.dataset_urn, one.partition or partition) for one in waiting.missing]
