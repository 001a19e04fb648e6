"""What a run read and wrote: the union of what its events name, with the version that the newest of them knew."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import select

from data_platform.catalog.lineage.version import take_tag
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
Word: TypeAlias = "tuple[datetime, str | None]"
"""When it was said, and the version's tag."""

_KEY = ("run_uuid", "dataset_id", "role")


_OF_RUNS = select(RUN_DATASET).where(RUN_DATASET.c.run_uuid.in_(WANTED))


def add_run_datasets(connection: Connection, nodes: Nodes, runs: FoldedRuns) -> dict[tuple[int, str], str]:
    """The union of what the events of each run name; a version that was waiting for its tag takes it.

    Answers with the tag of each output that has one, by dataset and run.
    """
    said: dict[Key, Word] = {}
    for run_uuid, events in runs.counting.items():
        for event in events:
            for mention in event.datasets:
                key = (run_uuid, nodes.datasets[mention.name], str(mention.role))
                said[key] = _newer(said.get(key), (event.time, mention.version_tag))
    before = _known_run_datasets(connection, runs.counting.keys() - runs.fresh)
    rows = []
    for key, word in said.items():
        after = _newer(before.get(key), word)
        if before.get(key) != after:
            rows.append(dict(zip(_KEY, key, strict=True), said_at=after[0], version_tag=after[1]))
        if key in before and before[key][1] is None and after[1] is not None and key[2] == DatasetRole.OUTPUT:
            take_tag(connection, key[1], key[0], after[1])
    replace(connection, RUN_DATASET, rows, keys=_KEY)
    outputs = {key: _newer(before.get(key), word) for key, word in said.items() if key[2] == DatasetRole.OUTPUT}
    return {(number, run_uuid): word[1] for (run_uuid, number, _), word in outputs.items() if word[1] is not None}


def _newer(known: Word | None, said: Word) -> Word:
    """One with a tag before one without; the later tag; without any, the first word stays."""
    if known is None or (known[1] is None and said[1] is not None):
        return said
    if said[1] is None:
        return known if known[1] is not None else min(known, said)
    return max(known, said)


def _known_run_datasets(connection: Connection, uuids: Iterable[str]) -> dict[Key, Any]:
    rows = rows_of(connection, _OF_RUNS, uuids)
    return {(row.run_uuid, row.dataset_id, row.role): (row.said_at, row.version_tag) for row in rows}
