"""Derives from the SQL alone what each step of a process reads, and the direct sources of its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.model.process import Process
    from data_platform.model.schema import Schema


@dataclass(frozen=True)
class StepLineage:
    """``reads`` names inputs and earlier steps; ``columns`` maps each column to (name, column) pairs of those."""

    name: str
    reads: tuple[str, ...]
    columns: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)


def step_lineage(process: Process, schemas: Mapping[str, Schema]) -> tuple[StepLineage, ...]:
    """``schemas`` maps dataset URNs to declared columns. A query that cannot be parsed has no columns in the result."""
    tables = {
        item.view: {column.name: column.type for column in schemas[item.dataset].columns}
        for item in process.inputs
        if item.dataset in schemas
    }
    names = {item.view for item in process.inputs}
    lineages = []
    for step in process.steps:
        names.add(step.name)
        lineage = _lineage(step.name, step.sql, tables, names - {step.name})
        tables[step.name] = dict.fromkeys(lineage.columns, "string")
        lineages.append(lineage)
    return tuple(lineages)


def _lineage(name: str, sql: str, tables: dict[str, dict[str, str]], names: set[str]) -> StepLineage:
    from sqlglot import exp, parse_one
    from sqlglot.errors import SqlglotError
    from sqlglot.lineage import lineage

    try:
        query = parse_one(sql, dialect="spark")
        reads = tuple(sorted({table.name for table in query.find_all(exp.Table)} & names))
    except (SqlglotError, ValueError):
        return StepLineage(name, ())
    columns: dict[str, tuple[tuple[str, str], ...]] = {}
    try:
        for column in query.selects if isinstance(query, exp.Query) else []:
            nodes = lineage(column.alias_or_name, sql, schema=tables, dialect="spark").walk()
            leaves = [
                node for node in nodes if isinstance(node.expression, exp.Table) and node.expression.name in names
            ]
            sources = {(node.expression.name, node.name.rsplit(".", 1)[-1]) for node in leaves}
            columns[column.alias_or_name] = tuple(sorted(sources))
    except (SqlglotError, ValueError):
        return StepLineage(name, reads)
    return StepLineage(name, reads, columns)
