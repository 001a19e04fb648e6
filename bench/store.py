"""Where a bench keeps its catalog: a schema of its own on the server that is named, or a SQLite file."""

import os
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import create_engine, make_url

SERVER = os.environ.get("DATA_PLATFORM_TEST_POSTGRES_URL")


@contextmanager
def own_schema(server: str) -> Iterator[str]:
    """The URL of a catalog that is not there yet, and is dropped in the end."""
    parsed, name = make_url(server), f"bench_{uuid.uuid4().hex}"
    admin = create_engine(parsed.set(drivername="postgresql+psycopg2"))
    with admin.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {name}")
    url = parsed.set(drivername="postgresql").update_query_dict({"options": f"-csearch_path={name}"})
    try:
        yield url.render_as_string(hide_password=False)
    finally:
        with admin.begin() as connection:
            connection.exec_driver_sql(f"DROP SCHEMA {name} CASCADE")
        admin.dispose()


@contextmanager
def sqlite() -> Iterator[str]:
    with tempfile.TemporaryDirectory() as folder:
        yield f"sqlite:///{folder}/catalog.db"


@contextmanager
def own_catalog() -> Iterator[str]:
    """On PostgreSQL, if a server is named."""
    with own_schema(SERVER) if SERVER else sqlite() as url:
        yield url
