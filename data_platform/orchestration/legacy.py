"""External assets for what legacy jobs make: mapping files declare them, and jobs report their materializations.

Their keys and days are those of ``policies.external``. This module does not read the database: jobs that only JIL names
are in the catalog, and become assets once a mapping file names them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any

import dagster as dg

from data_platform.legacy.merged_mapping import DeclaredDataset
from data_platform.model.dataset import DatasetId
from data_platform.model.legacy import process_key
from data_platform.model.source import Arrival
from data_platform.orchestration.dagster_types import freshness_policy, partitions_definition
from data_platform.orchestration.gate_check import check_spec
from data_platform.orchestration.link import dataset_page
from data_platform.policies import Dataset, Policies
from data_platform.policies.external import ExternalAsset, ExternalAssets

KIND = "autosys"


@dataclass(frozen=True)
class LegacyAssets:
    """Everything that the mapping files of ``policies`` declare about assets; empty, and fast, if there are none."""

    policies: Policies
    folder: Path | None = None
    """The folder of the policy files, which assets link."""
    service: str | None = None
    """The address of our service, which assets link."""

    @cached_property
    def external(self) -> ExternalAssets:
        return ExternalAssets(self.policies)

    @property
    def declared(self) -> dict[str, DeclaredDataset]:
        return self.external.declared

    def delivery(self, dataset: Dataset) -> dg.AssetKey | None:
        """The asset of the deliveries of a landed dataset, if there is one."""
        return self.key(dataset.urn) if self.external.is_delivered(dataset) else None

    def key(self, urn: str) -> dg.AssetKey:
        return dg.AssetKey(list(self.external.key(urn)))

    def linked(self, spec: dg.AssetSpec, dataset: Dataset) -> dg.AssetSpec:
        """The asset of an external dataset, with the jobs that make it; values of its own policy take precedence."""
        declared = self.declared.get(dataset.urn)
        if declared is None:
            return spec
        return spec.replace_attributes(
            deps=[*spec.deps, *self._deps(declared)],
            kinds={*spec.kinds, *_kinds(declared)},
            metadata={**spec.metadata, **_metadata(declared)},
            freshness_policy=spec.freshness_policy or _freshness(declared),
        )

    def specs(self) -> list[dg.AssetSpec]:
        """Specs for datasets that no policy declares."""
        external = self.external
        return [
            self._spec(asset) for asset in external.by_urn.values() if asset.landed or not external.dataset(asset.urn)
        ]

    def checks(self) -> list[dg.AssetChecksDefinition]:
        """Checks that legacy jobs report; Dagster shows no result of a check that is not defined."""
        return [_reported_checks(asset) for asset in self.external.by_urn.values() if asset.checks]

    def _spec(self, asset: ExternalAsset) -> dg.AssetSpec:
        declared = self.declared.get(asset.urn) or DeclaredDataset(asset.urn)
        dataset = self.external.dataset(asset.urn)
        return dg.AssetSpec(
            self.key(declared.urn),
            deps=self._deps(declared),
            description=_description(declared, asset),
            owners=list(dict.fromkeys(f"team:{team}" for team in _teams(declared, dataset))),
            group_name=DatasetId.parse(declared.urn).zone,
            kinds=_kinds(declared) if self.declared.get(asset.urn) else {"file"},
            metadata={
                "urn": declared.urn,
                **dataset_page(declared.urn, self.service),
                **_metadata(declared),
                **_watched(asset.arrival),
            },
            partitions_def=partitions_definition(asset.partitions),
            freshness_policy=_freshness(declared)
            or freshness_policy(dataset.policy.slo.freshness if dataset else None),
        )

    def _deps(self, declared: DeclaredDataset) -> list[dg.AssetDep]:
        """Maps days by name, as for all assets: Dagster's own mapping refuses days of different time zones."""
        own, partitioned = self.key(declared.urn), self.external.is_partitioned(declared.urn)
        deps = {}
        for urn in declared.inputs:
            mapping = dg.IdentityPartitionMapping() if partitioned and self.external.is_partitioned(urn) else None
            deps[self.key(urn)] = dg.AssetDep(self.key(urn), partition_mapping=mapping)
        return [dep for key, dep in deps.items() if key != own]


def _teams(declared: DeclaredDataset, dataset: Dataset | None) -> list[str]:
    """The teams of the jobs that make it; for a delivery without such jobs, the team that lands it."""
    teams = [job.team for job in declared.jobs if job.team]
    return teams or ([dataset.policy.owner_team] if dataset else [])


