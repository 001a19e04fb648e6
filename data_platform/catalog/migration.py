"""Upgrades a database to the schema of this code, and refuses a database with a newer schema.

A migration is a module in ``migrations/versions``. Alembic runs it without ``env.py`` or command line, and only from
``open_catalog``. There are no downgrades; the next migration fixes a wrong one. Afterwards derived data is rebuilt:
the links between datasets, and the search index.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from data_platform.catalog.lineage.link import rebuild_links
from data_platform.catalog.search import rebuild
from data_platform.errors import EnvironmentProblem

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

    from data_platform.catalog.database import Database

SCRIPTS = Path(__file__).parent / "migrations"

# Not Alembic's default name: on PostgreSQL Dagster may have its tables, and its revision, in the same schema.
REVISION_TABLE = "catalog_revision"


def migrate(database: Database) -> None:
    """Runs the missing migrations in the single write transaction: a second process then finds none.

    Raises:
        EnvironmentProblem: Newer code has upgraded the database.
    """
    scripts = _scripts()
    newest = scripts.get_current_head()
    with database.reading() as connection:
        if _revision(connection) == newest:
            return
    with database.migrating() as connection:
        revision = _revision(connection)
        if revision is not None and revision not in {script.revision for script in scripts.walk_revisions()}:
            raise EnvironmentProblem(
                f"the catalog's schema is revision {revision}, and the newest of this code is {newest}: newer code has "
                "opened it; install that version or a later one, or name another catalog"
            )
        if revision != newest:
            _upgrade(connection, scripts)
            rebuild_links(connection)
            rebuild(connection)


def is_current(database: Database) -> bool:
    """Whether the database answers and has the schema of this code."""
    with database.reading() as connection:
        return _revision(connection) == _scripts().get_current_head()


@cache
def _scripts() -> ScriptDirectory:
    """The migrations of this code, whose modules Alembic executes once: a process may open many catalogs."""
    return ScriptDirectory(str(SCRIPTS))


def _revision(connection: Connection) -> str | None:
    return MigrationContext.configure(connection, opts={"version_table": REVISION_TABLE}).get_current_revision()


def _upgrade(connection: Connection, scripts: ScriptDirectory) -> None:
    def steps(revision: Any, context: Any) -> Any:  # noqa: ARG001 - Alembic calls it so
        return scripts._upgrade_revs("head", revision)

    with EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection, version_table=REVISION_TABLE)
        environment.run_migrations()
