"""What a database refuses has one clear error, without the password and without a value; another driver works too."""

import socket
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import psycopg2
import pytest
from pyspark.sql import SparkSession

from data_platform.errors import DataPlatformError, EnvironmentProblem, PolicyError, SourceError, SourceUnavailableError
from data_platform.ingestion.jdbc import postgresql
from data_platform.ingestion.jdbc.table_delivery import TableDelivery, find_table
from data_platform.ingestion.jdbc.watermark import Moment, Newest
from data_platform.lake.driver_jar import add_package
from data_platform.model.jdbc_source import JdbcSource
from data_platform.model.schema import Column, Schema
from data_platform_tests.flows.estate import DAY
from data_platform_tests.flows.source_table import PASSWORD, URL, WHY, SourceSchema, source_schema

pytestmark = pytest.mark.skipif(not URL, reason=WHY)

COLUMNS = Schema.of([Column(name="id", type="int")])


@pytest.fixture(scope="module")
def core(spark: SparkSession) -> Iterator[SourceSchema]:
    add_package(spark, postgresql.PostgreSql.driver_package)
    with source_schema() as schema:
        schema.execute("CREATE TABLE trades AS SELECT g AS id FROM generate_series(1, 3) g")
        yield schema


@pytest.fixture(autouse=True)
def password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CORE_PASSWORD", PASSWORD)


def found(spark: SparkSession, source: dict[str, Any]) -> TableDelivery:
    return find_table(spark, JdbcSource.model_validate(source), COLUMNS, "run-1")


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"url": "jdbc:postgresql://127.0.0.1:{port}/x"}, SourceUnavailableError, "did not answer"),
        ({"url": "jdbc:postgresql://{server}/nothing"}, SourceError, "has no such database"),
        ({"user": "nobody_of_this_server"}, SourceError, "refused the user or its password"),
        ({"password": {"env": "NOT_SET"}}, EnvironmentProblem, "NOT_SET, which source.password names, is not set"),
        ({"table": '"{schema}".nothing'}, SourceError, "has no such table"),
        ({"table": '"nowhere".trades'}, SourceError, "has no such"),
        ({"table": "pg_authid"}, SourceError, "does not let this user read"),
        ({"split": {"column": "nothing", "parts": 2}}, SourceError, "has no column nothing, which source.split.column"),
        ({"table": None, "query": "SELECT nothing FROM pg_class"}, SourceError, "has no column of a name"),
        (
            {"table": None, "query": "SELECT 1 AS id WHERE 1/(SELECT 0) = 1"},
            SourceError,
            "cannot compute a value of source.query",
        ),
        ({"table": None, "query": "SELECT 1 AS a, 2 AS a"}, SourceError, "duplicate column a"),
        ({"table": None, "query": "SELECT 1 AS _file"}, SourceError, "reserved column _file"),
        ({"driver": {"class": "com.example.Nothing"}}, EnvironmentProblem, "is not on Spark's class path"),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_a_refusal_says_what_to_do(
    spark: SparkSession, core: SourceSchema, change: dict[str, Any], error: type[DataPlatformError], message: str
) -> None:
    server = core.jdbc_url.removeprefix("jdbc:postgresql://").rpartition("/")[0]
    known = {"{port}": str(free_port()), "{schema}": core.name, "{server}": server}

    def filled(value: Any) -> Any:
        for name, text in known.items() if isinstance(value, str) else ():
            value = value.replace(name, text)
        return value

    source = {**core.source(), **{name: filled(value) for name, value in change.items()}}

    with pytest.raises(error, match=message) as raised:
        found(spark, {name: value for name, value in source.items() if value is not None})

    assert PASSWORD not in str(raised.value)
    assert raised.value.__cause__ is None


def test_a_query_that_writes_is_refused_by_the_session_too(spark: SparkSession, core: SourceSchema) -> None:
    core.execute("CREATE SEQUENCE numbers", f'GRANT USAGE ON SEQUENCE numbers TO "{core.reader}"')
    query = f"SELECT nextval('\"{core.name}\".numbers') AS id"

    with pytest.raises(PolicyError, match=r"source\.query writes"):
        found(spark, core.source(None, query=query))


