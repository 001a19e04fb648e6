"""Where Dagster keeps runs, events and cursors: with the catalog, whatever starts Dagster.

``dagster.yaml`` names this class, and it asks the settings: with a catalog in SQLite Dagster's files lie below
DAGSTER_HOME, with a catalog in PostgreSQL Dagster's tables lie beside the catalog's. So the command line,
``dagster dev`` and ``data-platform up`` can never look into different places.
"""

from typing import Any

from dagster._core.storage.base_storage import DagsterStorage
from dagster._core.storage.sqlite_storage import DagsterSqliteStorage
from dagster._serdes import ConfigurableClass, ConfigurableClassData

from data_platform.settings import Settings, exclusive, read_settings


class PlatformStorage(DagsterStorage, ConfigurableClass):
    """Never made itself: it answers with one of Dagster's own storages."""

    @classmethod
    def config_type(cls) -> dict[str, Any]:
        return {}

    @classmethod
    def from_config_value(  # type: ignore[override]
        cls,
        inst_data: ConfigurableClassData | None,
        config_value: dict[str, Any],  # noqa: ARG003 - Dagster's signature
    ) -> DagsterStorage:
        return storage_of(read_settings(), inst_data)


def storage_of(settings: Settings, inst_data: ConfigurableClassData | None = None) -> DagsterStorage:
    """Dagster's storage of this installation, its tables made or brought up to date by one process at a time."""
    # two processes that migrate a new SQLite storage at once leave it with two heads, which no later one can open
    with exclusive(settings.dagster_home):
        url = postgres_url(settings.catalog_url)
        if url is None:
            return DagsterSqliteStorage.from_local(str(settings.dagster_home), inst_data)
        from dagster_postgres.storage import DagsterPostgresStorage

        return DagsterPostgresStorage(postgres_url=url, should_autocreate_tables=True, inst_data=inst_data)


def prepare_storage(settings: Settings) -> None:
    """Make Dagster's tables, or bring them up to date."""
    storage = storage_of(settings)
    storage.run_storage.dispose()
    storage.event_log_storage.dispose()
    storage.schedule_storage.dispose()


def postgres_url(catalog_url: str) -> str | None:
    """For Dagster's driver, since SQLAlchemy 2.1 reads plain postgresql:// as another; None if it is not PostgreSQL."""
    scheme, found, rest = catalog_url.partition("://")
    is_postgres = bool(found) and scheme in ("postgresql", "postgres", "postgresql+psycopg2")
    return f"postgresql+psycopg2://{rest}" if is_postgres else None
