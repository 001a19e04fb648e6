"""Reading a table of PostgreSQL as a delivery, beside Spark's own JDBC reader with the same ranges of the same table.

Both write the rows to a Delta table. Ours also counts them in the snapshot, reads numbers and times as text, and
computes the checksum. ``read`` leaves the write out. The ratio is ours over plain, the median of pairs that take turns;
needs DATA_PLATFORM_TEST_POSTGRES_URL. Prints JSON.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from statistics import median
from urllib.parse import urlsplit

import psycopg2
from pyspark.sql import DataFrame, SparkSession

from data_platform.gates.expression.content_digest import sums
from data_platform.ingestion.columns import bronze_schema
from data_platform.ingestion.jdbc.postgresql import PostgreSql
from data_platform.ingestion.jdbc.table_delivery import find_table
from data_platform.lake.driver_jar import add_package
from data_platform.lake.session import SparkOptions, open_session
from data_platform.lake.table import schema_of
from data_platform.model.jdbc_source import JdbcSource
from data_platform.model.schema import Schema

TABLE = "dp_bench_trades"
PARTS = 2


def make_table(url: str, rows: int) -> None:
    with psycopg2.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE IF EXISTS {TABLE}")
        cursor.execute(
            f"CREATE TABLE {TABLE} AS SELECT g AS id, (g * 1.37)::numeric(18,2) AS amount, 'C' || g % 1000 AS customer,"  # noqa: S608
            " timestamptz '2025-01-01' + g * interval '1 second' AS at, date '2025-01-01' + g % 365 AS day,"
            f" md5(g::text) AS reference, g % 7 = 0 AS cancelled, g * 0.5::float8 AS rate"
            f" FROM generate_series(1, {rows}) g"
        )
        cursor.execute(f"ALTER TABLE {TABLE} ADD PRIMARY KEY (id)")
        cursor.execute(f"ANALYZE {TABLE}")
    connection.close()


def noop(rows: DataFrame) -> None:
    rows.write.format("noop").mode("overwrite").save()


def seconds(work: Callable[[], None]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def measure(spark: SparkSession, url: str, rows: int, runs: int, folder: Path) -> dict[str, object]:
    server = urlsplit(url)
    jdbc_url = f"jdbc:postgresql://{server.hostname}:{server.port}{server.path}"
    login = {"user": server.username or "", "password": server.password or ""}
    named = {"url": jdbc_url, "user": login["user"], "table": TABLE, "split": {"column": "id", "parts": PARTS}}
    source = JdbcSource.model_validate({"format": "jdbc", **named})

    def plain(write: Callable[[DataFrame], None]) -> None:
        write(
            spark.read.jdbc(
                jdbc_url, TABLE, column="id", lowerBound=1, upperBound=rows + 1, numPartitions=PARTS,
                properties={**login, "driver": PostgreSql.driver_class, "fetchsize": str(source.fetch_size)},
            )
        )  # fmt: skip

    def ours(write: Callable[[DataFrame], None]) -> None:
        with closing(find_table(spark, source, Schema(()), "bench")) as delivery:
            columns = bronze_schema(delivery, Schema(()))
            read = delivery.read(spark, columns)
            write(read)

    def to_delta(name: str) -> Callable[[DataFrame], None]:
        return lambda read: read.write.format("delta").mode("overwrite").save(str(folder / name))

    def with_checksum(read: DataFrame) -> None:
        from pyspark.sql import Observation

        names = [one for one in schema_of(read).columns if not one.name.startswith("_")]
        measures = [one.alias(str(name)) for name, one in sums(names).items()]
        to_delta("ours")(read.observe(Observation("checksum"), *measures))

    works = {
        "read": (lambda: plain(noop), lambda: ours(noop)),
        "write": (lambda: plain(to_delta("plain")), lambda: ours(with_checksum)),
    }
    compared = {name: compare(*pair, runs) for name, pair in works.items()}
    return {"rows": rows, "parts": PARTS, "runs": runs, **compared}


def compare(one: Callable[[], None], other: Callable[[], None], runs: int) -> dict[str, float]:
    seconds(one)
    seconds(other)
    pairs = [(seconds(one), seconds(other)) for _ in range(runs)]
    return {
        "plain_seconds": round(median(pair[0] for pair in pairs), 2),
        "our_seconds": round(median(pair[1] for pair in pairs), 2),
        "ratio": round(median(pair[1] / pair[0] for pair in pairs), 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    url = os.environ["DATA_PLATFORM_TEST_POSTGRES_URL"]
    make_table(url, arguments.rows)
    spark = open_session(SparkOptions(master="local[2]"))
    add_package(spark, PostgreSql.driver_package)
    with tempfile.TemporaryDirectory() as folder:
        print(json.dumps(measure(spark, url, arguments.rows, arguments.runs, Path(folder)), indent=2))
    spark.stop()
    with psycopg2.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(f"DROP TABLE {TABLE}")


if __name__ == "__main__":
    main()
