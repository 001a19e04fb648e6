"""What legacy jobs make, as external assets: declared by mapping files, materialized by whoever reports it.

A dataset that no policy declares is an asset of its own, ``zone/name``. One that a policy lands has a delivery,
``landing/table``, which its bronze asset stands on; an external one is its ``gold_certified`` asset, as ever. The
database is not asked: jobs that only JIL names are in the catalog, and here once a mapping file names them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from typing import Any

import dagster as dg

from data_platform.legacy.declared import Declarations, DeclaredDataset
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.legacy import process_key
from data_platform.orchestration.word import asset_key, freshness_policy
from data_platform.policies import Dataset, Policies

LANDING = "landing"
"""First part of the key of a delivery; no stage is called so."""

_TAKEN = {LANDING, *(stage.value for stage in Stage)}
KIND = "autosys"


@dataclass(frozen=True)
class LegacyAssets:
    """Everything that the mapping files of ``policies`` say about assets; nothing, and quickly, if there are none."""

    policies: Policies

    @cached_property
    def declared(self) -> dict[str, DeclaredDataset]:
        return {found.urn: found for found in Declarations(self.policies.mappings).datasets()}

    def delivery(self, dataset: Dataset) -> dg.AssetKey | None:
        """The asset that stands for what is delivered of a landed dataset, if a legacy job or watched file is."""
        said = self.declared.get(dataset.urn)
        is_delivered = said is not None and (said.jobs or said.patterns) and dataset.policy.source
        return dg.AssetKey([LANDING, dataset.table]) if is_delivered else None

    def key(self, urn: str) -> dg.AssetKey:
        dataset = self._by_urn.get(urn)
        if dataset is not None:
            return self.delivery(dataset) or asset_key(Stage.CERTIFIED, dataset.table)
        found = DatasetId.parse(urn)
        return dg.AssetKey([*(["legacy"] if found.zone in _TAKEN else []), found.zone, found.name])

    def linked(self, spec: dg.AssetSpec, dataset: Dataset) -> dg.AssetSpec:
        """The asset of an external dataset, with the jobs that make it; what its policy says of it counts."""
        said = self.declared.get(dataset.urn)
        if said is None:
            return spec
        return spec.replace_attributes(
            deps=[*spec.deps, *self._deps(said)],
            kinds={*spec.kinds, *_kinds(said)},
            metadata={**spec.metadata, **_metadata(said)},
            freshness_policy=spec.freshness_policy or _freshness(said),
        )

    def specs(self, partitions: Mapping[str, dg.PartitionsDefinition[Any] | None]) -> list[dg.AssetSpec]:
        """Of what has no asset by its policy; ``partitions`` lead from a landed dataset's URN to its days."""
        found = []
        for urn, said in self.declared.items():
            dataset = self._by_urn.get(urn)
            if dataset is None or self.delivery(dataset) is not None:
                found.append(self._spec(said, dataset, partitions.get(urn)))
        return found

    @cached_property
    def _by_urn(self) -> dict[str, Dataset]:
        return {dataset.urn: dataset for dataset in self.policies.datasets}

    def _spec(
        self, said: DeclaredDataset, dataset: Dataset | None, partitions: dg.PartitionsDefinition[Any] | None
    ) -> dg.AssetSpec:
        return dg.AssetSpec(
            self.key(said.urn),
            deps=self._deps(said),
            description=_description(said),
            owners=list(dict.fromkeys(f"team:{job.team}" for job in said.jobs if job.team)),
            group_name=dataset.id.zone if dataset else DatasetId.parse(said.urn).zone,
            kinds=_kinds(said),
            metadata={"urn": said.urn, **_metadata(said)},
            partitions_def=partitions,
            freshness_policy=_freshness(said),
        )

    def _deps(self, said: DeclaredDataset) -> list[dg.AssetDep]:
        """Days are matched by name, as of all assets: Dagster's own mapping refuses days of different time zones."""
        own, daily = self.key(said.urn), self._is_daily(said.urn)
        found = {}
        for urn in said.inputs:
            mapping = dg.IdentityPartitionMapping() if daily and self._is_daily(urn) else None
            found[self.key(urn)] = dg.AssetDep(self.key(urn), partition_mapping=mapping)
        return [dep for key, dep in found.items() if key != own]

    def _is_daily(self, urn: str) -> bool:
        return urn in self._by_urn and self._by_urn[urn].policy.partition is not None


