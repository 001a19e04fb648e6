"""PostgreSQL: every connection reads the same snapshot, and what Spark would change or refuse is read as text.

NaN in a NUMERIC ends Spark's job, an infinite date becomes the year 9999 in it, and a NUMERIC without a scale is
rounded. As text they reach silver, which quarantines only the rows whose value does not fit the declared type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.ingestion.jdbc.database import Database, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from data_platform.ingestion.jdbc.connection import Connection
    from data_platform.ingestion.jdbc.database import SourceColumn

LOCK_SECONDS = 60
"""How long a read waits for a lock: an ALTER TABLE that takes longer is no reason to keep a connection."""
_TYPED = {
    "bool": "boolean", "int2": "smallint", "int4": "int", "int8": "bigint", "smallserial": "smallint",
    "serial": "int", "bigserial": "bigint", "float4": "float", "float8": "double", "bytea": "binary",
    "text": "string", "varchar": "string", "name": "string",
}  # fmt: skip
"""Types whose every value Spark reads as it is."""
_TEXT_TYPES = ("bpchar", "uuid", "time", "timetz", "interval", "inet", "cidr", "macaddr", "money", "bit", "varbit")
_MAX_DIGITS = 38


class PostgreSql(Database):
    scheme = "postgres"
    dialect = "postgres"
    default_schema = "public"
    driver_class = "org.postgresql.Driver"
    driver_package = "org.postgresql:postgresql:42.7.7"
    shares_snapshot = True
    lost_snapshot = frozenset({"22023", "42704"})  # until version 15, and since 16

    def reading(self, column: SourceColumn, declared: str | None) -> Reading:
        kind = column.kind
        if kind in _TYPED:
            return Reading(type=_TYPED[kind])
        if kind == "numeric":
            return Reading(type=_decimal(column, declared), as_text=True)
        if kind == "date":
            return Reading(type="date", as_text=True)
        if kind == "timestamptz":
            return Reading(type="timestamp", as_text=True)
        if kind == "timestamp":
            return Reading(type="timestamp" if declared == "timestamp" else "timestamp_ntz", as_text=True)
        return Reading(type="string" if kind in _TEXT_TYPES else None, as_text=True)

    def expression(self, column: SourceColumn, quoted: str) -> str:
        if column.kind in _TYPED:
            return quoted
        if column.kind.startswith("_"):  # an array
            return f"to_jsonb({quoted})::text"
        return f"{quoted}::text"  # of a CHAR, without the blanks that pad it

    def text_of(self, expression: str) -> str:
        return f"({expression})::text"

    def literal(self, column: SourceColumn, text: str) -> str:
        written = super().literal(column, text)
        return written if written == text else f"'{text}'::{column.kind}"

    def has_zone(self, column: SourceColumn) -> bool:
        return column.kind == "timestamptz"

    def begin(self, connection: Connection, seconds: int) -> str:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        connection.execute(_settings(seconds))
        [(exported,)] = connection.query("SELECT pg_export_snapshot()")
        return str(exported)

    def session_statement(self, snapshot: str, seconds: int) -> str:
        taken = f"SET TRANSACTION SNAPSHOT '{snapshot}'; "
        return f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY; {taken}{_settings(seconds)}"

    def properties(self, seconds: int) -> Mapping[str, str]:
        """A connection that was cut off without a word would be waited for without end."""
        return {
            "ApplicationName": "data-platform",
            "connectTimeout": "10",
            "socketTimeout": str(seconds + LOCK_SECONDS),
            "tcpKeepAlive": "true",
        }


def _settings(seconds: int) -> str:
    limits = f"SET LOCAL statement_timeout = '{seconds}s'; SET LOCAL lock_timeout = '{min(seconds, LOCK_SECONDS)}s'; "
    forms = "SET LOCAL idle_in_transaction_session_timeout = 0; "  # the snapshot is kept while Spark reads
    forms += "SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, YMD'; SET LOCAL IntervalStyle = 'iso_8601'"
    return limits + forms


def _decimal(column: SourceColumn, declared: str | None) -> str:
    """Without a scale every number fits, and the declared type decides which do."""
    if 0 < column.precision <= _MAX_DIGITS and 0 <= column.scale <= column.precision:
        return f"decimal({column.precision},{column.scale})"
    is_fraction = declared is not None and declared.startswith(("decimal", "double", "float"))
    return str(declared) if is_fraction else "decimal(38,18)"
