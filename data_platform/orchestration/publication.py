"""Reports to Dagster what a publication of a group shows, for the members whose own run ended before it.

The catalog is the outbox: a publication stays unreported until each of its members has a materialization in Dagster.
The run that publishes reports it; if that process dies, the next run of any group, the sensor ``publications`` or
``data-platform reconcile`` does. A tag with the publication's id keeps an asset from being reported twice.
"""

import uuid
from datetime import UTC, datetime
from typing import Any

import dagster as dg
from dagster._core.definitions.asset_checks.asset_check_evaluation import (
    AssetCheckEvaluationTargetMaterializationData as Judged,
)
from dagster._core.events import DagsterEvent, DagsterEventType

from data_platform.catalog import Catalog
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.publication import PUBLICATION
from data_platform.model.run import RunRow, StageReport
from data_platform.model.verdict import Gate
from data_platform.orchestration.dagster_types import dagster_key
from data_platform.orchestration.upkeep_sensor import upkeep_sensor
from data_platform.settings import Settings

TAG = "data_platform/publication"
INTERVAL_SECONDS = 30
_KEPT = 100
"""How many materializations of an asset and day are searched for one that may have been reported before."""
_RESULTS = uuid.UUID("6a8f9b0e-1f63-5a0c-9d5e-0b1de0a6a3c4")


def tags_of(report: StageReport) -> dict[str, str]:
    """The tag of a materialization that a publication caused; none for a dataset that is published alone."""
    publication = report.metadata.get(PUBLICATION)
    return {TAG: publication["id"]} if publication else {}


def report_publications(instance: dg.DagsterInstance, catalog: Catalog, own: StageReport | None = None) -> list[str]:
    """Reports each publication that Dagster does not have yet; returns a message for each.

    ``own`` is materialized by the step that calls this.
    """
    messages = []
    for publication in catalog.publications.unreported():
        for urn, run_id in catalog.publications.runs(publication):
            row = catalog.runs.get(run_id, urn, Stage.CERTIFIED)
            is_own = own is not None and (own.dataset.urn, own.run_id) == (urn, run_id)
            if row is not None and not is_own and not _is_reported(instance, publication, row):
                _report(instance, publication, row)
                messages.append(f"{urn} {row.partition or ''}".rstrip() + f" was materialized: v{row.version}")
        catalog.publications.mark_reported(publication, now=datetime.now(UTC))
    return messages


def _is_reported(instance: dg.DagsterInstance, publication: str, row: RunRow) -> bool:
    records = instance.fetch_materializations(_of_day(row), limit=_KEPT).records
    made = (record.asset_materialization for record in records)
    return any(one is not None and (one.tags or {}).get(TAG) == publication for one in made)


def _report(instance: dg.DagsterInstance, publication: str, row: RunRow) -> None:
    """The materialization, and the result of its check, which was skipped while the version waited."""
    key, metadata = _key(row), _metadata(row)
    instance.report_runless_asset_event(
        dg.AssetMaterialization(
            asset_key=key, partition=dagster_key(row.partition), metadata=metadata, tags={TAG: publication}
        )
    )
    [made] = instance.fetch_materializations(_of_day(row), limit=1).records
    result = dg.AssetCheckEvaluation(
        asset_key=key,
        check_name=Gate.CERTIFICATION.value,
        passed=True,
        metadata=metadata,
        target_materialization_data=Judged(run_id=made.run_id, storage_id=made.storage_id, timestamp=made.timestamp),
        blocking=True,
    )
    event = DagsterEvent(DagsterEventType.ASSET_CHECK_EVALUATION.value, "published", event_specific_data=result)
    run = uuid.uuid5(_RESULTS, f"{publication}\0{row.run_id}\0{row.dataset_urn}")
    instance.report_dagster_event(event, run_id=str(run))


def _of_day(row: RunRow) -> dg.AssetKey | dg.AssetRecordsFilter:
    key = _key(row)
    return dg.AssetRecordsFilter(asset_key=key, asset_partitions=[str(row.partition)]) if row.partition else key


def _key(row: RunRow) -> dg.AssetKey:
    return dg.AssetKey(list(DatasetId.parse(row.dataset_urn).asset_key(Stage.CERTIFIED)))


def _metadata(row: RunRow) -> dict[str, Any]:
    rows = "dagster/partition_row_count" if row.partition else "dagster/row_count"
    publication = row.metadata.get(PUBLICATION, {})
    return {
        rows: row.rows.accepted,
        "run_id": row.run_id,
        "outcome": row.outcome.value,
        "policy_fingerprint": row.policy_fingerprint,
        "dagster/uri": row.path,
        **({"delta_version": row.version} if row.version is not None else {}),
        "publish_group": publication.get("group", ""),
        PUBLICATION: publication.get("id", ""),
    }


def publications_sensor(settings: Settings) -> dg.SensorDefinition:
    """Reports publications whose process died before it could."""
    return upkeep_sensor(
        settings,
        lambda platform, instance: report_publications(instance, platform.catalog),
        name="publications",
        description="Materializes members of publish groups that were published after their own run had ended.",
        interval_seconds=INTERVAL_SECONDS,
        nothing="every publication is reported",
        what="publications",
    )
