"""What a candidate sets aside: in which table, and what the catalog will know of it.

Each stage of a run has one table, so a batch that is held takes the place of the rows that were set aside before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.delivery import quarantine
from data_platform.lake.table import LakeTable
from data_platform.model.dataset import Stage
from data_platform.model.quarantine import QuarantineEntry, QuarantineStatus
from data_platform.model.run import quarantine_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame

    from data_platform.model.quarantine import Level
    from data_platform.pipeline.candidate import Candidate
    from data_platform.pipeline.platform import Platform


def set_aside(
    platform: Platform,
    candidate: Candidate,
    note: Mapping[str, Any],
    rows: DataFrame,
    *,
    level: Level,
    signatures: dict[str, int | None] | None,
) -> tuple[QuarantineEntry, list[dict[str, Any]]] | None:
    """The table of ``rows`` and samples of them, None if there are no rows. Without ``signatures`` they are counted."""
    now = platform.now()
    name = quarantine_name(candidate.dataset.id, candidate.started_at, candidate.run_id)
    if candidate.stage is not Stage.SILVER:
        name = f"{name}_{candidate.stage}"
    table = LakeTable(platform.spark, platform.quarantine_path(name))
    found = quarantine.set_aside(
        table,
        rows,
        run_id=candidate.run_id,
        delivery_id=candidate.delivery_id,
        rejected_at=now,
        note={**note, "kind": "quarantine", "level": level},
        signatures=candidate.split.signatures if candidate.split and signatures is None else None,
    )
    if not found.rows:
        return None
    entry = QuarantineEntry(
        name=name,
        path=table.path,
        dataset_urn=candidate.dataset.urn,
        stage=candidate.stage,
        partition=candidate.day,
        run_id=candidate.run_id,
        level=level,
        rows=found.rows,
        resolved_rows=found.resolved if level == "row" else 0,
        signatures=dict(found.signatures if signatures is None else signatures),
        delivery_id=candidate.delivery_id,
        created_at=now,
        status=QuarantineStatus.OPEN,
    )
    return entry, found.samples


def whole_batch(candidate: Candidate, written: DataFrame, *, with_rejected: bool) -> DataFrame:
    """The rows that were written, and those that were rejected with their violations, as they are kept."""
    split = candidate.split
    assert split is not None, "something was written"  # noqa: S101
    rows = candidate.protect(candidate.mark(written))
    if not with_rejected:
        return rows
    rejected = candidate.protect(split.rejected)
    # Not the partition column, which is the platform's own where the delivery does not have it.
    same = [name for name in rows.columns if name in rejected.columns]
    return rejected.unionByName(_as_text(rows.select(same)), allowMissingColumns=True)


def _as_text(rows: DataFrame) -> DataFrame:
    """Quarantine keeps values of a delivery as the text they were; rows kept so far join them there."""
    from pyspark.sql import functions as F

    return rows.select(*(F.col(f"`{f.name}`").cast("string").alias(f.name) for f in rows.schema.fields))
