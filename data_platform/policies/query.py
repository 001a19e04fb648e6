"""Is each step of a process one SELECT over its inputs and earlier steps, with the declared rows in the last one?

A name that is read from anywhere else would bypass certification and lineage. ``data_platform.sql`` decides which SQL
is allowed, and checks it again when the process runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.partition_key import COLUMN_TYPE
from data_platform.model.policy_bundle import SchemaMode
from data_platform.model.schema import is_widening
from data_platform.policies.problem import Problem, did_you_mean
from data_platform.policies.relation import known_names

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.model.policy import DatasetPolicy
    from data_platform.model.policy_bundle import SchemaPolicy
    from data_platform.model.process import Process
    from data_platform.policies.entry import DatasetEntry, ProcessEntry
    from data_platform.policies.relation import Tree


@dataclass(frozen=True)
class StepPlace:
    """The place of a step's query: a file of its own, or a line of the process's file."""

    file: str
    key: str
    line: int
    own_file: bool

    def problem(self, text: str, line: int = 0, hint: str = "") -> Problem:
        """``line`` counts from 1 in the query; 0 is the query as a whole."""
        if self.own_file:
            return Problem(self.file, line or 1, self.key, text + hint)
        where = f" (line {line} of the query)" if line else ""
        return Problem(self.file, self.line, self.key, text + where + hint)


def query_problems(entry: ProcessEntry, tree: Tree) -> Iterator[Problem]:
    if entry.process is None:
        return
    readable = [item.view for item in entry.process.inputs]
    places = [place_of_step(entry, position) for position in range(len(entry.process.steps))]
    problems: list[Problem] = []
    for step, place in zip(entry.process.steps, places, strict=True):
        problems.extend(_step_problems(step.sql, readable, place))
        readable.append(step.name)
    yield from problems or _column_problems(entry, tree, places)


def place_of_step(entry: ProcessEntry, position: int) -> StepPlace:
    if file := entry.files.get(position):
        name = entry.process.steps[position].name if entry.process else ""
        return StepPlace(file, f"step {name}", 1, own_file=True)
    line = entry.document.line(("steps", position, "sql"))
    return StepPlace(entry.document.name, f"steps[{position}].sql", line, own_file=False)


def _step_problems(sql: str, readable: list[str], place: StepPlace) -> Iterator[Problem]:
    from data_platform.sql.check import query_problems as sql_problems
    from data_platform.sql.literal import value_problems

    problems = sql_problems(sql, tuple(readable))
    for problem in problems:
        hint = did_you_mean(problem.unknown, readable) if problem.unknown else ""
        yield place.problem(problem.text, problem.line, hint)
    if not problems:
        yield from (place.problem(text) for text in dict.fromkeys(value_problems(sql, {})))


def _column_problems(entry: ProcessEntry, tree: Tree, places: list[StepPlace]) -> Iterator[Problem]:
    """Columns that no input has, and differences between the last step's columns and the declared ones."""
    from data_platform.sql.output import output_columns, repeated_columns, unknown_columns

    process = entry.process
    assert process is not None, "only for processes that were read"  # noqa: S101
    columns_of = {item.view.lower(): _columns(tree.datasets.get(item.dataset)) for item in process.inputs}
    made: dict[str, str] | None = None
    for step, place in zip(process.steps, places, strict=True):
        for name, line in unknown_columns(step.sql, columns_of):
            columns = [column for table in columns_of.values() for column in table or ()]
            yield place.problem(f"{name} is not a column of any input or step", line, did_you_mean(name, columns))
        for name in repeated_columns(step.sql, columns_of):
            yield place.problem(f"makes column {name} more than once; give each column a name of its own")
        made = columns_of[step.name.lower()] = output_columns(step.sql, columns_of)
    output = tree.datasets.get(process.output)
    if output and output.policy and output.bundle and output.bundle.schema_.constraints:
        yield from (places[-1].problem(text) for text in _output_problems(made, output.bundle.schema_))
        yield from (places[-1].problem(text) for text in _zone_problems(process, output.policy, tree))


def _columns(entry: DatasetEntry | None) -> dict[str, str] | None:
    """None if the columns of the dataset are unknown."""
    if entry is None or entry.bundle is None or not entry.bundle.schema_.constraints:
        return None
    declared = {column.name: column.type for column in entry.bundle.schema_.declared.columns}
    return {**dict.fromkeys(known_names(entry), COLUMN_TYPE), **declared}


def _output_problems(made: dict[str, str] | None, schema: SchemaPolicy) -> Iterator[str]:
    if made is None:
        return
    types = {name.lower(): kind for name, kind in made.items()}
    for column in schema.declared.columns:
        kind = types.get(column.name.lower())
        if kind is None:
            yield f"makes no column {column.name}, which schema.constraints declares{did_you_mean(column.name, made)}"
        elif kind and kind != column.type and not _takes(schema, column.type, kind):
            want = column.type.upper()
            yield f"makes {column.name} as {kind.upper()}, and schema.constraints declares {want}: cast it"
    added = [name for name in made if schema.declared.get(name) is None]
    if added and schema.mode is SchemaMode.STRICT:
        yield f"makes {', '.join(added)}, not declared in schema.constraints, and its mode is strict; declare or drop"


def _takes(schema: SchemaPolicy, declared: str, actual: str) -> bool:
    """Whether a column of type ``actual`` passes G3_SCHEMA, by the rules of ``gates.schema``."""
    if schema.mode is SchemaMode.BREAKING or is_widening(actual, declared):
        return True
    return schema.allows_widening and is_widening(declared, actual)


def _zone_problems(process: Process, output: DatasetPolicy, tree: Tree) -> Iterator[str]:
    from data_platform.sql.lexical import names_time

    policies = [entry.policy for item in process.inputs if (entry := tree.datasets.get(item.dataset)) and entry.policy]
    zones = sorted({policy.zone for policy in policies} - {"UTC"})
    if zones and not output.declares_zone and any(names_time(step.sql) for step in process.steps):
        key = "partition.time_zone" if output.partition else "time_zone"
        yield (
            f"computes dates or times, its inputs have days of {', '.join(zones)}, but {output.urn} has no zone:"
            f" add {key} to its dataset.yaml, UTC if that is meant"
        )
