"""Derives the input columns of each output column of a process, through all its steps.

It reads only the SQL, so the lineage is available before any run. A query that cannot be parsed has no lineage:
nothing is guessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.model.process import Process
    from data_platform.model.schema import Schema


@dataclass(frozen=True, order=True)
class ColumnSource:
    """A column of a dataset."""

    dataset_urn: str
    column: str


def column_lineage(process: Process, schemas: Mapping[str, Schema]) -> dict[str, tuple[ColumnSource, ...]]:
    """Maps each output column to the columns it is computed from. ``schemas`` maps dataset URNs to declared columns.

    Columns that only filter, join or group are not sources of a value and are left out.
    """
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError
    from sqlglot.lineage import lineage

    owners = {item.view: item.dataset for item in process.inputs}
    tables = {view: {c.name: c.type for c in schemas[urn].columns} for view, urn in owners.items() if urn in schemas}
    steps = {step.name: step.sql for step in process.steps}
    output = process.steps[-1]
    try:
        query = parse_one(output.sql, dialect="spark")
        names = [column.alias_or_name for column in query.selects] if isinstance(query, exp.Query) else []
        sources_by_column: dict[str, tuple[ColumnSource, ...]] = {}
        for name in names:
            sources = set()
            for node in lineage(name, output.sql, schema=tables, sources=dict(steps), dialect="spark").walk():
                if isinstance(node.expression, exp.Table) and node.expression.name in owners:
                    sources.add(ColumnSource(owners[node.expression.name], node.name.rsplit(".", 1)[-1]))
            sources_by_column[name] = tuple(sorted(sources))
    except (SqlglotError, ValueError):
        return {}
    return sources_by_column


def reads_all_columns(process: Process, urn: str) -> bool:
    """Whether a step reads ``SELECT *`` from the dataset ``urn``, so that it gets each new column."""
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError

    views = {item.view.lower() for item in process.inputs if item.dataset == urn}
    if not views:
        return False
    for step in process.steps:
        try:
            tree = parse_one(step.sql, dialect="spark")
        except SqlglotError:
            continue
        for query in tree.find_all(exp.Select):
            tables = {table.name.lower() for table in query.find_all(exp.Table)}
            if any(column.is_star for column in query.expressions) and views & tables:
                return True
    return False
