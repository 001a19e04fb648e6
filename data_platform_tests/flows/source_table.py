"""A schema of its own on the server of the tests, and an estate with a dataset that reads one of its tables."""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import psycopg2

from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import StageReport, new_run_id
from data_platform.stage import driver
from data_platform_tests.flows.estate import Estate

URL = os.environ.get("DATA_PLATFORM_TEST_POSTGRES_URL", "")
WHY = "needs a server: DATA_PLATFORM_TEST_POSTGRES_URL=postgresql://user:password@host/database"
TRADES = "ds://core/trades"
PARTITION = {"key": "day", "start": date(2025, 1, 1), "of_delivery": True}
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
"""Without digits, of which some look like personal values, and are redacted."""
PASSWORD = f"hunter{uuid4().hex}"
"""The password of the reader, to be found nowhere."""


@dataclass
class SourceSchema:
    """``reader`` is a user who may read the tables made by ``execute``."""

    name: str
    reader: str
    statements: list[str] = field(default_factory=list)

    @property
    def jdbc_url(self) -> str:
        server = urlsplit(URL)
        return f"jdbc:postgresql://{server.hostname}:{server.port}{server.path}"

    def execute(self, *statements: str) -> None:
        with psycopg2.connect(URL) as connection, connection.cursor() as cursor:
            cursor.execute(f'SET search_path = "{self.name}"')
            for statement in statements:
                cursor.execute(statement)
            cursor.execute(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{self.name}" TO "{self.reader}"')
        connection.close()

    def source(self, table: str | None = "trades", **more: Any) -> dict[str, Any]:
        named = {"table": f'"{self.name}".{table}'} if table else {}
        login = {"user": self.reader, "password": {"env": "CORE_PASSWORD"}}
        return {"format": "jdbc", "url": self.jdbc_url, **login, "producer": "core", **named, **more}


@contextmanager
def source_schema() -> Iterator[SourceSchema]:
    name = f"core_{uuid4().hex[:12].translate(_LETTERS)}"
    schema = SourceSchema(name, f"reader_{name}")
    with psycopg2.connect(URL) as connection, connection.cursor() as cursor:
        cursor.execute(f'CREATE SCHEMA "{name}"')
        cursor.execute(f"CREATE ROLE \"{schema.reader}\" LOGIN PASSWORD '{PASSWORD}'")
        cursor.execute(f'GRANT USAGE ON SCHEMA "{name}" TO "{schema.reader}"')
    connection.close()
    try:
        yield schema
    finally:
        with psycopg2.connect(URL) as connection, connection.cursor() as cursor:
            cursor.execute(f'DROP SCHEMA "{name}" CASCADE')
            cursor.execute(f'DROP OWNED BY "{schema.reader}"')
            cursor.execute(f'DROP ROLE "{schema.reader}"')
        connection.close()


def constraints(**types: str) -> dict[str, Any]:
    return {"schema": {"constraints": [{"field": name, "type": kind} for name, kind in types.items()]}}


def declare_trades(estate: Estate, source: dict[str, Any], types: dict[str, str], **policy: Any) -> None:
    estate.declare(TRADES, constraints(**types), source=source, **{"partition": PARTITION, **policy})


def bronze(estate: Estate, day: PartitionKey | None = None, platform: Platform | None = None) -> StageReport:
    """The report of bronze alone, of a run of its own."""
    estate.now += timedelta(minutes=1)
    with closing(platform or estate.platform()) as opened:
        dataset = opened.policies.dataset("core/trades")
        return driver.run_stage(opened, dataset, Stage.BRONZE, day, new_run_id(estate.now))
