"""Is each step of a process one SELECT over the process's inputs and earlier steps?

A name that is read from anywhere else would bypass certification and lineage. Whether the columns
exist is known only when the inputs' rows are there; that is asked when the process runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.policies.problem import Problem, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.policies.entry import ProcessEntry

PARAMETER = "partition"


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
    import sqlglot
    from sqlglot import exp

    try:
        statements = [found for found in sqlglot.parse(sql, dialect="spark") if found is not None]
    except sqlglot.errors.ParseError as error:
        first = error.errors[0] if error.errors else {}
        yield place.problem(f"not a Spark SQL query: {_plain(first)}", first.get("line") or 0)
        return
    except sqlglot.errors.TokenError:
        yield place.problem("not a Spark SQL query: a quote or comment that does not end")
        return
    if len(statements) != 1:
        yield place.problem(f"expected one SELECT, found {len(statements) or 'no'} statements")
        return
    if not isinstance(statements[0], exp.Query):
        yield place.problem(
            "expected one SELECT, found another kind of statement; a step reads, and the platform writes"
        )
        return
    yield from _names_read(statements[0], readable, place)
    yield from _parameters(statements[0], place)


def _names_read(query: Any, readable: list[str], place: _Text) -> Iterator[Problem]:
    from sqlglot import exp

    known = {name.lower() for name in readable}
    for table in query.find_all(exp.Table):
        if isinstance(table.this, exp.Anonymous) and table.this.name.lower() == "identifier":
            yield place.problem("identifier() hides what is read; write the name of an input or an earlier step")
        if not isinstance(table.this, exp.Identifier):
            continue  # a function such as range(10) reads nothing
        name = ".".join(part.name for part in table.parts)
        if name.lower() not in known and name.lower() not in _own_names(table):
            text = f"reads {name}, neither an input nor an earlier step; allowed: {', '.join(readable)}"
            line = table.parts[0].meta.get("line", 0)
            yield place.problem(text, line, did_you_mean(name, readable))


def _own_names(table: Any) -> set[str]:
    """The names that WITH gives and that ``table`` may mean; a WITH does not see itself, nor what comes after it."""
    from sqlglot import exp

    names: set[str] = set()
    below, above = table, table.parent
    while above is not None:
        visible = []
        if isinstance(above, exp.With):
            position = next(i for i, item in enumerate(above.expressions) if item is below)
            visible = above.expressions if above.args.get("recursive") else above.expressions[:position]
        elif isinstance(above, exp.Query) and not isinstance(below, exp.With):
            visible = above.ctes
        names.update(item.alias.lower() for item in visible)
        below, above = above, above.parent
    return names


def _parameters(query: Any, place: _Text) -> Iterator[Problem]:
    from sqlglot import exp

    for parameter in query.find_all(exp.Placeholder, exp.Parameter):
        if parameter.name != PARAMETER:
            yield place.problem(f":{parameter.name} is not a parameter; allowed: :{PARAMETER}")


def _plain(error: dict[str, Any]) -> str:
    # sqlglot names its own classes: <class 'sqlglot.expressions.core.Paren'>
    description = str(error.get("description") or "cannot be parsed")
    return "an expression is missing or not closed" if "<class" in description else description.rstrip(".")
