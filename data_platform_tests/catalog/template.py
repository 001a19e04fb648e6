"""New catalogs by copying: each process migrates one catalog of each store, since that takes most of a short test."""

import atexit
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from sqlalchemy import Engine, create_engine, make_url

from data_platform.catalog import Catalog, open_catalog
from data_platform.model.evidence_key import EvidenceKeys


def new_catalog(file: Path, evidence_keys: EvidenceKeys | None = None) -> Catalog:
    """Opens a new SQLite catalog at ``file``."""
    copy_template(file)
    return open_catalog(f"sqlite:///{file}", evidence_keys)


def copy_template(file: Path) -> None:
    """Writes a migrated SQLite catalog to ``file`` if nothing is there."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(_sqlite_template(), file)


def copy_filled(folder: Path, fill: Callable[[Catalog], None]) -> None:
    """Writes a catalog with what ``fill`` records, and its key, below ``folder``; each process calls ``fill`` once.

    ``fill`` must record the same whenever it is called, since many tests get what its first call has recorded.
    """
    shutil.copytree(_filled(fill), folder, dirs_exist_ok=True)


@contextmanager
def filled_catalog(folder: Path, fill: Callable[[Catalog], None]) -> Iterator[Catalog]:
    """Opens a catalog below ``folder`` with what ``fill`` records (``copy_filled``)."""
    copy_filled(folder, fill)
    with open_catalog(f"sqlite:///{folder / 'catalog.db'}", EvidenceKeys(folder / "evidence.key")) as opened:
        yield opened


@contextmanager
def copied_database(server: str) -> Iterator[str]:
    """The URL of a new database with a migrated catalog on the PostgreSQL ``server``; dropped at the end."""
    name, admin = f"test_{uuid.uuid4().hex}", _admin(server)
    template = _postgres_template(server)
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} TEMPLATE {template}")
    yield make_url(server).set(database=name).render_as_string(hide_password=False)
    with admin.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")


@cache
def _sqlite_template() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="catalog-template-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    open_catalog(f"sqlite:///{folder / 'catalog.db'}").close()
    return folder / "catalog.db"


@cache
def _filled(fill: Callable[[Catalog], None]) -> Path:
    folder = Path(tempfile.mkdtemp(prefix="catalog-filled-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    with new_catalog(folder / "catalog.db", EvidenceKeys(folder / "evidence.key")) as catalog:
        fill(catalog)
    return folder


@cache
def _admin(server: str) -> Engine:
    url = make_url(server).set(drivername="postgresql+psycopg2")
    return create_engine(url, isolation_level="AUTOCOMMIT")  # a database is not created in a transaction


@cache
def _postgres_template(server: str) -> str:
    name, admin = f"template_{uuid.uuid4().hex}", _admin(server)
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    atexit.register(_drop, admin, name)
    open_catalog(make_url(server).set(database=name).render_as_string(hide_password=False)).close()
    return name


def _drop(admin: Engine, name: str) -> None:
    with admin.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    admin.dispose()
