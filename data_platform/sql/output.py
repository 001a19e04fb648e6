"""Finds the output columns of a query, as far as its text shows them, and column names that do not exist."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from data_platform.model.schema import normal_type
from data_platform.sql.function import words
from data_platform.sql.tree import tree_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Columns: TypeAlias = dict[str, str]
"""Maps each name to its type; an empty type is unknown."""

_UNITS = words(
    "year quarter month week day dayofyear hour minute second millisecond microsecond all grouping__id both leading"
    " trailing col pos key value"
)
"""Words that sqlglot parses as columns and that are none, and the columns that generators make."""


def output_columns(text: str, readable: Mapping[str, Columns | None]) -> Columns | None:
    """Returns the output columns of ``text``; None if the text does not determine them.

    ``readable`` maps the lower case name of each table to its columns; None means unknown.
    """
    return _query_columns(tree_of(text), dict(readable))


def repeated_columns(text: str, readable: Mapping[str, Columns | None]) -> list[str]:
    """Returns names, in lower case, that two items of the SELECT list have."""
    names = [name.lower() for item in _columns_by_item(tree_of(text), dict(readable)) for name in item or ()]
    return sorted({name for name in names if names.count(name) > 1})


def unknown_columns(text: str, readable: Mapping[str, Columns | None]) -> list[tuple[str, int]]:
    """Returns column names that no table or alias of the query has, with lines; empty if a table is unknown."""
    from sqlglot import exp

    tree = tree_of(text)
    ctes = {item.alias.lower() for item in tree.find_all(exp.CTE)}
    table_names = {table.name.lower() for table in tree.find_all(exp.Table)} - ctes
    tables = [readable.get(name) for name in table_names]
    if any(columns is None for columns in tables) or tree.find(exp.Pivot):
        return []
    existing = {name.lower() for columns in tables for name in columns or ()} | set(_defined_names(tree)) | _UNITS
    qualifiers = {t.alias_or_name.lower() for t in tree.find_all(exp.Table)} | _aliases(tree)
    unknown = []
    for column in tree.find_all(exp.Column):
        if isinstance(column.this, exp.Star):
            continue
        parts = column.parts
        part = parts[1] if len(parts) > 1 and parts[0].name.lower() in qualifiers else parts[0]
        if part.name.lower() not in existing:
            unknown.append((part.name, part.meta.get("line", 0)))
    return list(dict.fromkeys(unknown))


def _aliases(tree: Any) -> set[str]:
    from sqlglot import exp

    return {str(alias.name).lower() for alias in tree.find_all(exp.TableAlias)}


def _defined_names(tree: Any) -> Iterator[str]:
    """Yields every name that the query itself defines: aliases, columns of table aliases, parameters of lambdas."""
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


def _query_columns(query: Any, readable: dict[str, Columns | None]) -> Columns | None:
    merged: Columns = {}
    for columns in _columns_by_item(query, readable):
        if columns is None:
            return None
        merged.update(columns)
    return merged


def _columns_by_item(query: Any, readable: dict[str, Columns | None]) -> list[Columns | None]:
    """The columns of each item of the SELECT list (``*`` makes several); None for an item of unknown columns."""
    from sqlglot import exp

    for item in query.ctes:
        names = [column.name for column in item.args["alias"].columns]
        part_columns = _query_columns(item.this, readable)
        readable = {**readable, item.alias.lower(): part_columns if not names else dict.fromkeys(names, "")}
    if isinstance(query, exp.Subquery):
        return _columns_by_item(query.this, readable)
    if isinstance(query, exp.SetOperation):
        first = _columns_by_item(query.left, readable)
        return [None if columns is None else dict.fromkeys(columns, "") for columns in first]
    if not isinstance(query, exp.Select):
        return [None]
    sources = _sources(query, readable)
    return [_item_columns(item, sources) for item in query.expressions]


def _item_columns(item: Any, sources: dict[str, Columns | None]) -> Columns | None:
    from sqlglot import exp

    if item.is_star:
        star = item.this if isinstance(item, exp.Column) else item
        if any(star.args.values()):
            return None
        source_names = [item.table.lower()] if isinstance(item, exp.Column) else list(sources)
        tables = [sources.get(name) for name in source_names]
        if not tables or any(columns is None for columns in tables):
            return None
        return {name: kind for columns in tables for name, kind in (columns or {}).items()}
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
    kinds = [
        kind for name in tables for column, kind in (sources.get(name) or {}).items() if _same_name(column, node.name)
    ]
    return kinds[0] if len(kinds) == 1 and all(sources.get(name) is not None for name in tables) else ""


def _same_name(one: str, other: str) -> bool:
    return one.lower() == other.lower()


def _sources(select: Any, readable: dict[str, Columns | None]) -> dict[str, Columns | None]:
    """The tables of FROM and JOIN, by alias; the columns of other sources are unknown."""
    from sqlglot import exp

    sources: dict[str, Columns | None] = {}
    start = select.args.get("from_")
    items = [start.this] if start else []
    items += [join.this for join in select.args.get("joins") or []]
    for item in items:
        name = item.alias_or_name.lower()
        if isinstance(item, exp.Table) and not item.args.get("pivots"):
            sources[name] = readable.get(item.name.lower())
        elif isinstance(item, exp.Subquery) and not item.args.get("pivots"):
            sources[name] = _query_columns(item.this, readable)
        else:
            sources[name or f"?{len(sources)}"] = None
    if select.args.get("laterals"):
        sources["?lateral"] = None
    return sources
