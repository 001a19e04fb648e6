"""Finds the columns up- and downstream of a column, level by level in SQL.

Columns fan out less than tables, and there are too many to hold in memory. The empty column is the whole dataset: the
source of a filter or join key reaches every column of the dataset. A column also exists under its dataset's other
names (symlinks, renames), at no additional depth.
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
"""A dataset's key and a column."""

WHOLE = ""
"""The column that means the whole dataset."""

MOST = 100_000
"""The most columns that a walk visits."""


@dataclass(frozen=True)
class ColumnHit:
    """``process_id`` is 0 if no job made the step, as between two names of a dataset."""

    column: ColumnKey
    depth: int
    before: ColumnKey
    process_id: int
    transformation: str | None


def walk_columns(
    connection: Connection, graph: Graph, start: ColumnKey, *, downstream: bool, depth: int | None = None
) -> dict[ColumnKey, ColumnHit]:
    """Returns the reached columns, nearest first, without ``start``."""
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
        """Records a hit; False if the column was already reached."""
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
        """Yields columns one edge away; a whole dataset has the edges of all its columns."""
        table = COLUMN_EDGE.c
        source, target = (table.source_dataset_id, table.source_column), (table.target_dataset_id, table.target_column)
        near, remote = (source, target) if self.downstream else (target, source)
        before = self._reached_by(level)
        for part in chunks(before):
            whole = [dataset for dataset, column in part if column == WHOLE and self.downstream]
            by_column: Any = tuple_(*near).in_(part)
            condition = or_(by_column, near[0].in_(whole)) if whole else by_column
            query = select(*near, *remote, table.process_id, table.transformation).where(condition)
            for row in self.connection.execute(query.order_by(table.edge_id)):
                previous = before.get((row[0], row[1])) or before[row[0], WHOLE]
                yield ColumnHit((row[2], row[3]), depth, previous, row[4], row[5])

    def _reached_by(self, level: Sequence[ColumnKey]) -> dict[ColumnKey, ColumnKey]:
        """Maps each lookup key to its column of the level; upstream, a column also has the whole dataset's edges."""
        keys = {column: column for column in level}
        if not self.downstream:
            for dataset, column in level:
                keys.setdefault((dataset, WHOLE), (dataset, column))
        return keys


def column_path(hits: dict[ColumnKey, ColumnHit], column: ColumnKey) -> list[ColumnKey]:
    path = [column]
    while path[-1] in hits:
        path.append(hits[path[-1]].before)
    return path[::-1]
