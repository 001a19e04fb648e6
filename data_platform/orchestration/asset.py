"""Assets from policies: four for a landed dataset, three for a derived one, a spec for an external one.

The assets that legacy jobs make come from ``legacy``, and are part of the same list.

No dataset is named in Python. Each stage is one op, so a held batch stops only the assets that depend on it.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

import dagster as dg

from data_platform.errors import DataPlatformError
from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.run import StageReport
from data_platform.orchestration import link
from data_platform.orchestration.automation import Automation
from data_platform.orchestration.dagster_types import (
    asset_key,
    dagster_key,
    freshness_policy,
    materialization_metadata,
    partitions_definition,
    table_schema,
    urn_of,
)
from data_platform.orchestration.failure import HeldByGate, as_dagster_failure
from data_platform.orchestration.gate_check import check_results, check_specs, fails_step
from data_platform.orchestration.io_manager import DeltaDelivery, StageRun
from data_platform.orchestration.legacy import LegacyAssets, without_cycles
from data_platform.orchestration.publication import report_publications, tags_of
from data_platform.orchestration.resource import PLATFORM
from data_platform.policies import Dataset, Policies

WHAT = {
    Stage.BRONZE: "As it was delivered.",
    Stage.SILVER: "Typed rows that keep the lite contract; the others are in quarantine.",
    Stage.GOLD: "The candidate that the full contract judges.",
    Stage.CERTIFIED: "What consumers see: the last version that passed every gate.",
}
IO_MANAGER = "io_manager"
_ADDRESS = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._%+-]*@[A-Za-z0-9.-]+\.[A-Za-z]{2,7}")
"""The form of an owner's address that Dagster accepts. Any other would keep the code location from loading."""


def assets(legacy: LegacyAssets) -> list[dg.AssetsDefinition | dg.AssetSpec]:
    """The assets of all policies, with those that legacy jobs report."""
    specs: list[dg.AssetsDefinition | dg.AssetSpec] = []
    automation = Automation(legacy.policies, legacy.external)
    for dataset in legacy.policies.datasets:
        specs += _dataset_assets(legacy, dataset, automation.started_by(dataset))
    specs += legacy.specs()
    return without_cycles(specs) if legacy.declared else specs


def _dataset_assets(
    legacy: LegacyAssets, dataset: Dataset, started: str
) -> Iterator[dg.AssetsDefinition | dg.AssetSpec]:
    columns = table_schema(dataset, dataset.bundle.schema_.declared)  # shared by all of its stages
    if not dataset.stages:
        yield legacy.linked(_spec(legacy, dataset, Stage.CERTIFIED, (), columns, started), dataset)
    for position, stage in enumerate(dataset.stages):
        before = dataset.stages[position - 1] if position else None
        spec = _spec(legacy, dataset, stage, _deps(legacy, dataset, stage, before), columns, started)
        yield _stage_asset(dataset, stage, spec)


def _stage_asset(dataset: Dataset, stage: Stage, spec: dg.AssetSpec) -> dg.AssetsDefinition:
    key, urn = spec.key, dataset.urn

    @dg.multi_asset(
        name=f"{dataset.id.identifier}__{stage}",
        specs=[spec.with_io_manager_key(IO_MANAGER).replace_attributes(skippable=True)],
        check_specs=check_specs(dataset, stage),
        can_subset=False,
        required_resource_keys={PLATFORM, IO_MANAGER},
    )
    def stage_asset(context: dg.AssetExecutionContext) -> Iterator[Any]:
        platform: Platform = getattr(context.resources, PLATFORM)
        run_id = _run_id(platform, context)
        with as_dagster_failure():
            current = platform.policies.dataset(urn)
            partition = platform.partition(current, context.partition_key if context.has_partition_key else None)
        delivery: DeltaDelivery = getattr(context.resources, IO_MANAGER)
        report = delivery.deliver(StageRun(current, stage, partition, run_id))
        metadata = materialization_metadata(platform, current, report)
        if report.proceeds:
            yield dg.MaterializeResult(asset_key=key, metadata=metadata, tags=tags_of(report))
        else:
            context.log_event(dg.AssetObservation(key, metadata=metadata, partition=dagster_key(report.partition)))
        yield from check_results(current, stage, report)
        if report.stage is Stage.CERTIFIED:
            _report_others(context, platform, report)
        if fails_step(current, report):
            raise HeldByGate(report)

    return stage_asset