def test_a_locked_table_is_waited_for_and_no_longer(
    spark: SparkSession, core: SourceSchema, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgresql, "LOCK_SECONDS", 1)
    with closing(psycopg2.connect(URL)) as other, other.cursor() as cursor:
        cursor.execute(f'LOCK TABLE "{core.name}".trades')

        with pytest.raises(SourceUnavailableError, match="did not get a lock"):
            found(spark, core.source())


def test_a_table_of_another_database_is_read_by_its_driver(spark: SparkSession) -> None:
    name = f"ledger_{uuid4().hex[:8]}"
    url = f"jdbc:derby:memory:{name};create=true"
    driver = {"class": "org.apache.derby.iapi.jdbc.AutoloadedDriver"}
    rows = spark.createDataFrame([(1, "a  "), (2, None)], "id int, code string")
    rows.write.jdbc(url, "trades", properties={"driver": driver["class"]})
    source = {"format": "jdbc", "url": url, "table": "trades", "driver": driver, "split": {"column": "id", "parts": 2}}

    delivery = found(spark, source)
    read = delivery.read(spark, Schema.of([Column(name="id", type="bigint"), Column(name="code", type="string")]))

    with closing(delivery):
        assert delivery.record_count == 2
        assert [(row["id"], row["code"]) for row in read.orderBy("id").collect()] == [(1, "a  "), (2, None)]
        assert [(c.name.lower(), c.type) for c in delivery.part.schema.columns] == [("id", "int"), ("code", "string")]


class FirstInterval:
    """The interval of a dataset that has read nothing."""

    def choose(self, newest: Newest) -> tuple[str | None, str | None]:
        return None, newest(None)


@pytest.mark.parametrize(
    ("column", "rows", "condition"),
    [
        ("at", "changes", "<= '2025-01-06 10:00:00.123456+00'::timestamptz"),
        ("clock", "changes", "<= '2025-01-06 10:00:00'::timestamp"),
        ("number", "changes", "<= 7"),
        ("at", "day", ">= '2025-01-06 05:00:00+00'::timestamptz AND * < '2025-01-07 05:00:00+00'::timestamptz"),
        ("clock", "day", ">= '2025-01-06 00:00:00'::timestamp AND * < '2025-01-07 00:00:00'::timestamp"),
        ("day", "day", ">= '2025-01-06'::date AND * < '2025-01-07'::date"),
    ],
)
def test_the_interval_of_a_watermark_is_exact(
    spark: SparkSession, timed: SourceSchema, column: str, rows: str, condition: str
) -> None:
    source = timed.source("timed", rows=rows, watermark=column)

    with closing(within_a_day(spark, source)) as delivery:
        quoted = f'"{column}"'
        expected = f"{quoted} {condition.replace('*', quoted)}"
        assert (delivery.facts["source"]["interval"], delivery.record_count) == (expected, 1)


@pytest.mark.parametrize(
    ("column", "rows", "message"),
    [
        ("endless", "changes", "has a value that is no finite time"),
        ("day", "changes", "is a date, and rows: changes would lose"),
        ("number", "day", "is a number; rows: day needs a date or a time"),
        ("name", "changes", "is a text; expected a date, a time or a whole number"),
        ("nothing", "changes", "has no column nothing, which source.watermark names"),
    ],
)
def test_what_cannot_be_a_watermark_is_refused(
    spark: SparkSession, timed: SourceSchema, column: str, rows: str, message: str
) -> None:
    with pytest.raises(SourceError, match=message):
        within_a_day(spark, timed.source("timed", rows=rows, watermark=column))


@pytest.fixture(scope="module")
def timed(core: SourceSchema) -> SourceSchema:
    core.execute(
        "CREATE TABLE timed (at timestamptz, clock timestamp, day date, number bigint, name text, endless timestamp)",
        "INSERT INTO timed VALUES"
        " ('2025-01-06 10:00:00.123456+00', '2025-01-06 10:00', '2025-01-06', 7, 'x', 'infinity')",
    )
    return core


def within_a_day(spark: SparkSession, source: dict[str, Any]) -> TableDelivery:
    moment = Moment(partition=DAY, zone="America/New_York", now=datetime(2025, 1, 7, 3, tzinfo=UTC))
    return find_table(spark, JdbcSource.model_validate(source), COLUMNS, "run-1", moment, FirstInterval())
