"""What legacy jobs make, as external assets: declared by mapping files, materialized by whoever reports it.

Their keys and days are those of ``policies.external``. The database is not asked: jobs that only JIL names are in the
catalog, and here once a mapping file names them.
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
from data_platform.orchestration.dagster_types import check_spec, daily_partitions, freshness_policy
from data_platform.policies import Dataset, Policies
from data_platform.policies.external import ExternalAsset, ExternalAssets

KIND = "autosys"


@dataclass(frozen=True)
class LegacyAssets:
    """Everything that the mapping files of ``policies`` say about assets; nothing, and quickly, if there are none."""

    policies: Policies
    folder: Path | None = None
    """Of the policy files, which assets link."""
    service: str | None = None
    """The address of our service, which assets link."""

    @cached_property
    def external(self) -> ExternalAssets:
        return ExternalAssets(self.policies)

    @property
    def declared(self) -> dict[str, DeclaredDataset]:
        return self.external.declared

    def delivery(self, dataset: Dataset) -> dg.AssetKey | None:
        """The asset that stands for what is delivered of a landed dataset, if there is one."""
        return self.key(dataset.urn) if self.external.is_delivered(dataset) else None

    def key(self, urn: str) -> dg.AssetKey:
        return dg.AssetKey(list(self.external.key(urn)))

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

    def specs(self) -> list[dg.AssetSpec]:
        """Of what has no asset by its policy."""
        found = self.external
        return [self._spec(asset) for asset in found.by_urn.values() if asset.landed or not found.dataset(asset.urn)]

    def checks(self) -> list[dg.AssetChecksDefinition]:
        """Checks that legacy jobs report; Dagster shows no result of a check that it does not know."""
        return [_reported_checks(asset) for asset in self.external.by_urn.values() if asset.checks]

    def _spec(self, asset: ExternalAsset) -> dg.AssetSpec:
        said = self.declared.get(asset.urn) or DeclaredDataset(asset.urn)
        dataset = self.external.dataset(asset.urn)
        return dg.AssetSpec(
            self.key(said.urn),
            deps=self._deps(said),
            description=_description(said, asset),
            owners=list(dict.fromkeys(f"team:{team}" for team in _teams(said, dataset))),
            group_name=DatasetId.parse(said.urn).zone,
            kinds=_kinds(said) if self.declared.get(asset.urn) else {"file"},
            metadata={"urn": said.urn, **_metadata(said), **_watched(asset.arrival)},
            partitions_def=daily_partitions(asset.start, asset.time_zone, asset.end) if asset.start else None,
            freshness_policy=_freshness(said) or freshness_policy(dataset.policy.slo.freshness if dataset else None),
        )

    def _deps(self, said: DeclaredDataset) -> list[dg.AssetDep]:
        """Days are matched by name, as of all assets: Dagster's own mapping refuses days of different time zones."""
        own, daily = self.key(said.urn), self.external.is_daily(said.urn)
        found = {}
        for urn in said.inputs:
            mapping = dg.IdentityPartitionMapping() if daily and self.external.is_daily(urn) else None
            found[self.key(urn)] = dg.AssetDep(self.key(urn), partition_mapping=mapping)
        return [dep for key, dep in found.items() if key != own]


def _teams(said: DeclaredDataset, dataset: Dataset | None) -> list[str]:
    """Of the jobs that make it; of a delivery that no job is known to make, the team that lands it."""
    teams = [job.team for job in said.jobs if job.team]
    return teams or ([dataset.policy.owner_team] if dataset else [])


def _reported_checks(asset: ExternalAsset) -> dg.AssetChecksDefinition:
    key = dg.AssetKey(list(asset.key))
    partitions = daily_partitions(asset.start, asset.time_zone, asset.end) if asset.start else None
    described = "Reported by the job that makes the asset."
    specs = [check_spec(name, key, description=described, partitions=partitions) for name in asset.checks]

    @dg.multi_asset_check(name="__".join((*asset.key, "reported")), specs=specs)
    def reported() -> Iterator[dg.AssetCheckResult]:
        yield from _nothing_to_run()  # Dagster wants a generator, or a tuple of as many results

    return reported


def _nothing_to_run() -> Iterator[dg.AssetCheckResult]:
    raise dg.Failure("this check is reported by the job that makes the asset, and cannot be run from here")


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


def _description(said: DeclaredDataset, asset: ExternalAsset) -> str:
    told = [said.said.description] if said.said and said.said.description else []
    told += [job.description for job in said.jobs if job.description]
    if said.jobs:
        told.append(f"Made by the legacy scheduler's {', '.join(job.job for job in said.jobs)}.")
    if said.patterns:
        told.append(f"Watched for as {', '.join(said.patterns)}.")
    if asset.arrival is not None:
        told.append(f"Watched for: {asset.arrival.path}/{asset.arrival.marker} says that a delivery is whole.")
    return "\n\n".join(told) or "Read by jobs of the legacy scheduler."


def _watched(arrival: Arrival | None) -> dict[str, str]:
    return {} if arrival is None else {"marker": f"{arrival.path}/{arrival.marker}"}


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
