"""Writes arrivals and reports into Dagster's own storage: materializations first, then the results of their checks.

A check result counts for the delivery of its day that exists when it arrives; one that arrives before any delivery
counts for the first. Dagster keeps one result of a check and day without a run, and refuses a second; so each result
has a run id of its own, which belongs to no run.
"""

import uuid
from typing import Any

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import (
    AssetCheckEvaluationTargetMaterializationData as Judged,
)
from dagster._core.events import DagsterEvent, DagsterEventType

from data_platform.catalog import Catalog
from data_platform.model.arrival import ArrivedVersion, AssetReport, ReportKind
from data_platform.model.partition_key import PartitionKey
from data_platform.orchestration.external_event import ARRIVAL, check_result, materialization, observation, partition_of
from data_platform.policies.external import ExternalAsset

_KEPT = 500
"""How many materializations of an asset are searched for an arrival that may have been passed on before."""

_RESULTS = uuid.UUID("0c9d4f3a-6b1e-5d7a-8e52-3f1b7c0d9a64")


def record_arrival(
    instance: dg.DagsterInstance, catalog: Catalog, asset: ExternalAsset, version: ArrivedVersion, *, reported: int
) -> None:
    """``reported`` is the last report that was passed on: check results from before the first delivery count for it."""
    partition = partition_of(asset, version)
    is_first = bool(asset.checks) and _last(instance, asset, partition) is None
    instance.report_runless_asset_event(materialization(asset, version))
    if is_first:
        for report in catalog.arrivals.last_checks(asset.urn, partition, until=reported):
            record_report(instance, asset, report)


def record_report(instance: dg.DagsterInstance, asset: ExternalAsset, report: AssetReport) -> None:
    if report.kind is ReportKind.OBSERVATION:
        instance.report_runless_asset_event(observation(asset, report))
        return
    last = _last(instance, asset, report.partition)
    judged = last and Judged(run_id=last.run_id, storage_id=last.storage_id, timestamp=last.timestamp)
    kind = DagsterEventType.ASSET_CHECK_EVALUATION.value
    event = DagsterEvent(kind, "reported", event_specific_data=check_result(asset, report, judged))
    run = uuid.uuid5(_RESULTS, f"{report.number}\0{last.storage_id if last else ''}")
    instance.report_dagster_event(event, run_id=str(run))


def passed_on(instance: dg.DagsterInstance, asset: ExternalAsset) -> set[str]:
    """Numbers of the arrivals for which Dagster has materializations."""
    records = instance.fetch_materializations(dg.AssetKey(list(asset.key)), limit=_KEPT).records
    materializations = (record.asset_materialization for record in records)
    return {made.tags[ARRIVAL] for made in materializations if made is not None and made.tags and ARRIVAL in made.tags}


def _last(instance: dg.DagsterInstance, asset: ExternalAsset, partition: PartitionKey | None) -> Any:
    key = dg.AssetKey(list(asset.key))
    wanted = dg.AssetRecordsFilter(asset_key=key, asset_partitions=[str(partition)]) if partition else key
    return next(iter(instance.fetch_materializations(wanted, limit=1).records), None)
