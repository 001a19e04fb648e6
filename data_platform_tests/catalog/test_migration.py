"""The first process migrates a catalog to the code's schema, once and completely; a newer schema is rejected."""

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import CheckConstraint, inspect, text

from data_platform.catalog import Catalog, open_catalog
from data_platform.catalog.database import Database, open_database
from data_platform.catalog.metadata import METADATA
from data_platform.catalog.migration import REVISION_TABLE, SCRIPTS
from data_platform.errors import EnvironmentProblem
from data_platform_tests.catalog.concurrency import run_concurrently
from data_platform_tests.catalog.evidence_keys import KEYS
from data_platform_tests.catalog.example import evidence, report


def migrate_to(database: Database, revision: str) -> None:
    scripts = ScriptDirectory(str(SCRIPTS))

    def steps(current: Any, context: Any) -> Any:  # noqa: ARG001
        return scripts._upgrade_revs(revision, current)

    with database.writing() as connection, EnvironmentContext(Config(), scripts, fn=steps) as environment:
        environment.configure(connection=connection, version_table=REVISION_TABLE)
        environment.run_migrations()


DATABASE_OWN = {
    "table": r"(process_run|run_event)_(rest|y\d{4}m\d\d)|search_index(_\w+)?",
    "column": r"words",
    "index": r"search_document_words",
}
"""Months, and each database's own full text: no table of the code has them."""


def _is_of_the_code(name: str | None, kind: str, parents: Any) -> bool:  # noqa: ARG001 - Alembic calls it so
    return kind not in DATABASE_OWN or re.fullmatch(DATABASE_OWN[kind], name or "") is None


def tables(database: Database) -> set[str]:
    return set(inspect(database.engine).get_table_names())


@pytest.mark.usefixtures("catalog")
def test_the_migrations_make_exactly_the_tables_of_the_code(catalog_url: str) -> None:
    database = open_database(catalog_url)

    with database.reading() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": REVISION_TABLE, "include_name": _is_of_the_code}
        )
        assert compare_metadata(context, METADATA) == []
    database.close()


@pytest.mark.usefixtures("catalog")
def test_the_migrations_make_exactly_the_checks_of_the_code(catalog_url: str) -> None:
    """Alembic does not compare them."""
    database = open_database(catalog_url)
    meant = {t.name: {c.name for c in t.constraints if isinstance(c, CheckConstraint)} for t in METADATA.sorted_tables}

    found = {name: {c["name"] for c in inspect(database.engine).get_check_constraints(name)} for name in meant}
    database.close()
    assert found == meant


def test_opening_again_keeps_what_is_there(catalog: Catalog, catalog_url: str) -> None:
    catalog.runs.record(report(), [evidence()])

    with open_catalog(catalog_url) as again:
        assert again.evidence.find() == (evidence(),)


def test_a_catalog_that_is_behind_is_brought_up_with_its_rows(missing_catalog_url: str) -> None:
    database = open_database(missing_catalog_url)
    migrate_to(database, "0001")
    with database.writing() as connection:
        connection.exec_driver_sql("INSERT INTO table_schema VALUES ('old', '2026-02-15 00:00:00.000000')")

    with open_catalog(missing_catalog_url) as catalog:
        assert catalog.runs.schema("old") is not None
    with database.reading() as connection:
        found = MigrationContext.configure(connection, opts={"version_table": REVISION_TABLE}).get_current_revision()
    assert found == ScriptDirectory(str(SCRIPTS)).get_current_head()
    database.close()


