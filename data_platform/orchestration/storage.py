"""Where Dagster keeps runs, events and cursors: in the same place as the catalog, however Dagster is started.

``dagster.yaml`` names this class, which reads the settings: with a catalog in SQLite Dagster's files are below
DAGSTER_HOME, with a catalog in PostgreSQL Dagster's tables are beside the catalog's. So the command line,
``dagster dev`` and ``data-platform up`` always use the same storage.
"""

from typing import Any

from dagster._core.storage.base_storage import DagsterStorage
from dagster._serdes import ConfigurableClass, ConfigurableClassData

from data_platform.orchestration.sqlite_storage import OpenSqliteStorage
from data_platform.settings import Settings, exclusive, read_settings


class PlatformStorage(DagsterStorage, ConfigurableClass):
    """Has no instances of its own: ``from_config_value`` returns one of Dagster's storages."""

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
    """Dagster's storage of this installation; one process at a time creates or migrates its tables."""
    # two processes that migrate a new SQLite storage at once leave it with two heads, which no process can open
    with exclusive(settings.dagster_home):
        url = postgres_url(settings.catalog_url)
        if url is None:
            return OpenSqliteStorage.from_local(str(settings.dagster_home), inst_data)
        from dagster_postgres.storage import DagsterPostgresStorage

        return DagsterPostgresStorage(postgres_url=url, should_autocreate_tables=True, inst_data=inst_data)


def prepare_storage(settings: Settings) -> None:
    """Creates Dagster's tables, or migrates them."""
    storage = storage_of(settings)
    storage.run_storage.dispose()
    storage.event_log_storage.dispose()
    storage.schedule_storage.dispose()


def postgres_url(catalog_url: str) -> str | None:
    """The URL for Dagster's driver, since SQLAlchemy 2.1 reads postgresql:// differently; None if not PostgreSQL."""
    scheme, separator, rest = catalog_url.partition("://")
    is_postgres = bool(separator) and scheme in ("postgresql", "postgres", "postgresql+psycopg2")
    return f"postgresql+psycopg2://{rest}" if is_postgres else None