def without_circles(
    found: Sequence[dg.AssetsDefinition | dg.AssetSpec],
) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    """Jobs may read what is made of what they write; Dagster refuses that, and then shows nothing at all.

    So a legacy asset's input that closes a circle is no dependency, and is named in the asset's metadata.
    """
    graph = {spec.key: {dep.asset_key for dep in spec.deps} for one in found for spec in _specs(one)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:
        return _opened(found, graph)
    return list(found)


def _opened(
    found: Sequence[dg.AssetsDefinition | dg.AssetSpec], graph: dict[dg.AssetKey, set[dg.AssetKey]]
) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    legacy = [one.key for one in found if isinstance(one, dg.AssetSpec)]
    wanted = {key: graph[key] for key in legacy}
    graph = {**graph, **{key: set() for key in legacy}}
    for key in legacy:
        for upstream in sorted(wanted[key]):
            if not _reaches(graph, upstream, key):
                graph[key].add(upstream)
    return [_cut(one, graph[one.key]) if isinstance(one, dg.AssetSpec) else one for one in found]


def _cut(spec: dg.AssetSpec, kept: set[dg.AssetKey]) -> dg.AssetSpec:
    left = sorted(dep.asset_key.to_user_string() for dep in spec.deps if dep.asset_key not in kept)
    if not left:
        return spec
    deps = [dep for dep in spec.deps if dep.asset_key in kept]
    return spec.replace_attributes(deps=deps, metadata={**spec.metadata, "also_reads": ", ".join(left)})


def _reaches(graph: Mapping[dg.AssetKey, Iterable[dg.AssetKey]], start: dg.AssetKey, goal: dg.AssetKey) -> bool:
    """By dependencies, upstream."""
    seen, waiting = {start}, [start]
    while waiting:
        key = waiting.pop()
        if key == goal:
            return True
        fresh = [upstream for upstream in graph.get(key, ()) if upstream not in seen]
        seen.update(fresh)
        waiting.extend(fresh)
    return False


def _specs(one: dg.AssetsDefinition | dg.AssetSpec) -> list[dg.AssetSpec]:
    return [one] if isinstance(one, dg.AssetSpec) else list(one.specs)


def _kinds(said: DeclaredDataset) -> set[str]:
    return {KIND, *(["file"] if said.patterns else [])}


def _freshness(said: DeclaredDataset) -> dg.FreshnessPolicy | None:
    """Of several jobs that make it, the first deadline that is said."""
    return freshness_policy(next((job.freshness for job in said.jobs if job.freshness), None))


def _description(said: DeclaredDataset) -> str:
    told = [job.description for job in said.jobs if job.description]
    if said.jobs:
        told.append(f"Made by the legacy scheduler's {', '.join(job.job for job in said.jobs)}.")
    if said.patterns:
        told.append(f"Watched for as {', '.join(said.patterns)}.")
    return "\n\n".join(told) or "Read by jobs of the legacy scheduler."


def _metadata(said: DeclaredDataset) -> dict[str, Any]:
    jobs = said.jobs
    told: dict[str, Sequence[str | None]] = {
        "process": [process_key(job.job, job.box) for job in jobs],
        "box": [job.box for job in jobs],
        "schedule": [job.schedule for job in jobs],
        "condition": [job.condition for job in jobs],
        "watch_file": said.patterns,
    }
    words = {name: ", ".join(dict.fromkeys(value for value in values if value)) for name, values in told.items()}
    return {name: text for name, text in words.items() if text}
