"""The completion markers that are declared, and were not seen.

A marker that was seen is stored with what its delivery waits for. One that never came is stored nowhere: only the
policies know its name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.partition_path import has_partition
from data_platform.policies.external import ExternalAssets

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.model.arrival import MarkerState
    from data_platform.model.lateness import Progress
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.source import Arrival
    from data_platform.policies import Policies


def watched_arrivals(policies: Policies, urns: Iterable[str]) -> dict[str, Arrival]:
    """How deliveries of the datasets are detected, of those whose marker is declared."""
    external = ExternalAssets(policies)
    found = ((urn, external.arrival(urn)) for urn in urns)
    return {urn: arrival for urn, arrival in found if arrival is not None and arrival.marker}


def delivered_slices(markers: Iterable[MarkerState]) -> frozenset[tuple[str, PartitionKey | None]]:
    """The partitions of which a marker was seen with a complete delivery."""
    return frozenset((one.urn, one.partition) for one in markers if not one.waits_for)


def missing_marker(progress: Progress, urn: str, partition: PartitionKey | None) -> str:
    """The path below the landing root of the marker that was not seen; empty if none is declared, or it was.

    A marker that names no partition tells nothing about one: its absence is not reported.
    """
    arrival = progress.arrivals.get(urn)
    if arrival is None or not arrival.marker or (urn, partition) in progress.delivered:
        return ""
    if partition is not None and not (has_partition(arrival.path) or has_partition(arrival.marker)):
        return ""
    dated = arrival.on(partition)
    return f"{dated.path.rstrip('/')}/{dated.marker}"
