"""Is each step of a process one SELECT over the process's inputs and earlier steps?

A name that is read from anywhere else would bypass certification and lineage. Which SQL is allowed is decided in
``data_platform.sql``, and asked again when the process runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.policies.problem import Problem, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.policies.entry import ProcessEntry


@dataclass(frozen=True)
class _Text:
    """Where a step's query stands: in a file of its own, or at a line of the process's."""

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


def query_problems(entry: ProcessEntry) -> Iterator[Problem]:
    if entry.process is None:
        return
    readable = [item.view for item in entry.process.inputs]
    for position, step in enumerate(entry.process.steps):
        location = ("steps", position, "sql")
        if file := entry.files.get(position):
            place = _Text(file, f"step {step.name}", 1, own_file=True)
        else:
            place = _Text(entry.document.name, f"steps[{position}].sql", entry.document.line(location), own_file=False)
        yield from _step_problems(step.sql, readable, place)
        readable.append(step.name)


def _step_problems(sql: str, readable: list[str], place: _Text) -> Iterator[Problem]:
    from data_platform.sql.check import query_problems as sql_problems

    for problem in sql_problems(sql, tuple(readable)):
        yield place.problem(
            problem.text, problem.line, did_you_mean(problem.unknown, readable) if problem.unknown else ""
        )
