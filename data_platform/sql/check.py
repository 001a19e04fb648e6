"""Checks that a text is one expression over the columns of a row, or one SELECT over the names that it may read."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from data_platform.sql.function import HINTS, NOT_OF_ONE_ROW
from data_platform.sql.lexical import calls, escape_problems, token_problems, tokens_of
from data_platform.sql.problem import SqlProblem, SqlRefusal
from data_platform.sql.size import grouping_problems
from data_platform.sql.written_pattern import written_pattern_problems

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

PARAMETER = "partition"
_WANTED = {"query": "SELECT", "expression": "expression"}
MAX_TREE_DEPTH = 400
"""The most levels of a parsed text. Each AND of a chain is a level, and Spark's optimizer recurses over them."""


@lru_cache(maxsize=8192)
def expression_problems(text: str) -> tuple[SqlProblem, ...]:
    """Returns why ``text`` is not an expression over the columns of one row. Cached: many datasets share a rule."""
    try:
        tokens, tree = _parsed(text, "expression")
    except SqlRefusal as refusal:
        return (refusal.problem,)
    return (*_expression_problems(tokens, tree), *escape_problems(text, tokens))


@lru_cache(maxsize=1024)
def query_problems(text: str, readable: tuple[str, ...]) -> tuple[SqlProblem, ...]:
    """Returns why ``text`` is not a SELECT over ``readable``, the names of inputs and of earlier steps."""
    from sqlglot import exp

    try:
        tokens, tree = _parsed(text, "query")
    except SqlRefusal as refusal:
        return (refusal.problem,)
    if not isinstance(tree, exp.Query):
        kind = "expected one SELECT, found another kind of statement; a step reads, and the platform writes"
        return (SqlProblem(kind),)
    return tuple(
        dict.fromkeys(
            [
                *_token_problems(tokens, tree, in_rule=False),
                *escape_problems(text, tokens),
                *_shape_problems(tree),
                *_names_read(tree, readable),
                *map(SqlProblem, written_pattern_problems(tree)),
            ]
        )
    )


def _parsed(text: str, kind: str) -> tuple[list[Any], Any]:
    import sqlglot

    tokens = tokens_of(text, kind)
    try:
        statements = [statement for statement in sqlglot.parse(text, dialect="spark") if statement is not None]
    except sqlglot.errors.ParseError as error:
        first = error.errors[0] if error.errors else {}
        raise SqlRefusal(f"not a Spark SQL {kind}: {_plain(first)}", first.get("line") or 0) from None
    except (sqlglot.errors.SqlglotError, RecursionError, ValueError):
        raise SqlRefusal(f"not a Spark SQL {kind} that can be parsed") from None
    if len(statements) != 1:
        raise SqlRefusal(f"expected one {_WANTED[kind]}, found {len(statements) or 'no'} statements")
    _check_depth(statements[0])
    return tokens, statements[0]


def _check_depth(tree: Any) -> None:
    deepest = max((depth for _, depth in _levels(tree)), default=0)
    if deepest > MAX_TREE_DEPTH:
        raise SqlRefusal(f"{deepest} expressions within each other; at most {MAX_TREE_DEPTH}: split it")


def _levels(tree: Any) -> Iterator[tuple[Any, int]]:
    stack = [(tree, 0)]
    while stack:
        node, depth = stack.pop()
        yield node, depth
        stack.extend((child, depth + 1) for child in node.iter_expressions())


def _expression_problems(tokens: Sequence[Any], tree: Any) -> Iterator[SqlProblem]:
    from sqlglot import exp

    yield from _token_problems(tokens, tree, in_rule=True)
    if tree.find(exp.Query) or any(token.token_type.name in ("SELECT", "TABLE", "VALUES") for token in tokens):
        yield SqlProblem("a rule checks the columns of one row, and cannot read tables: use references or a process")
    elif not isinstance(tree, exp.Condition | exp.Func | exp.Dot | exp.Paren | exp.Alias) or isinstance(
        tree, exp.Alias
    ):
        yield SqlProblem("expected an expression over columns")
    if tree.find(exp.Placeholder, exp.Parameter):
        yield SqlProblem("a rule has no parameters")
    if tree.find(exp.Window):
        yield SqlProblem("a rule checks one row, and OVER reads other rows: compute it in a process")
    for name, line in calls(tokens):
        if name in NOT_OF_ONE_ROW and name not in ("any", "some"):
            yield SqlProblem(
                f"a rule checks one row, and {name}() is not of one row: use dq.metrics or a process", line
            )


