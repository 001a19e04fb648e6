"""Quarantines rows of a batch: picks the table, and describes it for the catalog.

Each stage of a run has one table, so a batch that is held replaces the rows that were quarantined before.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.lake.table import LakeTable
from data_platform.model.dataset import Stage
from data_platform.model.quarantine import QuarantineEntry, QuarantineStatus
from data_platform.model.run import quarantine_name
from data_platform.quarantine.store import quarantine_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pyspark.sql import DataFrame

    from data_platform.installation import Platform
    from data_platform.model.dataset import DatasetId
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.quarantine import Level
    from data_platform.quarantine.store import Quarantined


@dataclass(frozen=True, kw_only=True)
class Origin:
    """The batch that the rows come from."""

    dataset: DatasetId
    stage: Stage
    partition: PartitionKey | None
    run_id: str
    delivery_id: str
    started_at: datetime


def quarantine_batch(
    platform: Platform,
    origin: Origin,
    note: Mapping[str, Any],
    rows: DataFrame,
    *,
    level: Level,
    signatures: dict[str, int | None] | None,
    counted: Sequence[str] | None,
) -> tuple[QuarantineEntry, list[dict[str, Any]]] | None:
    """Writes ``rows`` to quarantine. Returns the entry and samples of the rows, or None if there are no rows.

    ``signatures`` are those of a whole batch, with their row counts. Without them each of ``counted`` is counted.
    """
    now, name = platform.now(), _table_name(origin)
    table = LakeTable(platform.spark, platform.quarantine_path(name))
    written = quarantine_rows(
        table,
        rows,
        run_id=origin.run_id,
        delivery_id=origin.delivery_id,
        rejected_at=now,
        note={**note, "kind": "quarantine", "level": level},
        signatures=counted if signatures is None else None,
    )
    if not written.rows:
        return None
    counts = written.signatures if signatures is None else signatures
    return _entry(origin, name, table.path, level, written, counts, now), written.samples


def _table_name(origin: Origin) -> str:
    name = quarantine_name(origin.dataset, origin.started_at, origin.run_id)
    return name if origin.stage is Stage.SILVER else f"{name}_{origin.stage}"


def _entry(
    origin: Origin,
    name: str,
    path: str,
    level: Level,
    written: Quarantined,
    signatures: Mapping[str, int | None],
    created_at: datetime,
) -> QuarantineEntry:
    return QuarantineEntry(
        name=name,
        path=path,
        dataset_urn=origin.dataset.urn,
        stage=origin.stage,
        partition=origin.partition,
        run_id=origin.run_id,
        level=level,
        rows=written.rows,
        resolved_rows=written.resolved if level == "row" else 0,
        discarded_rows=written.discarded if level == "row" else 0,
        signatures=dict(signatures),
        delivery_id=origin.delivery_id,
        created_at=created_at,
        status=QuarantineStatus.OPEN,
    )
