"""Translates arrived versions and reports of legacy jobs into Dagster's events."""

from collections.abc import Mapping
from typing import Any

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import (
    AssetCheckEvaluationTargetMaterializationData as Judged,
)

from data_platform.model.arrival import ArrivedVersion, AssetReport
from data_platform.model.partition import PartitionRange
from data_platform.model.partition_key import PartitionKey
from data_platform.orchestration.dagster_types import dagster_key
from data_platform.policies.external import ExternalAsset

ARRIVAL = "data_platform/arrival"
"""The tag with an arrival's number."""


def partition_of(asset: ExternalAsset, version: ArrivedVersion) -> PartitionKey | None:
    """The reported partition; else the tag, or its part before the slash; else that of the run's nominal start."""
    declared, nominal = asset.partitions, version.nominal_start
    if declared is None:
        return None
    candidates = (
        version.report.get("partition"),
        version.tag,
        version.tag.split("/", 1)[0],
        nominal and PartitionKey.of_nominal_start(nominal, declared.time_zone),
    )
    texts = (text for text in candidates if isinstance(text, str))
    return next((key for text in texts if (key := _parsed(declared, text))), None)


def _parsed(declared: PartitionRange, text: str) -> PartitionKey | None:
    try:
        return declared.parse(text)
    except ValueError:
        return None


def materialization(asset: ExternalAsset, version: ArrivedVersion) -> dg.AssetMaterialization:
    partition = partition_of(asset, version)
    rows = "dagster/partition_row_count" if asset.partitions else "dagster/row_count"
    reported = version.report.get("metadata")
    values = {
        "version": version.tag,
        rows: version.row_count,
        "size_bytes": version.byte_count,
        "dagster/uri": version.path,
        "process": version.process,
        "run": version.run_uuid,
        "day": "not reported: no event names its day" if asset.partitions and partition is None else None,
    }
    metadata: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    if isinstance(reported, dict):
        metadata = {**_metadata(reported), **metadata}
    return dg.AssetMaterialization(
        dg.AssetKey(list(asset.key)),
        partition=dagster_key(partition),
        metadata=metadata,
        description=str(version.report.get("description") or "") or None,
        tags={
            ARRIVAL: str(version.number),
            "dagster/data_version": version.tag,
            "dagster/data_version_is_user_provided": "true",
        },
    )


def _metadata(reported: Mapping[str, Any]) -> dict[str, dg.MetadataValue[Any]]:
    return {str(name): _value(value) for name, value in reported.items()}


def _value(value: Any) -> dg.MetadataValue[Any]:
    if value is None:
        return dg.MetadataValue.null()
    if isinstance(value, bool):
        return dg.MetadataValue.bool(value)
    if isinstance(value, int):
        # Dagster's web pages read 64 bits
        return dg.MetadataValue.int(value) if abs(value) < 2**63 else dg.MetadataValue.text(str(value))
    if isinstance(value, float):
        return dg.MetadataValue.float(value)
    return dg.MetadataValue.text(value) if isinstance(value, str) else dg.MetadataValue.json(value)


def observation(asset: ExternalAsset, report: AssetReport) -> dg.AssetObservation:
    key, description = dg.AssetKey(list(asset.key)), report.description or None
    return dg.AssetObservation(
        key, partition=dagster_key(report.partition), metadata=_report_metadata(report), description=description
    )


def check_result(asset: ExternalAsset, report: AssetReport, judged: Judged | None) -> dg.AssetCheckEvaluation:
    """``judged`` is the materialization that the check is about; None if there is none yet."""
    return dg.AssetCheckEvaluation(
        asset_key=dg.AssetKey(list(asset.key)),
        check_name=str(report.check),
        passed=bool(report.passed),
        severity=dg.AssetCheckSeverity(report.severity or "ERROR"),
        metadata=_report_metadata(report),
        description=report.description or None,
        target_materialization_data=judged,
        partition=dagster_key(report.partition),
        blocking=True,
    )


def _report_metadata(report: AssetReport) -> dict[str, Any]:
    return {**_metadata(report.metadata), "reported_by": report.reported_by}