def _token_problems(tokens: Sequence[Any], tree: Any, *, in_rule: bool) -> Iterator[SqlProblem]:
    from sqlglot import exp

    names = {alias.this.meta.get("start") for alias in tree.find_all(exp.TableAlias) if alias.this}
    yield from token_problems(tokens, names - {None}, in_rule=in_rule)


def _shape_problems(query: Any) -> Iterator[SqlProblem]:
    from sqlglot import exp

    for parameter in query.find_all(exp.Placeholder, exp.Parameter):
        if parameter.name != PARAMETER:
            yield SqlProblem(f":{parameter.name} is not a parameter; allowed: :{PARAMETER}")
    for kind, why in _refused_shapes().items():
        if query.find(kind):
            yield SqlProblem(why)
    yield from grouping_problems(query)
    if any(item.args.get("recursive") for item in query.find_all(exp.With)):
        yield SqlProblem("WITH RECURSIVE may never end; a step is computed in one pass")
    for hint in (item for hint_clause in query.find_all(exp.Hint) for item in hint_clause.expressions):
        name = str(hint.name or hint.this).lower()
        if name not in HINTS:
            yield SqlProblem(f"hint {name} is not allowed; allowed: {', '.join(sorted(HINTS))}")


def _refused_shapes() -> dict[type[Any], str]:
    from sqlglot import exp

    return {
        exp.QueryTransform: "TRANSFORM … USING runs a script, and policies run no code",
        exp.TableSample: "TABLESAMPLE returns other rows each time; a step must return the same rows each time",
        exp.Version: "a step reads the certified version of its inputs, and no other version",
    }


def _names_read(query: Any, readable: tuple[str, ...]) -> Iterator[SqlProblem]:
    from sqlglot import exp

    allowed = {name.lower() for name in readable}
    for table in query.find_all(exp.Table):
        if table.find_ancestor(exp.Hint):
            continue
        if not isinstance(table.this, exp.Identifier):
            if str(table.this.name).lower() != "identifier":  # already reported as a call
                yield SqlProblem(f"a table function ({table.this.name}) is not an input or an earlier step")
            continue
        name = ".".join(part.name for part in table.parts)
        is_allowed = name.lower() in allowed or name.lower() in _own_names(table)
        if len(table.parts) > 1 or not is_allowed:
            text = f"reads {name}, neither an input nor an earlier step; allowed: {', '.join(readable)}"
            yield SqlProblem(text, table.parts[0].meta.get("line", 0), name)
    for item in query.find_all(exp.CTE):
        if item.alias.lower() in allowed:
            text = f"WITH {item.alias} hides the input or step of that name; give it another name"
            yield SqlProblem(text, item.args["alias"].this.meta.get("line", 0))


def _own_names(table: Any) -> set[str]:
    """The WITH names that ``table`` may refer to; a WITH sees neither itself nor the ones after it."""
    from sqlglot import exp

    names: set[str] = set()
    below, above = table, table.parent
    while above is not None:
        visible: list[Any] = []
        if isinstance(above, exp.With):
            position = next(i for i, item in enumerate(above.expressions) if item is below)
            visible = above.expressions[:position]
        elif isinstance(above, exp.Query) and not isinstance(below, exp.With):
            visible = above.ctes
        names.update(item.alias.lower() for item in visible)
        below, above = above, above.parent
    return names


def _plain(error: dict[str, Any]) -> str:
    # sqlglot names its own classes: <class 'sqlglot.expressions.core.Paren'>
    description = str(error.get("description") or "cannot be parsed")
    return "an expression is missing or not closed" if "<class" in description else description.rstrip(".")
