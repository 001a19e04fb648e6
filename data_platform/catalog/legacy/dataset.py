"""Dataset rows inferred from a scan: drafts until someone declares them. Declared datasets are not changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.dataset_row import name_of_urn, rows_named
from data_platform.catalog.lineage.node_facet import facet_row
from data_platform.catalog.lineage_table import NODE_FACET, RUN_DATASET
from data_platform.catalog.registry_table import DATASET
from data_platform.catalog.upsert import replace
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.legacy import LegacyDataset, LegacyScan

CREATED_BY = "legacy scan"
_FACET = "autosys_dataset"


def find_keys(connection: Connection, urns: Iterable[str]) -> dict[str, int]:
    return {urn: row.dataset_id for urn, row in _rows(connection, urns).items()}


def _rows(connection: Connection, urns: Iterable[str]) -> dict[str, Any]:
    names = {name_of_urn(urn): urn for urn in set(urns)}
    return {names[name]: row for name, row in rows_named(connection, names).items()}


def change_datasets(connection: Connection, before: LegacyScan, after: LegacyScan, *, now: datetime) -> set[int]:
    """Returns the keys of datasets that were created or changed."""
    old = {dataset.urn: dataset for dataset in before.datasets}
    new = {dataset.urn: dataset for dataset in after.datasets}
    changed = [dataset for urn, dataset in new.items() if old.get(urn) != dataset]
    rows = _rows(connection, {*old, *new})
    fresh = [_row(dataset, now=now) for dataset in changed if dataset.urn not in rows]
    if fresh:
        connection.execute(insert(DATASET), fresh)
    keys = find_keys(connection, new)
    facets = [
        facet_row((NodeType.DATASET, keys[d.urn]), _FACET, {"mapped": d.mapped, "paths": list(d.paths)}, at=now)
        for d in changed
    ]
    replace(connection, NODE_FACET, facets, keys=("node_type", "node_id", "facet"))
    returned = [rows[d.urn] for d in changed if d.urn in rows and d.urn not in old]
    gone = [rows[urn] for urn in old if urn not in new and urn in rows]
    moved = _move(connection, returned, "DEPRECATED", "DRAFT", now=now)
    moved |= _move(connection, [row for row in gone if not _is_used(connection, row)], "DRAFT", "DEPRECATED", now=now)
    return moved | {keys[dataset.urn] for dataset in changed}


def _row(dataset: LegacyDataset, *, now: datetime) -> dict[str, Any]:
    name = name_of_urn(dataset.urn)
    watched = f"Watched by the scheduler as {', '.join(dataset.paths)}." if dataset.paths else ""
    return {
        "namespace": name.namespace,
        "name": name.name,
        "full_name": dataset.urn,
        "description": watched,
        "tags": [],
        "status": "DRAFT",
        "created_by": CREATED_BY,
        "created_at": now,
        "updated_at": now,
    }


def _move(connection: Connection, rows: Iterable[Any], old_status: str, status: str, *, now: datetime) -> set[int]:
    """Changes the status of the scan's own drafts only, and not of datasets that a person or policy has taken over."""
    drafts = {
        row.dataset_id
        for row in rows
        if row.created_by == CREATED_BY and row.status == old_status and row.policy_fingerprint is None
    }
    for number in drafts:
        same = DATASET.c.dataset_id == number
        connection.execute(update(DATASET).where(same).values(status=status, updated_at=now))
    return drafts


def _is_used(connection: Connection, row: Any) -> bool:
    usage = select(RUN_DATASET.c.dataset_id).where(RUN_DATASET.c.dataset_id == row.dataset_id).limit(1)
    return connection.execute(usage).first() is not None