def test_datasets_of_an_older_catalog_keep_their_place(missing_catalog_url: str) -> None:
    database = open_database(missing_catalog_url)
    migrate_to(database, "0002")
    said = ("ds://ops/flights", "flights", "ops", "gold", "Flights, by day", "f1", "2026-02-15", "2026-02-16")
    with database.writing() as connection:
        quoted = ", ".join(f"'{word}'" for word in said)
        connection.exec_driver_sql(f"INSERT INTO dataset VALUES ({quoted})")  # noqa: S608 - the words are above
    database.close()

    with open_catalog(missing_catalog_url) as catalog:
        (found,) = catalog.registry.datasets()
    assert (found.urn, found.table, found.owner_team, found.tier) == ("ds://ops/flights", "flights", "ops", "gold")
    assert (found.description, found.policy_fingerprint) == ("Flights, by day", "f1")
    assert found.updated_at - found.created_at == timedelta(days=1)


def test_links_and_scans_of_an_older_catalog_are_found_in_what_it_has(missing_catalog_url: str) -> None:
    database = open_database(missing_catalog_url)
    migrate_to(database, "0008")
    facet = {"identifiers": [{"namespace": "hive://m", "name": "shop.orders"}]}
    scan = {"processes": [{"key": "AUTOSYS/LOAD"}], "coverage": {"files": ["a.jil"]}}
    said = {"at": "2026-02-15 00:00:00.000000", "facet": json.dumps(facet), "scan": json.dumps(scan)}
    with database.writing() as connection:
        for statement in (
            "INSERT INTO dataset (namespace, name, full_name, description, tags, status, created_by, created_at, "
            "updated_at) VALUES ('s3://lake', 'orders', 's3://lake/orders', '', '[]', 'DRAFT', 'x', :at, :at)",
            "INSERT INTO node_facet VALUES ('DATASET', 1, 'symlinks', :at, 'd', :facet)",
            "INSERT INTO dataset_version (dataset_id, version_tag, historical, metadata_json) "
            "VALUES (1, 'v1', false, '{}')",
            "INSERT INTO process (process_key, namespace, name, description, trigger_mode, created_at, updated_at) "
            "VALUES ('AUTOSYS/LOAD', 'AUTOSYS', 'LOAD', '', 'PROCESS', :at, :at)",
            "INSERT INTO legacy_scan VALUES ('AUTOSYS', :scan, 'digest', 0, 'ann', :at)",
        ):
            connection.execute(text(statement), said)
    database.close()

    with open_catalog(missing_catalog_url) as catalog:
        page = catalog.lineage.dataset_page("s3://lake/orders")
        seen = catalog.lineage.process("AUTOSYS/LOAD").seen
    assert [(other.dataset, other.kind) for other in page.other_names] == [("hive://m/shop.orders", "symlink")]
    assert [(one.first_scan, one.last_scan) for one in seen] == [(1, 1)]


def test_a_catalog_that_is_ahead_is_refused(catalog: Catalog, catalog_url: str) -> None:
    database = open_database(catalog_url)
    with database.writing() as connection:
        connection.exec_driver_sql("UPDATE catalog_revision SET version_num = '9999'")
    database.close()

    with pytest.raises(
        EnvironmentProblem, match=r"is revision 9999, and the newest of this code is \d+: .* install that version"
    ):
        open_catalog(catalog_url)
    assert catalog.runs.recent() == ()  # the one that was open is not disturbed


def test_a_migration_that_fails_leaves_nothing(missing_catalog_url: str) -> None:
    database = open_database(missing_catalog_url)
    with database.writing() as connection:
        connection.exec_driver_sql("CREATE TABLE quarantine (id INTEGER)")  # somebody else's, of the same name

    with pytest.raises(EnvironmentProblem, match="cannot be used"):
        open_catalog(missing_catalog_url)
    assert tables(database) == {"quarantine"}
    database.close()


def _open(url: str) -> str:
    with open_catalog(url) as catalog:
        return str(len(catalog.runs.recent()))


def test_processes_may_open_a_new_catalog_at_once(missing_catalog_url: str) -> None:
    assert run_concurrently(_open, [(missing_catalog_url,)] * 3) == ["0", "0", "0"]

    with open_catalog(missing_catalog_url, KEYS) as catalog:
        catalog.runs.record(report(), [evidence()])
        assert len(catalog.evidence.find()) == 1
