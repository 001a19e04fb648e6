"""Translates arrived versions and reports of legacy jobs into Dagster's events."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import (
    AssetCheckEvaluationTargetMaterializationData as Judged,
)

from data_platform.model.arrival import ArrivedVersion, AssetReport
from data_platform.policies.external import ExternalAsset

ARRIVAL = "data_platform/arrival"
"""The tag with an arrival's number."""


def partition_of(asset: ExternalAsset, version: ArrivedVersion) -> str | None:
    """The reported partition; else the tag itself, or its part before the slash; else the nominal day of the run."""
    if not asset.daily:
        return None
    nominal = version.nominal_start
    candidates = (
        version.report.get("partition"),
        version.tag,
        version.tag.split("/", 1)[0],
        None if nominal is None else _day(nominal, asset.time_zone),
    )
    return next((text for text in candidates if isinstance(text, str) and _is_day(asset, text)), None)


def _is_day(asset: ExternalAsset, text: str) -> bool:
    try:
        asset.day(text)
    except ValueError:
        return False
    return True


def _day(nominal: datetime, time_zone: str) -> str:
    """Most producers write a day as midnight in UTC, whatever their zone."""
    in_utc = nominal.astimezone(UTC)
    is_midnight = (in_utc.hour, in_utc.minute, in_utc.second) == (0, 0, 0)
    return (in_utc if is_midnight else nominal.astimezone(ZoneInfo(time_zone))).date().isoformat()


def materialization(asset: ExternalAsset, version: ArrivedVersion) -> dg.AssetMaterialization:
    partition = partition_of(asset, version)
    rows = "dagster/partition_row_count" if asset.daily else "dagster/row_count"
    reported = version.report.get("metadata")
    values = {
        "version": version.tag,
        rows: version.row_count,
        "size_bytes": version.byte_count,
        "dagster/uri": version.path,
        "process": version.process,
        "run": version.run_uuid,
        "day": "not reported: no event names its day" if asset.daily and partition is None else None,
    }
    metadata: dict[str, Any] = {name: value for name, value in values.items() if value is not None}
    if isinstance(reported, dict):
        metadata = {**_metadata(reported), **metadata}
    return dg.AssetMaterialization(
        dg.AssetKey(list(asset.key)),
        partition=partition,
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
        key, partition=report.partition, metadata=_report_metadata(report), description=description
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
        partition=report.partition,
        blocking=True,
    )


def _report_metadata(report: AssetReport) -> dict[str, Any]:
    return {**_metadata(report.metadata), "reported_by": report.reported_by}
