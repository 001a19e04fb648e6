"""Which columns a query makes, as far as its text tells, and which columns it names that nothing has."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from data_platform.model.schema import normal_type
from data_platform.sql.function import words

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Columns: TypeAlias = dict[str, str]
"""Name to type; an empty type is not known."""

_UNITS = words(
    "year quarter month week day dayofyear hour minute second millisecond microsecond all grouping__id both leading"
    " trailing col pos key value"
)
"""Words that stand where a column may, and are none; and the columns that generators make."""


def output_columns(text: str, readable: Mapping[str, Columns | None]) -> Columns | None:
    """The columns of the rows that ``text`` makes; None if its text does not tell.

    ``readable`` leads from the lower case name of each table to its columns; None are not known.
    """
    return _of_query(_parsed(text), dict(readable))


def unknown_columns(text: str, readable: Mapping[str, Columns | None]) -> list[tuple[str, int]]:
    """Names that no table and no alias of the query has, each with its line; none, where a table is not known."""
    from sqlglot import exp

    tree = _parsed(text)
    own = {item.alias.lower() for item in tree.find_all(exp.CTE)}
    read = {table.name.lower() for table in tree.find_all(exp.Table)} - own
    tables = [readable.get(name) for name in read]
    if any(columns is None for columns in tables) or tree.find(exp.Pivot):
        return []
    known = {name.lower() for columns in tables for name in columns or ()} | set(_given_names(tree)) | _UNITS
    qualifiers = {t.alias_or_name.lower() for t in tree.find_all(exp.Table)} | _aliases(tree)
    found = []
    for column in tree.find_all(exp.Column):
        if isinstance(column.this, exp.Star):
            continue
        parts = column.parts
        part = parts[1] if len(parts) > 1 and parts[0].name.lower() in qualifiers else parts[0]
        if part.name.lower() not in known:
            found.append((part.name, part.meta.get("line", 0)))
    return list(dict.fromkeys(found))


@lru_cache(maxsize=1024)
def _parsed(text: str) -> Any:
    import sqlglot

    return sqlglot.parse_one(text, dialect="spark")


def _aliases(tree: Any) -> set[str]:
    from sqlglot import exp

    return {str(alias.name).lower() for alias in tree.find_all(exp.TableAlias)}


def _given_names(tree: Any) -> Iterator[str]:
    """Every name that the query itself gives: aliases, columns of table aliases, parameters of lambdas."""
    from sqlglot import exp

    for alias in tree.find_all(exp.Alias):
        yield alias.alias.lower()
    for aliases in tree.find_all(exp.Aliases):
        yield from (name.name.lower() for name in aliases.aliases)
    for table in tree.find_all(exp.TableAlias):
        yield from (column.name.lower() for column in table.columns)
        yield table.name.lower()
    for function in tree.find_all(exp.Lambda):
        yield from (item.name.lower() for item in function.expressions)


def _of_query(query: Any, readable: dict[str, Columns | None]) -> Columns | None:
    from sqlglot import exp

    for item in query.ctes:
        names = [column.name for column in item.args["alias"].columns]
        made = _of_query(item.this, readable)
        readable = {**readable, item.alias.lower(): made if not names else dict.fromkeys(names, "")}
    if isinstance(query, exp.Subquery):
        return _of_query(query.this, readable)
    if isinstance(query, exp.SetOperation):
        made = _of_query(query.left, readable)
        return None if made is None else dict.fromkeys(made, "")
    if not isinstance(query, exp.Select):
        return None
    sources = _sources(query, readable)
    columns: Columns = {}
    for item in query.expressions:
        made = _of_item(item, sources)
        if made is None:
            return None
        columns.update(made)
    return columns


def _of_item(item: Any, sources: dict[str, Columns | None]) -> Columns | None:
    from sqlglot import exp

    if item.is_star:
        star = item.this if isinstance(item, exp.Column) else item
        if any(star.args.values()):
            return None
        wanted = [item.table.lower()] if isinstance(item, exp.Column) else list(sources)
        found = [sources.get(name) for name in wanted]
        if not found or any(columns is None for columns in found):
            return None
        return {name: kind for columns in found for name, kind in (columns or {}).items()}
    name = item.alias_or_name
    if not name or not isinstance(item, exp.Alias | exp.Column):
        return None
    return {name: _type_of(item.unalias(), sources)}


def _type_of(node: Any, sources: dict[str, Columns | None]) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Cast):
        return normal_type(node.to.sql("spark"))
    if not isinstance(node, exp.Column) or len(node.parts) > 2:
        return ""
    tables = [node.table.lower()] if node.table else list(sources)
    kinds = [kind for name in tables for column, kind in (sources.get(name) or {}).items() if _same(column, node.name)]
    return kinds[0] if len(kinds) == 1 and all(sources.get(name) is not None for name in tables) else ""


def _same(one: str, other: str) -> bool:
    return one.lower() == other.lower()


def _sources(select: Any, readable: dict[str, Columns | None]) -> dict[str, Columns | None]:
    """The tables of FROM and JOIN, by alias; a source of another kind has columns that are not known."""
    from sqlglot import exp

    found: dict[str, Columns | None] = {}
    start = select.args.get("from_")
    items = [start.this] if start else []
    items += [join.this for join in select.args.get("joins") or []]
    for item in items:
        name = item.alias_or_name.lower()
        if isinstance(item, exp.Table) and not item.args.get("pivots"):
            found[name] = readable.get(item.name.lower())
        elif isinstance(item, exp.Subquery) and not item.args.get("pivots"):
            found[name] = _of_query(item.this, readable)
        else:
            found[name or f"?{len(found)}"] = None
    if select.args.get("laterals"):
        found["?lateral"] = None
    return found
