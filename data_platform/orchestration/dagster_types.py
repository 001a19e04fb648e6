"""Translates the platform's objects into Dagster's: keys, table schemas, freshness, metadata.

``gate_check`` has the checks of gates.
"""

from datetime import timedelta
from functools import cache
from typing import Any

import dagster as dg

from data_platform.installation import Platform
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.freshness import Deadline, Freshness
from data_platform.model.group_waiting import WAITING_FOR_GROUP
from data_platform.model.partition import PartitionRange
from data_platform.model.partition_key import PartitionKey
from data_platform.model.plain_json import plain
from data_platform.model.policy_bundle import FieldConstraint
from data_platform.model.publication import PUBLICATION
from data_platform.model.rhythm import CRON_DAYS
from data_platform.model.run import ENFORCEMENT, FAILED_BEFORE, SOURCE, StageReport
from data_platform.model.schema import Schema
from data_platform.model.waiver import WAIVERS
from data_platform.orchestration import link
from data_platform.policies import Dataset
from data_platform.stage.column_source import input_columns, stage_before
from data_platform.transform.lineage import column_lineage

LOOK_BACK = timedelta(hours=23)
"""A day on which clocks go forward has 23 hours; Dagster allows no more than the shortest time between deadlines."""


def asset_key(stage: Stage, dataset: Dataset) -> dg.AssetKey:
    return dg.AssetKey(list(dataset.id.asset_key(stage)))


def urn_of(key: dg.AssetKey) -> str:
    """The URN of the dataset that an asset of ours belongs to: a stage, or its deliveries."""
    dataset, _ = DatasetId.of_asset_key(key.path)
    return dataset.urn


def dagster_key(partition: PartitionKey | None) -> str | None:
    """Dagster serializes plain text only."""
    return None if partition is None else str(partition)


def partitions_definition(declared: PartitionRange | None) -> dg.DailyPartitionsDefinition | None:
    return _daily(declared.first, declared.last, declared.time_zone) if declared else None


@cache
def _daily(first: PartitionKey, last: PartitionKey | None, time_zone: str) -> dg.DailyPartitionsDefinition:
    """One object for all datasets with the same partitions."""
    until = dagster_key(last.next if last else None)  # Dagster's end is exclusive
    return dg.DailyPartitionsDefinition(start_date=str(first), end_date=until, timezone=time_zone)


def materialization_metadata(platform: Platform, dataset: Dataset, report: StageReport) -> dict[str, Any]:
    """What the materialization shows: rows, version, schema, and the sources of columns."""
    metadata: dict[str, Any] = {
        **_row_counts(platform, dataset, report),
        "rows_read": report.rows.read,
        "rows_quarantined": report.rows.quarantined,
        "run_id": report.run_id,
        "outcome": report.outcome.value,
        "policy_fingerprint": report.policy_fingerprint,
        **enforcement_metadata(report),
        "dagster/uri": report.path,
    }
    if report.version is not None:
        metadata["delta_version"] = report.version
    if report.schema is not None:
        metadata["dagster/column_schema"] = table_schema(dataset, report.schema)
    metadata |= link.quarantine(report) | _group_metadata(report)
    if report.delivery_id:
        metadata["delivery_id"] = report.delivery_id
    if source := report.metadata.get(SOURCE):
        metadata[SOURCE] = dg.MetadataValue.json(plain(source))
    if report.input_versions:
        metadata["input_versions"] = dg.MetadataValue.json(dict(report.input_versions))
    if dataset.process is not None and report.stage is Stage.SILVER:
        metadata["steps"] = dg.MetadataValue.md(
            "\n".join(f"{n}. **{s.name}** {s.description}" for n, s in enumerate(dataset.process.steps, start=1))
        )
    lineage = _lineage(platform, dataset, report.stage)
    if lineage:
        metadata["dagster/column_lineage"] = dg.TableColumnLineage(deps_by_column=lineage)
        metadata["column_lineage"] = link.column_table(lineage)
    return metadata


def _group_metadata(report: StageReport) -> dict[str, Any]:
    """The publication that shows the version; or the members of its publish group for which it waits."""
    if waits := report.metadata.get(WAITING_FOR_GROUP):
        return {"publish_group": waits["group"], WAITING_FOR_GROUP: dg.MetadataValue.json(waits["missing"])}
    publication = report.metadata.get(PUBLICATION)
    return {"publish_group": publication["group"], PUBLICATION: publication["id"]} if publication else {}


