"""Datasets that the platform does not make, but receives reports of: the keys, partitions and checks of their assets.

A dataset that the platform does not make is the asset ``zone/name``, whether a policy declares it or not. One that a
policy lands has an asset for its deliveries, ``zone/name__landing``, which its bronze asset depends on. This module
does not use Dagster, so that the service can refuse reports that the code location has no asset for.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from data_platform.legacy.merged_mapping import Declarations, DeclaredDataset
from data_platform.model.dataset import LANDING, DatasetId, Stage
from data_platform.model.legacy import process_key

if TYPE_CHECKING:
    from data_platform.model.partition import PartitionRange
    from data_platform.model.source import Arrival
    from data_platform.policies.catalog import Dataset, Policies

Key: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ExternalAsset:
    """``partitions`` are its partitions, if it has any; ``arrival`` is how its files are watched.

    ``process`` is the key of the one job that makes it; None if no job or several do. ``landed`` means that the
    platform's own gates judge its deliveries.
    """

    urn: str
    key: Key
    partitions: PartitionRange | None = None
    checks: tuple[str, ...] = ()
    arrival: Arrival | None = None
    process: str | None = None
    landed: bool = False

    @property
    def arrives_as(self) -> str:
        """The dataset whose versions arrive; for a landed one its deliveries, since its own versions are certified."""
        return f"{self.urn}/{LANDING}" if self.landed else self.urn


@dataclass(frozen=True)
class ExternalAssets:
    """The external assets of ``policies``; empty, and fast, if there are none."""

    policies: Policies

    @cached_property
    def declared(self) -> dict[str, DeclaredDataset]:
        return {declared.urn: declared for declared in Declarations(self.policies.mappings).datasets()}

    def is_delivered(self, dataset: Dataset) -> bool:
        """Whether a landed dataset has an asset for its deliveries: a job reports it, or a marker is watched."""
        if dataset.policy.source is None:
            return False
        declared = self.declared.get(dataset.urn)
        return bool(dataset.policy.source.arrival or (declared and (declared.jobs or declared.patterns)))

    def key(self, urn: str) -> Key:
        dataset, dataset_id = self.dataset(urn), DatasetId.parse(urn)
        delivered = dataset is not None and self.is_delivered(dataset)
        return dataset_id.landing_key if delivered else dataset_id.asset_key(Stage.CERTIFIED)

    @cached_property
    def by_urn(self) -> dict[str, ExternalAsset]:
        """External assets sorted by their URNs."""
        policies = {d.urn for d in self.policies.datasets if not d.stages or self.is_delivered(d)}
        others = {urn for urn in self.declared if self.dataset(urn) is None}
        return {urn: self._asset(urn) for urn in sorted(policies | others)}

    @cached_property
    def by_key(self) -> dict[Key, ExternalAsset]:
        return {asset.key: asset for asset in self.by_urn.values()}

    def dataset(self, urn: str) -> Dataset | None:
        """The declared dataset; None if no policy declares it."""
        return self.policies.find(urn)

    def arrival(self, urn: str) -> Arrival | None:
        """How deliveries of a dataset are detected: by its policy if that names a marker, else by its mapping file."""
        dataset, declared = self.dataset(urn), self.declared.get(urn)
        source = dataset.policy.source if dataset else None
        if source is not None and source.arrival:
            return source.arrival
        return declared.mapping.watch if declared and declared.mapping else None

    def is_partitioned(self, urn: str) -> bool:
        dataset = self.dataset(urn)
        if dataset is not None:
            return dataset.policy.partition is not None
        return urn in self.by_urn and self.by_urn[urn].partitions is not None

    def _asset(self, urn: str) -> ExternalAsset:
        dataset, declared = self.dataset(urn), self.declared.get(urn)
        mapping = declared.mapping if declared else None
        source = dataset.policy.source if dataset else None
        of_policy = dataset.policy.partition if dataset else None
        jobs = {process_key(job.job, job.box) for job in declared.jobs} if declared else set()
        return ExternalAsset(
            urn=urn,
            key=self.key(urn),
            partitions=of_policy or (mapping.partition if mapping else None),
            checks=mapping.checks if mapping else (),
            arrival=self.arrival(urn),
            process=jobs.pop() if len(jobs) == 1 else None,
            landed=source is not None,
        )
