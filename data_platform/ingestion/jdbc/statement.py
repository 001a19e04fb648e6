"""The SELECT statements of one read: what is read of the table, and which rows of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from data_platform.ingestion.jdbc.database import SourceColumn
    from data_platform.model.jdbc_source import JdbcSource, Split

_BASE = "dp_base"
_ROWS = "dp_rows"
SPLIT = "dp_split"


def from_clause(source: JdbcSource) -> str:
    """The table or the query as what a SELECT reads."""
    if source.table:
        return f"{source.table} {_BASE}"
    query = str(source.query).strip().rstrip(";")
    return f"(\n{query}\n) {_BASE}"


def all_columns(source: JdbcSource) -> str:
    return f"SELECT * FROM {from_clause(source)}"  # noqa: S608 - written by the owner of the policy, and checked


@dataclass(frozen=True, kw_only=True)
class Interval:
    """The rows whose watermark is above ``low`` (or is it, if ``with_low``) and up to ``high`` (below it, if not
    ``with_high``); each bound is a literal of SQL, or empty for none.
    """

    column: str
    low: str = ""
    high: str = ""
    with_low: bool = False
    with_high: bool = True

    @property
    def condition(self) -> str:
        bounds = [f"{self.column} >{'=' if self.with_low else ''} {self.low}"] if self.low else []
        bounds += [f"{self.column} <{'=' if self.with_high else ''} {self.high}"] if self.high else []
        return " AND ".join(bounds) or "1 = 0"  # the table had no row, and what comes now is of a later interval


@dataclass(frozen=True, kw_only=True)
class Statement:
    """``columns`` maps each column's alias to the expression that reads it; ``split`` is the quoted column of parts."""

    source: JdbcSource
    columns: Mapping[str, str]
    interval: Interval | None = None
    split: str = ""

    @property
    def where(self) -> str:
        return f" WHERE {self.interval.condition}" if self.interval else ""

    @property
    def rows(self) -> str:
        """A subquery for Spark's reader, which selects columns of it by their aliases."""
        read = [f"{expression} AS {alias}" for alias, expression in self.columns.items()]
        read += [f"{self.split} AS {SPLIT}"] if self.split else []
        return f"(SELECT {', '.join(read)} FROM {from_clause(self.source)}{self.where}) {_ROWS}"  # noqa: S608

    @property
    def counts(self) -> str:
        """One row: the number of rows, and the bounds of the column of parts, if it has one."""
        bounds = f", MIN({self.split}), MAX({self.split})" if self.split else ""
        return f"SELECT COUNT(*){bounds} FROM {from_clause(self.source)}{self.where}"  # noqa: S608

    def value(self, expression: str) -> str:
        """One row with an aggregate of the rows."""
        return f"SELECT {expression} FROM {from_clause(self.source)}{self.where}"  # noqa: S608

    def without(self, column: str) -> str:
        """The number of rows that no interval has."""
        return f"SELECT COUNT(*) FROM {from_clause(self.source)} WHERE {column} IS NULL"  # noqa: S608


def needed_columns(source: JdbcSource) -> Iterator[tuple[str, str]]:
    """The columns that the policy names, each with its key."""
    if source.watermark:
        yield "watermark", source.watermark
    if source.split:
        yield "split.column", source.split.column


def predicates(split: Split | None, low: int | None, high: int | None) -> list[str]:
    """One condition for each part. The first has what is below and the rows without a value, the last what is above."""
    if split is None or low is None or high is None or high <= low:
        return []
    parts = min(split.parts, high - low + 1)
    edges = [low + (high - low + 1) * number // parts for number in range(1, parts)]
    first = f"({SPLIT} < {edges[0]} OR {SPLIT} IS NULL)"
    between = [f"({SPLIT} >= {a} AND {SPLIT} < {b})" for a, b in pairwise(edges)]
    return [first, *between, f"{SPLIT} >= {edges[-1]}"]


def find_column(columns: tuple[SourceColumn, ...], name: str) -> SourceColumn | None:
    """The column of that name: exactly, or ignoring case if only one is like it."""
    exact = [one for one in columns if one.name == name]
    alike = exact or [one for one in columns if one.name.lower() == name.lower()]
    return alike[0] if len(alike) == 1 else None
