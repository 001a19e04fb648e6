"""Which columns depend on a column, and on which it depends, level by level in SQL.

Columns fan out far less than tables do, and there are far too many to hold in memory. The empty column is the whole
dataset: a column that a filter or join key of the dataset comes from reaches every column of it. A column goes on
under its dataset's other names (symlinks, renames) at no depth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import or_, select, tuple_

from data_platform.catalog.lineage_table import COLUMN_EDGE
from data_platform.catalog.upsert import chunks
from data_platform.model.lineage import NodeType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.graph import Graph

ColumnKey: TypeAlias = tuple[int, str]
"""A dataset's key, and a column."""

WHOLE = ""
"""As a column: the whole dataset."""

MOST = 100_000
"""Columns that a walk visits at most; it says so if there were more."""


@dataclass(frozen=True)
class ColumnHit:
    """``process_id`` is 0 where no job is known, as from one name of a dataset to another."""

    column: ColumnKey
    depth: int
    before: ColumnKey
    process_id: int
    transformation: str | None


def walk_columns(
    connection: Connection, graph: Graph, start: ColumnKey, *, downstream: bool, depth: int | None = None
) -> dict[ColumnKey, ColumnHit]:
    """Nearest first; ``start`` is not among them."""
    walk = _Walk(connection, graph, start, downstream)
    level, reached = walk.with_other_names([start], 0), 0
    while level and (depth is None or reached < depth) and len(walk.found) < MOST:
        reached += 1
        fresh = [hit.column for hit in walk.next_to(level, reached) if walk.add(hit)]
        level = walk.with_other_names(fresh, reached)
    return walk.found


class _Walk:
    def __init__(self, connection: Connection, graph: Graph, start: ColumnKey, downstream: bool) -> None:  # noqa: FBT001
        self.connection = connection
        self.graph = graph
        self.start = start
        self.downstream = downstream
        self.found: dict[ColumnKey, ColumnHit] = {}

    def add(self, hit: ColumnHit) -> bool:
        """False if the column was reached before."""
        if hit.column == self.start or hit.column in self.found:
            return False
        self.found[hit.column] = hit
        return True

    def with_other_names(self, columns: Iterable[ColumnKey], depth: int) -> list[ColumnKey]:
        level = list(columns)
        for dataset, column in list(level):
            node = (NodeType.DATASET, dataset)
            for other in self.graph.names_of(node, downstream=self.downstream)[1:]:
                hit = ColumnHit((other[1], column), depth, (dataset, column), 0, "IDENTITY: another name")
                if self.add(hit):
                    level.append(hit.column)
        return level

    def next_to(self, level: Sequence[ColumnKey], depth: int) -> Iterator[ColumnHit]:
        """What one edge leads to; of a whole dataset, the edges of all its columns."""
        table = COLUMN_EDGE.c
        source, target = (table.source_dataset_id, table.source_column), (table.target_dataset_id, table.target_column)
        near, far = (source, target) if self.downstream else (target, source)
        before = self._reached_by(level)
        for part in chunks(before):
            whole = [dataset for dataset, column in part if column == WHOLE and self.downstream]
            mine: Any = tuple_(*near).in_(part)
            here = or_(mine, near[0].in_(whole)) if whole else mine
            query = select(*near, *far, table.process_id, table.transformation).where(here)
            for row in self.connection.execute(query.order_by(table.edge_id)):
                came = before.get((row[0], row[1])) or before[row[0], WHOLE]
                yield ColumnHit((row[2], row[3]), depth, came, row[4], row[5])

    def _reached_by(self, level: Sequence[ColumnKey]) -> dict[ColumnKey, ColumnKey]:
        """What to look edges up by, with the column of the level; upstream, a column is the whole dataset's too."""
        found = {column: column for column in level}
        if not self.downstream:
            for dataset, column in level:
                found.setdefault((dataset, WHOLE), (dataset, column))
        return found


def column_path(hits: dict[ColumnKey, ColumnHit], column: ColumnKey) -> list[ColumnKey]:
    path = [column]
    while path[-1] in hits:
        path.append(hits[path[-1]].before)
    return path[::-1]
