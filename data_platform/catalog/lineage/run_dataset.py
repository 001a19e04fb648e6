"""Datasets that a run read and wrote: all that its events name, each with the newest version tag reported."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import select

from data_platform.catalog.lineage.version import assign_tag
from data_platform.catalog.lineage_table import RUN_DATASET
from data_platform.catalog.upsert import WANTED, replace, rows_of
from data_platform.model.lineage import DatasetRole

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.node import Nodes
    from data_platform.catalog.lineage.process_run import FoldedRuns

Key: TypeAlias = tuple[str, int, str]
"""Run, dataset, role."""
TagReport: TypeAlias = "tuple[datetime, str | None]"
"""The event time and the version's tag."""

_KEY = ("run_uuid", "dataset_id", "role")


_BY_RUN = select(RUN_DATASET).where(RUN_DATASET.c.run_uuid.in_(WANTED))


def add_run_datasets(connection: Connection, nodes: Nodes, runs: FoldedRuns) -> dict[tuple[int, str], str]:
    """Stores the datasets that the events of each run name; a version without a tag gets the reported one.

    Returns the tag of each output that has one, by dataset and run.
    """
    reports: dict[Key, TagReport] = {}
    for run_uuid, events in runs.counting.items():
        for event in events:
            for mention in event.datasets:
                key = (run_uuid, nodes.datasets[mention.name], str(mention.role))
                reports[key] = _newer(reports.get(key), (event.time, mention.version_tag))
    before = _stored_run_datasets(connection, runs.counting.keys() - runs.fresh)
    rows = []
    for key, report in reports.items():
        after = _newer(before.get(key), report)
        if before.get(key) != after:
            rows.append(dict(zip(_KEY, key, strict=True), said_at=after[0], version_tag=after[1]))
        if key in before and before[key][1] is None and after[1] is not None and key[2] == DatasetRole.OUTPUT:
            assign_tag(connection, key[1], key[0], after[1])
    replace(connection, RUN_DATASET, rows, keys=_KEY)
    outputs = {key: _newer(before.get(key), report) for key, report in reports.items() if key[2] == DatasetRole.OUTPUT}
    return {(number, run_uuid): report[1] for (run_uuid, number, _), report in outputs.items() if report[1] is not None}


def _newer(stored: TagReport | None, reported: TagReport) -> TagReport:
    """Prefers a report with a tag, then the later tag; without tags the earliest report stays."""
    if stored is None or (stored[1] is None and reported[1] is not None):
        return reported
    if reported[1] is None:
        return stored if stored[1] is not None else min(stored, reported)
    return max(stored, reported)


def _stored_run_datasets(connection: Connection, uuids: Iterable[str]) -> dict[Key, Any]:
    rows = rows_of(connection, _BY_RUN, uuids)
    return {(row.run_uuid, row.dataset_id, row.role): (row.said_at, row.version_tag) for row in rows}
