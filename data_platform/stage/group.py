"""The publish group of a dataset as its policies are now, and what a member may read of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.publication import GroupMember, GroupRule

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset


def rule_of(platform: Platform, dataset: Dataset) -> GroupRule | None:
    """The dataset's group; None if it is published alone, and has no version that waits.

    A dataset that left its group while a version waited is a group of its own until that version is published.
    """
    group = platform.policies.group_of(dataset.urn)
    if group is not None:
        members = (platform.policies.dataset(urn) for urn in group.members)
        return GroupRule(name=group.name, members=tuple(_member_of(platform, one) for one in members))
    waiting = platform.catalog.publications.open_candidates(dataset.urn)
    return GroupRule(name=waiting[-1].group, members=(_member_of(platform, dataset),)) if waiting else None


def _member_of(platform: Platform, dataset: Dataset) -> GroupMember:
    partition = dataset.policy.partition
    return GroupMember(
        urn=dataset.urn,
        path=platform.path(dataset, Stage.GOLD),
        judged_under=dataset.judged_under,
        first=partition.first if partition else None,
        last=partition.last if partition else None,
    )


def passed_version(platform: Platform, dataset: Dataset, other: Dataset, partition: PartitionKey | None) -> int | None:
    """The version of ``other`` against which ``dataset`` is judged, if both are in one group; else None.

    Consumers see it with the rows of ``dataset`` or not at all, so its certified version would be too old: gold of the
    same day counts, if it passed.
    """
    group = platform.policies.group_of(dataset.urn)
    if group is None or other.urn not in group.members:
        return None
    day = partition if other.policy.partition else None
    last = platform.catalog.runs.latest(other.urn, Stage.GOLD, day)
    return last.version if last is not None and last.qualifies else None
