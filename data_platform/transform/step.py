"""What each step of a process reads, and where its columns come from, one step deep. Read from the SQL alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.model.process import Process
    from data_platform.model.schema import Schema


@dataclass(frozen=True)
class StepLineage:
    """``reads`` are names of inputs and earlier steps; ``columns`` leads to (name, column) of those."""

    name: str
    reads: tuple[str, ...]
    columns: dict[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)


def step_lineage(process: Process, schemas: Mapping[str, Schema]) -> tuple[StepLineage, ...]:
    """``schemas`` leads from dataset URN to declared columns. A query that is not understood has no columns here."""
    known = {
        item.view: {column.name: column.type for column in schemas[item.dataset].columns}
        for item in process.inputs
        if item.dataset in schemas
    }
    names = {item.view for item in process.inputs}
    found = []
    for step in process.steps:
        names.add(step.name)
        lineage = _lineage(step.name, step.sql, known, names - {step.name})
        known[step.name] = dict.fromkeys(lineage.columns, "string")
        found.append(lineage)
    return tuple(found)


def _lineage(name: str, sql: str, known: dict[str, dict[str, str]], names: set[str]) -> StepLineage:
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
            nodes = lineage(column.alias_or_name, sql, schema=known, dialect="spark").walk()
            leaves = [
                node for node in nodes if isinstance(node.expression, exp.Table) and node.expression.name in names
            ]
            sources = {(node.expression.name, node.name.rsplit(".", 1)[-1]) for node in leaves}
            columns[column.alias_or_name] = tuple(sorted(sources))
    except (SqlglotError, ValueError):
        return StepLineage(name, reads)
    return StepLineage(name, reads, columns)
