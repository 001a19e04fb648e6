"""Reuses a stage that another run finished while this run was under way.

Two people, or a person and a sensor, may start the same day at once. One run waits for the other, stage by stage. The
other's result for the same input under the same policy then counts for this run too, passed or held. A run that is
started after the other has ended does its work again, as requested.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.run import StageReport
from data_platform.model.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.installation import Platform
    from data_platform.model.dataset import Stage
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import RunRow
    from data_platform.policies import Dataset


def finished_meanwhile(
    platform: Platform,
    dataset: Dataset,
    stage: Stage,
    partition: PartitionKey | None,
    *,
    run_id: str,
    delivery_id: str,
    input_versions: Mapping[str, int],
) -> StageReport | None:
    """The report of another run that ended since this one began, of the same input and policy. Call it under the lease.

    It is None, too, if the start of this run is not recorded, as in a test that calls a stage directly.
    """
    if platform.began is None:
        return None
    row = platform.catalog.runs.latest(dataset.urn, stage, partition)
    same = (
        row is not None
        and row.run_id != run_id
        and row.finished_at >= platform.began
        and row.outcome in (Outcome.PASSED, Outcome.WAIVED, Outcome.FAILED)
        and (row.policy_fingerprint, row.delivery_id, row.input_versions)
        == (dataset.fingerprint, delivery_id, dict(input_versions))
    )
    return _report(platform, dataset, row) if row is not None and same else None


def _report(platform: Platform, dataset: Dataset, row: RunRow) -> StageReport:
    report = report_of(platform, dataset, row)
    message = f"{row.run_id} has done {row.stage} of {dataset.urn} {row.partition or ''} meanwhile; its result counts"
    details = {"dataset": dataset.urn, "stage": row.stage.value, "partition": row.partition}
    platform.on_step("record", {**details, "message": message, "report": report})
    return report


def report_of(platform: Platform, dataset: Dataset, row: RunRow) -> StageReport:
    """The report of a recorded stage, with the verdicts and columns of the catalog."""
    return StageReport(
        dataset=dataset.id,
        stage=row.stage,
        partition=row.partition,
        run_id=row.run_id,
        path=row.path,
        version=row.version,
        rows=row.rows,
        verdicts=platform.catalog.runs.verdicts(row.run_id, dataset.urn, row.stage),
        started_at=row.started_at,
        finished_at=row.finished_at,
        schema=platform.catalog.runs.schema(row.schema_fingerprint) if row.schema_fingerprint else None,
        quarantine_table=row.quarantine_table,
        quarantine_path=row.quarantine_path,
        delivery_id=row.delivery_id,
        policy_fingerprint=row.policy_fingerprint,
        derived=dataset.derived,
        input_versions=row.input_versions,
        metadata=row.metadata,
    )
