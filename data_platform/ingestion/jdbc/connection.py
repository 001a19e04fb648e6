"""One connection of this process to a database, through the JVM of the Spark session.

Spark opens its own connections for the rows; this one examines the table, counts its rows, and keeps the snapshot that
the others read.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from data_platform.ingestion.jdbc.credential import password_of
from data_platform.ingestion.jdbc.database import SourceColumn
from data_platform.ingestion.jdbc.databases import database_of
from data_platform.ingestion.jdbc.failure import failure_of, lost_connection
from data_platform.ingestion.jdbc.place import place_of
from data_platform.sql.refusal import spark_errors

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import SparkSession

    from data_platform.model.jdbc_source import JdbcSource

_VALID_SECONDS = 5
_REPEATABLE_READ = 4
"""``java.sql.Connection.TRANSACTION_REPEATABLE_READ``."""


class Connection:
    """A connection in one transaction, which reads only. Every error of the driver is raised as one of ours."""

    def __init__(self, spark: SparkSession, source: JdbcSource) -> None:
        self._spark, self._source = spark, source
        self.database, self.place = database_of(source), place_of(source.url).shown
        self._connection: Any = None
        with self._explained():
            self._connection = self._opened()
            self.snapshot = self.database.begin(self, self.seconds)

    @property
    def seconds(self) -> int:
        return self._source.time_limit_minutes * 60

    def properties(self) -> dict[str, str]:
        """What every connection of the source needs, the password included; it is not to be shown."""
        named = {"user": self._source.user, "password": password_of(self._source.password)}
        return {**self.database.properties(self.seconds), **{name: value for name, value in named.items() if value}}

    @property
    def driver_class(self) -> str:
        return self._source.driver.class_ or self.database.driver_class

    def execute(self, sql: str) -> None:
        with self._explained():
            statement = self._connection.createStatement()
            statement.execute(sql)
            statement.close()

    def query(self, sql: str) -> list[tuple[str | None, ...]]:
        """The rows, each value as text."""
        with self._explained():
            statement = self._connection.createStatement()
            if not self.database.shares_snapshot:
                statement.setQueryTimeout(self.seconds)
            found, rows = statement.executeQuery(sql), []
            width = found.getMetaData().getColumnCount()
            while found.next():
                rows.append(tuple(found.getString(place) for place in range(1, width + 1)))
            statement.close()
        return rows

    def columns(self, sql: str) -> tuple[SourceColumn, ...]:
        """The columns of a query, which is not run."""
        with self._explained():
            statement = self._connection.prepareStatement(sql)
            described = statement.getMetaData()
            places = range(1, described.getColumnCount() + 1)
            columns = tuple(
                SourceColumn(
                    name=described.getColumnLabel(place),
                    code=described.getColumnType(place),
                    kind=described.getColumnTypeName(place),
                    precision=described.getPrecision(place),
                    scale=described.getScale(place),
                    nullable=described.isNullable(place) != 0,
                )
                for place in places
            )
            statement.close()
        return columns

    def quoted(self, name: str) -> str:
        with self._explained():
            sign = self._connection.getMetaData().getIdentifierQuoteString().strip()
        return f"{sign}{name.replace(sign, sign * 2)}{sign}" if sign else name

    def failure(self, error: Exception) -> Exception | None:
        """Our error for one of Spark's that this database caused; None if it did not."""
        return failure_of(error, self.place, self.database.lost_snapshot) or self._lost()

    def _lost(self) -> Exception | None:
        """Our error if this connection has ended meanwhile; None if it is alive, or was closed here."""
        if self._connection is None:
            return None
        with suppress(*spark_errors()):
            if self._connection.isValid(_VALID_SECONDS):
                return None
        return lost_connection(self.place)

    def close(self) -> None:
        """Ends the transaction; a connection that is lost already has ended it."""
        if self._connection is not None:
            with suppress(*spark_errors()):
                self._connection.rollback()
            with suppress(*spark_errors()):
                self._connection.close()
            self._connection = None

    def _opened(self) -> Any:
        jvm = self._spark._jvm
        assert jvm is not None  # noqa: S101
        loader = self._spark._jsparkSession.sharedState().jarClassLoader()
        properties = jvm.java.util.Properties()
        for name, value in self.properties().items():
            properties.setProperty(name, value)
        driver = (
            loader.loadClass(self.driver_class)
            .getDeclaredConstructor(_none(self._spark, "Class"))
            .newInstance(_none(self._spark, "Object"))
        )
        connection = driver.connect(self._source.url, properties)
        connection.setAutoCommit(False)
        connection.setReadOnly(True)
        if not self.database.shares_snapshot:
            connection.setTransactionIsolation(_REPEATABLE_READ)
        return connection

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except spark_errors() as error:
            self.close()
            ours = failure_of(error, self.place)
            raise (ours or error) from None


def _none(spark: SparkSession, kind: str) -> Any:
    """An empty array, for a method with no arguments that Java calls by reflection."""
    gateway = spark.sparkContext._gateway
    assert gateway is not None  # noqa: S101
    return gateway.new_array(getattr(gateway.jvm.java.lang, kind), 0)
