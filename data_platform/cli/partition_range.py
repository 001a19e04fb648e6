"""``--partition``: one partition, or a range such as ``2013-01-01..2013-01-31`` that includes both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import UsageError
from data_platform.model.partition_key import PartitionKey

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.installation import Platform
    from data_platform.policies import Dataset

SIGN = ".."
EXAMPLE = f"2013-01-01{SIGN}2013-01-31"
MOST_DAYS = 366
"""A year. A mistyped year would otherwise start thousands of runs."""


def partitions_of(platform: Platform, datasets: Sequence[Dataset], text: str | None) -> tuple[PartitionKey | None, ...]:
    """The partitions that ``text`` names, in order, checked for every partitioned dataset; (None,) without ``text``.

    Raises:
        UsageError: A partition is missing or wrong, or a range is reversed, too long, not over yet, or selected for a
            dataset without partitions.
    """
    partitioned = [dataset for dataset in datasets if dataset.policy.partition]
    if text is not None and not partitioned:
        raise UsageError("no selected dataset has partitions: omit --partition")
    if text is None or SIGN not in text:
        parsed = [platform.partition(dataset, text) for dataset in partitioned]
        return (parsed[0] if parsed else None,)
    partitions = _range(text)
    if undated := [dataset.urn for dataset in datasets if dataset not in partitioned]:
        raise UsageError(
            f"a range would run {', '.join(undated)} once per day, without a partition: run such datasets alone first, "
            "without --partition"
        )
    for dataset in partitioned:
        for partition in (partitions[0], partitions[-1]):
            platform.partition(dataset, partition)
        _require_over(platform, dataset, partitions[-1])
    return partitions


def _range(text: str) -> tuple[PartitionKey, ...]:
    try:
        first, last = (PartitionKey(part) for part in text.split(SIGN))
    except ValueError:
        raise UsageError(f"{text!r} is not a range of days: expected one such as {EXAMPLE}") from None
    count = first.steps_to(last) + 1
    if count < 1:
        raise UsageError(f"the range {text} ends before it begins: write {last}{SIGN}{first}")
    if count > MOST_DAYS:
        raise UsageError(f"the range {text} has {count} days, and one command runs at most {MOST_DAYS}: split it")
    return tuple(first.shifted(number) for number in range(count))


def _require_over(platform: Platform, dataset: Dataset, last: PartitionKey) -> None:
    """Refuses a range whose last day is not over; Dagster would refuse it only after the other days have run."""
    zone = dataset.policy.zone
    if last >= (today := PartitionKey.containing(platform.now(), zone)):
        raise UsageError(
            f"{last} is not over yet in {zone} ({dataset.urn}): the last possible day is the one before {today}"
        )
