"""Checks that a query of another database only reads, and which tables it reads. It is parsed, and never changed.

The session in which it runs reads only too, where the database has such sessions; this check also finds what those do
not: functions that stop other sessions, read files or call other servers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_ACTING = (
    "pg_", "lo_", "dblink", "nextval", "setval", "set_config", "query_to_xml", "database_to_xml",
    "dbms_", "utl_", "sys_exec", "xp_",
)  # fmt: skip
"""Beginnings of the names of functions that do more than compute a value."""


def source_query_problem(text: str, dialect: str = "") -> str:
    """Why ``text`` is not one SELECT that only reads; empty if it is."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        trees = [tree for tree in _parsed(text, dialect) if tree is not None]
    except SqlglotError:
        return "cannot be parsed as SQL; expected one SELECT"
    if len(trees) != 1 or not isinstance(trees[0], exp.Query):
        return "expected one SELECT, which only reads"
    return next(_acting(trees[0]), "")


def source_table_problem(text: str, dialect: str = "") -> str:
    """Why ``text`` is not the name of one table; empty if it is."""
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        [tree] = _parsed(f"SELECT * FROM {text}", dialect)  # noqa: S608 - it is parsed only
    except (SqlglotError, ValueError):
        return "is not the name of a table, such as public.orders"
    tables = list(tree.find_all(exp.Table))
    is_plain = len(tables) == 1 and not tables[0].alias and tree.sql() == exp.select("*").from_(tables[0]).sql()
    return "" if is_plain else "is not the name of one table, such as public.orders; write anything else as a query"


def tables_of(text: str, dialect: str = "") -> tuple[str, ...]:
    """The tables that a query reads, sorted, as ``schema.table``; empty if it cannot be parsed.

    Names that the query defines itself are left out.
    """
    from sqlglot import exp
    from sqlglot.errors import SqlglotError

    try:
        [tree] = _parsed(text, dialect)
    except (SqlglotError, ValueError):
        return ()
    own = {one.alias for one in tree.find_all(exp.CTE)}
    names = (".".join(part.name for part in table.parts) for table in tree.find_all(exp.Table) if table.name)
    return tuple(sorted({name for name in names if name not in own}))


def _parsed(text: str, dialect: str) -> list[Any]:
    import sqlglot

    return sqlglot.parse(text, dialect=dialect or None)


def _acting(tree: Any) -> Iterator[str]:
    from sqlglot import exp

    for node in tree.walk():
        if isinstance(node, exp.Insert | exp.Update | exp.Delete | exp.Merge | exp.Into | exp.Command | exp.DDL) and (
            not isinstance(node, exp.Query)
        ):
            yield f"has {node.key.upper()}, which writes; remove it"
        if isinstance(node, exp.Lock):
            yield "locks rows (FOR UPDATE); remove it"
        name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
        if name.startswith(_ACTING):
            yield f"calls {name}, which does more than compute a value; remove it"
