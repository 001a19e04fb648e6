"""The deadlines of a partition's parts, and which of them a partition has missed.

Parts with the same deadline are due together. A dataset without declared parts has one deadline, of no certain part.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from data_platform.signals.due import due_within, late_partitions, pending_partitions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime

    from data_platform.model.freshness import Freshness, PartDeadline
    from data_platform.model.lateness import Progress
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.policy import DatasetPolicy
    from data_platform.policies import Dataset
    from data_platform.signals.due import DuePartition

    Incomplete = Mapping[tuple[str, PartitionKey], tuple[str, ...]]


class PartDue(NamedTuple):
    """``values`` are the parts that are due; of a day that is not there, ``is_part`` says that others are due later."""

    partition: PartitionKey
    due: datetime
    late_since: datetime
    values: tuple[str, ...]
    is_part: bool


def late_parts(policy: DatasetPolicy, now: datetime) -> tuple[PartDue, ...]:
    """Those whose deadline and grace are over at ``now``."""
    return tuple(_each(policy, lambda one: late_partitions(one, now)))


def pending_parts(policy: DatasetPolicy, now: datetime) -> tuple[PartDue, ...]:
    """Those of partitions that have begun, which are late within a day, but not yet."""
    return tuple(_each(policy, lambda one: pending_partitions(one, now)))


def parts_within(policy: DatasetPolicy, since: datetime, until: datetime) -> tuple[PartDue, ...]:
    """Those whose grace was over from ``since`` to ``until``."""
    return tuple(_each(policy, lambda one: due_within(one, since, until)))


def _each(policy: DatasetPolicy, find: Callable[[DatasetPolicy], Iterable[DuePartition]]) -> Iterator[PartDue]:
    freshness = policy.slo.freshness
    if freshness is None:
        return
    declared = freshness.parts
    groups = declared.deadlines if declared else ()
    own = {value for one in groups for value in one.values}
    others = tuple(value for value in declared.values if value not in own) if declared else ()
    for due in find(policy):
        yield PartDue(*due, others, is_part=bool(groups))
    for group in groups:
        slo = policy.slo.model_copy(update={"freshness": _freshness_of(freshness, group)})
        for due in find(policy.model_copy(update={"slo": slo})):
            yield PartDue(*due, group.values, is_part=True)


def _freshness_of(freshness: Freshness, group: PartDeadline) -> Freshness:
    """It is valid, since the policy is; a calendar may have no effect on the deadline of some parts."""
    grace = freshness.grace_period if group.grace_period is None else group.grace_period
    values = {name: getattr(freshness, name) for name in type(freshness).model_fields}
    changes = {"expected_update_by": group.expected_update_by, "grace_period": grace, "parts": None}
    return type(freshness).model_construct(**{**values, **changes})


def missing_parts(
    due: Iterable[tuple[Dataset, PartDue]], present: Progress, incomplete: Incomplete
) -> list[tuple[Dataset, PartDue]]:
    """One for each partition that is not there: its earliest missed deadline, and all parts of it that are missing.

    ``incomplete`` has the partitions that are there without some parts.
    """
    found: dict[tuple[str, PartitionKey], tuple[Dataset, PartDue]] = {}
    for dataset, one in due:
        key = (dataset.urn, one.partition)
        if present.has(*key):
            continue
        missing = one.values
        if key in incomplete:
            missing = tuple(value for value in one.values if value in incomplete[key])
            if not missing:
                continue
        before = found[key][1] if key in found else one._replace(values=())
        first = min(before, one, key=lambda each: each.late_since)
        found[key] = (dataset, first._replace(values=(*before.values, *missing)))
    return list(found.values())
