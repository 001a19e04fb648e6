"""What differs between databases: how a column is read, how values are written, and whether a snapshot can be shared.

``Database`` is any of them by its driver alone; ``postgresql`` is one that is known better.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.errors import SourceError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.ingestion.jdbc.connection import Connection

_NUMBER, _DATE, _TIME = "number", "date", "time"
_BY_CODE = {
    -7: "boolean", 16: "boolean", -6: "tinyint", 5: "smallint", 4: "int", -5: "bigint", 6: "double", 7: "float",
    8: "double", -2: "binary", -3: "binary", -4: "binary", 91: "date", 93: "timestamp", 2014: "timestamp",
}  # fmt: skip
"""The types of ``java.sql.Types`` as Spark's; those of decimals and text depend on more."""
_DECIMALS = (2, 3)
_MAX_DIGITS = 38
_FORMS = {
    _NUMBER: re.compile(r"-?\d{1,38}(\.\d+)?"),
    _DATE: re.compile(r"\d{4}-\d{2}-\d{2}"),
    _TIME: re.compile(r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d+)?([+-]\d{2}(:?\d{2})?)?"),
}


@dataclass(frozen=True, kw_only=True)
class SourceColumn:
    """A column as the driver describes it: ``code`` is that of ``java.sql.Types``, ``kind`` the database's own name."""

    name: str
    code: int
    kind: str
    precision: int
    scale: int
    nullable: bool


@dataclass(frozen=True, kw_only=True)
class Reading:
    """How a column is read: ``type`` is Spark's, None if any declared type may fit; ``as_text`` reads its text."""

    type: str | None
    as_text: bool = False


class Database:
    """Any database: Spark's own mapping of types, one snapshot for each connection, ANSI literals of JDBC."""

    scheme = ""
    """The scheme of OpenLineage's name for such a database; the one of the URL by default."""
    dialect = ""
    """sqlglot's name of its SQL."""
    default_schema = ""
    driver_class = ""
    driver_package = ""
    shares_snapshot = False
    lost_snapshot: frozenset[str] = frozenset()
    """The SQLSTATEs of a connection that does not find the shared snapshot any more."""

    def reading(self, column: SourceColumn, declared: str | None) -> Reading:
        if column.code in _DECIMALS and 0 < column.precision <= _MAX_DIGITS and 0 <= column.scale <= column.precision:
            return Reading(type=f"decimal({column.precision},{column.scale})")
        if column.code in _DECIMALS:
            return Reading(type=declared if declared and declared.startswith("decimal") else "decimal(38,10)")
        return Reading(type=_BY_CODE.get(column.code, "string"))

    def expression(self, column: SourceColumn, quoted: str) -> str:
        """The SQL that reads the column; trailing blanks of a CHAR are padding."""
        return f"RTRIM({quoted})" if column.code == 1 else quoted

    def text_of(self, expression: str) -> str:
        """The SQL for the text of a value, in the form that ``literal`` reads; by default the driver writes it."""
        return expression

    def literal(self, column: SourceColumn, text: str) -> str:
        """A value of the watermark as SQL.

        Raises:
            SourceError: The text is no finite value of the column's kind.
        """
        kind = self.watermark_kind(column)
        if not _FORMS[kind].fullmatch(text):
            raise SourceError(
                f"the watermark {column.name} has a value that is no finite {kind}; leave it out with a source.query"
            )
        return {_NUMBER: text, _DATE: f"{{d '{text}'}}", _TIME: f"{{ts '{text}'}}"}[kind]

    def watermark_kind(self, column: SourceColumn) -> str:
        """Raises: SourceError, if the column cannot be a watermark."""
        if column.code in (*_DECIMALS, -6, 5, 4, -5):
            return _NUMBER
        if column.code == 91:
            return _DATE
        if column.code in (93, 2014):
            return _TIME
        raise SourceError(f"the watermark {column.name} is a {column.kind}; expected a date, a time or a whole number")

    def has_zone(self, column: SourceColumn) -> bool:
        """Whether a time of the watermark is an instant, and no clock time."""
        return column.code == 2014

    def begin(self, connection: Connection, seconds: int) -> str:
        """Begins the one transaction in which the rows are examined; returns what identifies its snapshot."""
        return ""

    def session_statement(self, snapshot: str, seconds: int) -> str:
        """What each of Spark's connections executes first; empty for nothing."""
        return ""

    def properties(self, seconds: int) -> Mapping[str, str]:
        """Properties of every connection."""
        return {}


def is_number(kind: str) -> bool:
    return kind == _NUMBER


def is_date(kind: str) -> bool:
    return kind == _DATE
