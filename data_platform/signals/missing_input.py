"""The inputs of the same day that a partition waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.process import InputRows

if TYPE_CHECKING:
    from data_platform.model.lateness import Progress
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies import Dataset, Policies


def missing_inputs(progress: Progress, policies: Policies, dataset: Dataset, partition: PartitionKey) -> list[str]:
    """Inputs of the same day that are not there, in the order of their names."""
    if dataset.process is None:
        return []
    same_day = [item.dataset for item in dataset.process.inputs if item.rows is InputRows.SAME_PARTITION]
    return sorted(urn for urn in same_day if _is_missing(progress, policies, urn, partition))


def _is_missing(progress: Progress, policies: Policies, urn: str, partition: PartitionKey) -> bool:
    upstream = policies.find(urn)
    declared = upstream.policy.partition if upstream else None
    if upstream is None or declared is None or declared.outside(partition):
        return False
    freshness = upstream.policy.slo.freshness
    if freshness is not None and not freshness.expects(partition.value):
        return False
    return not progress.has(urn, partition)