def _reported_checks(asset: ExternalAsset) -> dg.AssetChecksDefinition:
    key = dg.AssetKey(list(asset.key))
    partitions = partitions_definition(asset.partitions)
    described = "Reported by the job that makes the asset."
    specs = [check_spec(name, key, description=described, partitions=partitions) for name in asset.checks]

    @dg.multi_asset_check(name="__".join((*asset.key, "reported")), specs=specs)
    def reported() -> Iterator[dg.AssetCheckResult]:
        yield from _nothing_to_run()  # Dagster requires a generator, or a tuple of as many results

    return reported


def _nothing_to_run() -> Iterator[dg.AssetCheckResult]:
    raise dg.Failure("this check is reported by the job that makes the asset, and cannot be run from here")


def without_cycles(
    definitions: Sequence[dg.AssetsDefinition | dg.AssetSpec],
) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    """Removes dependencies that form a cycle: Dagster refuses cycles, and would then load no asset at all.

    Jobs may read what is made of their own output. An input of a legacy asset that closes a cycle is removed from its
    dependencies, and is named in the asset's metadata.
    """
    graph = {spec.key: {dep.asset_key for dep in spec.deps} for one in definitions for spec in _specs(one)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError:
        return _without_cyclic_deps(definitions, graph)
    return list(definitions)


def _without_cyclic_deps(
    definitions: Sequence[dg.AssetsDefinition | dg.AssetSpec], graph: dict[dg.AssetKey, set[dg.AssetKey]]
) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    legacy = [one.key for one in definitions if isinstance(one, dg.AssetSpec)]
    wanted = {key: graph[key] for key in legacy}
    graph = {**graph, **{key: set() for key in legacy}}
    for key in legacy:
        for upstream in sorted(wanted[key]):
            if not _reaches(graph, upstream, key):
                graph[key].add(upstream)
    return [_cut(one, graph[one.key]) if isinstance(one, dg.AssetSpec) else one for one in definitions]


def _cut(spec: dg.AssetSpec, kept: set[dg.AssetKey]) -> dg.AssetSpec:
    removed = sorted(dep.asset_key.to_user_string() for dep in spec.deps if dep.asset_key not in kept)
    if not removed:
        return spec
    deps = [dep for dep in spec.deps if dep.asset_key in kept]
    return spec.replace_attributes(deps=deps, metadata={**spec.metadata, "also_reads": ", ".join(removed)})


def _reaches(graph: Mapping[dg.AssetKey, Iterable[dg.AssetKey]], start: dg.AssetKey, goal: dg.AssetKey) -> bool:
    """Whether ``goal`` is upstream of ``start``."""
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


def _kinds(declared: DeclaredDataset) -> set[str]:
    return {KIND, *(["file"] if declared.patterns else [])}


def _freshness(declared: DeclaredDataset) -> dg.FreshnessPolicy | None:
    """The first deadline that is declared by one of the jobs that make it."""
    return freshness_policy(next((job.freshness for job in declared.jobs if job.freshness), None))


def _description(declared: DeclaredDataset, asset: ExternalAsset) -> str:
    paragraphs = [declared.mapping.description] if declared.mapping and declared.mapping.description else []
    paragraphs += [job.description for job in declared.jobs if job.description]
    if declared.jobs:
        paragraphs.append(f"Made by the legacy scheduler's {', '.join(job.job for job in declared.jobs)}.")
    if declared.patterns:
        paragraphs.append(f"Watched for as {', '.join(declared.patterns)}.")
    if asset.arrival is not None:
        paragraphs.append(f"Watched for: {asset.arrival.path}/{asset.arrival.marker} marks a complete delivery.")
    return "\n\n".join(paragraphs) or "Read by jobs of the legacy scheduler."


def _watched(arrival: Arrival | None) -> dict[str, str]:
    return {} if arrival is None else {"marker": f"{arrival.path}/{arrival.marker}"}


def _metadata(declared: DeclaredDataset) -> dict[str, Any]:
    jobs = declared.jobs
    values_by_name: dict[str, Sequence[str | None]] = {
        "process": [process_key(job.job, job.box) for job in jobs],
        "box": [job.box for job in jobs],
        "schedule": [job.schedule for job in jobs],
        "condition": [job.condition for job in jobs],
        "watch_file": declared.patterns,
    }
    texts = {
        name: ", ".join(dict.fromkeys(value for value in values if value)) for name, values in values_by_name.items()
    }
    return {name: text for name, text in texts.items() if text}