def enforcement_metadata(report: StageReport) -> dict[str, Any]:
    """The mode under which the stage ran, the failures before it that nothing held, and the waivers it depends on."""
    metadata: dict[str, Any] = {ENFORCEMENT: report.metadata.get(ENFORCEMENT, "")}
    if failed := report.metadata.get(FAILED_BEFORE):
        metadata[FAILED_BEFORE] = "\n".join(failed)
    if waivers := report.metadata.get(WAIVERS):
        metadata[WAIVERS] = dg.MetadataValue.json(plain(waivers))
    return metadata


def _row_counts(platform: Platform, dataset: Dataset, report: StageReport) -> dict[str, int]:
    """Rows of this partition, and of the whole table if its log has the count without a Spark job."""
    if not report.partition:
        return {"dagster/row_count": report.rows.accepted}
    counts = {"dagster/partition_row_count": report.rows.accepted}
    if report.version is not None:
        total = platform.table(dataset, report.stage).row_count(report.version)
        counts |= {"dagster/row_count": total} if total is not None else {}
    return counts


def table_schema(dataset: Dataset, schema: Schema) -> dg.TableSchema:
    """Types and constraints as a stage has them, with the policy's description of each column."""
    declared = {c.field.lower(): c for c in dataset.bundle.schema_.constraints}
    personal = {f.lower() for rule in dataset.bundle.pii.detection for f in rule.fields}
    columns = []
    for column in schema.columns:
        constraint = declared.get(column.name.lower())
        columns.append(
            dg.TableColumn(
                name=column.name,
                type=column.type,
                description=constraint.description or None if constraint else None,
                constraints=dg.TableColumnConstraints(nullable=column.nullable, other=_constraints(constraint)),
                tags={"pii": ""} if column.name.lower() in personal else {},
            )
        )
    rules = [invariant.rule for invariant in dataset.bundle.contract_lite.invariants]
    rules += [f"unique({', '.join(unique.fields)})" for unique in dataset.bundle.contract.unique]
    return dg.TableSchema(columns=columns, constraints=dg.TableConstraints(other=rules) if rules else None)


def freshness_policy(freshness: Freshness | None) -> dg.FreshnessPolicy | None:
    """Dagster's freshness status: fresh if materialized in the day before deadline plus grace.

    None for deadlines that no cron has, on business days or of months, and for datasets with days without data: Dagster
    would report them late on each of these days.

    A cron can only add the grace to the clock time: on the two nights a year on which clocks change, the status changes
    up to an hour before or after ``model.deadline.late_after``, which is exact.
    """
    return None if freshness is None or freshness.cron is None else _fresh_by(freshness.deadline, freshness.grace)


@cache
def _fresh_by(deadline: Deadline, grace: timedelta) -> dg.FreshnessPolicy:
    """One object for all datasets with the same deadline: Dagster evaluates a thousand ticks of each."""
    minutes = deadline.hour * 60 + deadline.minute + int(grace.total_seconds() // 60)
    days, minutes = divmod(minutes, 24 * 60)
    cadence = CRON_DAYS[deadline.cadence]
    if days and cadence != "*":
        cadence = ",".join(str((day + days) % 7) for day in range(1, 6))
    return dg.FreshnessPolicy.cron(
        deadline_cron=f"{minutes % 60} {minutes // 60} * * {cadence}",
        lower_bound_delta=LOOK_BACK,
        timezone=deadline.time_zone,
    )


def _constraints(constraint: FieldConstraint | None) -> list[str]:
    if constraint is None:
        return []
    constraints = [f"one of {', '.join(constraint.enum)}"] if constraint.enum else []
    return constraints + ([f"matches {constraint.pattern}"] if constraint.pattern else [])


def _lineage(platform: Platform, dataset: Dataset, stage: Stage) -> dict[str, list[dg.TableColumnDep]]:
    names = dataset.bundle.schema_.declared.names
    before = stage_before(dataset, stage)
    if before is not None:
        key = asset_key(before, dataset)
        return {name: [dg.TableColumnDep(asset_key=key, column_name=name)] for name in names}
    if dataset.process is None or stage is not Stage.SILVER:
        return {}
    inputs = {i.dataset: platform.policies.dataset(i.dataset) for i in dataset.process.inputs}
    sources = column_lineage(dataset.process, input_columns(platform, dataset))
    return {
        name: [
            dg.TableColumnDep(asset_key=asset_key(Stage.CERTIFIED, inputs[s.dataset_urn]), column_name=s.column)
            for s in column_sources
        ]
        for name, column_sources in sources.items()
    }