def _report_others(context: dg.AssetExecutionContext, platform: Platform, report: StageReport) -> None:
    """Materializes the other members of a publish group that were published; a later run or the sensor tries again."""
    try:
        report_publications(context.instance, platform.catalog, own=report)
    except DataPlatformError as error:
        context.log.warning(f"what was published is not reported yet, and is with the next run: {error}")


def _spec(
    legacy: LegacyAssets,
    dataset: Dataset,
    stage: Stage,
    deps: Sequence[dg.AssetKey],
    columns: dg.TableSchema,
    started: str,
) -> dg.AssetSpec:
    policies, policy = legacy.policies, dataset.policy
    metadata: dict[str, Any] = {"urn": dataset.urn, "dagster/table_name": f"{stage}.{dataset.id.identifier}"}
    metadata |= link.policy_files(dataset, legacy.folder) | link.dataset_page(dataset.urn, legacy.service)
    if columns.columns and stage is not Stage.BRONZE:
        metadata["dagster/column_schema"] = columns
    if started:
        metadata["started_by"] = started
    address = policy.owner_email or ""
    if address and not _ADDRESS.fullmatch(address):
        metadata["owner_email"] = address
    return dg.AssetSpec(
        asset_key(stage, dataset),
        deps=[_dep(policies, dataset, key) for key in deps],
        description=f"{policy.description}\n\n{WHAT[stage]}".strip(),
        owners=[f"team:{policy.owner_team}", *([address] if _ADDRESS.fullmatch(address) else [])],
        group_name=dataset.id.zone,
        kinds={"deltalake", "spark", "certified" if stage is Stage.CERTIFIED else stage.value},
        tags={
            **{_tag(tag): "" for tag in policy.tags},
            "tier": policy.tier.value,
            "stage": stage.value,
            "enforcement": dataset.enforcement.mode.value,
        },
        metadata=metadata,
        code_version=dataset.fingerprint,
        partitions_def=partitions_definition(policy.partition),
        freshness_policy=freshness_policy(policy.slo.freshness),
    )


def _deps(legacy: LegacyAssets, dataset: Dataset, stage: Stage, before: Stage | None) -> list[dg.AssetKey]:
    policies, delivery = legacy.policies, legacy.delivery(dataset)
    if stage is Stage.BRONZE and delivery is not None:
        return [delivery]
    deps = [asset_key(before, dataset)] if before else []
    if before is None and dataset.process is not None:
        deps += [asset_key(Stage.CERTIFIED, policies.dataset(i.dataset)) for i in dataset.process.inputs]
    if stage is Stage.GOLD:
        targets = [policies.dataset(r.dataset) for r in dataset.bundle.contract.references]
        deps += [asset_key(_stage_read(policies, dataset, one), one) for one in targets if one.urn != dataset.urn]
    return list(dict.fromkeys(deps))


def _stage_read(policies: Policies, dataset: Dataset, target: Dataset) -> Stage:
    """A member of the same publish group is certified together with ``dataset``, so its gold is what is referred to."""
    group = policies.group_of(dataset.urn)
    return Stage.GOLD if group is not None and target.urn in group.members else Stage.CERTIFIED


def _dep(policies: Policies, dataset: Dataset, key: dg.AssetKey) -> dg.AssetDep:
    """Maps days by name, as the core does; Dagster's own mapping refuses days of different time zones."""
    upstream = policies.dataset(urn_of(key))
    both = dataset.policy.partition and upstream.policy.partition
    return dg.AssetDep(key, partition_mapping=dg.IdentityPartitionMapping() if both else None)


def _run_id(platform: Platform, context: dg.AssetExecutionContext) -> str:
    """The platform's run id, made from Dagster's, so that each can be found by the other; a retry has its own."""
    retry = f"r{context.retry_number}" if context.retry_number else ""
    started = platform.now()
    return f"run_{started:%Y%m%d}_{context.run.run_id.replace('-', '')[:12]}{retry}"


def _tag(text: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "_", text)[:63]
