"""Each test has a new catalog: a SQLite file, and a PostgreSQL schema too if a server is named."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import create_engine, make_url

from data_platform.catalog import Catalog, open_catalog
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.catalog.template import copied_database, copy_template

POSTGRES_URL = os.environ.get("DATA_PLATFORM_TEST_POSTGRES_URL")


STORES = ["sqlite", *(["postgresql"] if POSTGRES_URL else [])]


@contextmanager
def new_url(store: str, folder: Path) -> Iterator[str]:
    """The URL of a catalog that does not exist yet."""
    if store == "sqlite":
        yield f"sqlite:///{folder / 'catalog.db'}"
        return
    server, schema = make_url(POSTGRES_URL or ""), f"test_{uuid.uuid4().hex}"
    admin = create_engine(server.set(drivername="postgresql+psycopg2"))
    with admin.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
    url = server.set(drivername="postgresql").update_query_dict({"options": f"-csearch_path={schema}"})
    yield url.render_as_string(hide_password=False)
    with admin.begin() as connection:
        connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
    admin.dispose()


@pytest.fixture(params=STORES)
def missing_catalog_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    with new_url(request.param, tmp_path) as url:
        yield url


@pytest.fixture(params=STORES)
def catalog_url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The URL of a new and empty catalog."""
    if request.param == "postgresql":
        with copied_database(POSTGRES_URL or "") as url:
            yield url
        return
    copy_template(tmp_path / "catalog.db")
    yield f"sqlite:///{tmp_path / 'catalog.db'}"


@pytest.fixture
def catalog(catalog_url: str) -> Iterator[Catalog]:
    with open_catalog(catalog_url, KEYS) as opened:
        yield opened
