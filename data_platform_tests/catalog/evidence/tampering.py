"""Changes evidence as somebody with the database's password would: the triggers are dropped first."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.engine import Connection

from data_platform.catalog.database import open_database
from data_platform_tests.catalog.example import ORDERS

ITEMS, USERS = "ds://curated/items", "ds://curated/users"
URNS = (ORDERS, ITEMS, USERS)
TABLES = ("evidence", "evidence_checkpoint")


@contextmanager
def intruder(url: str) -> Iterator[Connection]:
    database = open_database(url)
    with database.writing() as connection:
        is_sqlite = connection.dialect.name == "sqlite"
        for table in TABLES:
            for name in ("update", "delete", "replace") if is_sqlite else ("change", "truncate"):
                place = "" if is_sqlite else f" ON {table}"
                connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {table}_no_{name}{place}")
        connection.exec_driver_sql("DROP INDEX IF EXISTS evidence_by_position")
        connection.exec_driver_sql("DROP INDEX IF EXISTS evidence_by_evidence_id")
        yield connection
    database.close()


def tamper(url: str, *statements: str) -> None:
    with intruder(url) as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)
