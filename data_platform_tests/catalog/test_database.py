"""A catalog's database is opened by its URL, writes one at a time, and its errors are ours."""

from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert

from data_platform.catalog import Catalog, open_catalog
from data_platform.catalog.database import Database, open_database
from data_platform.catalog.table import SCHEMA_COLUMN
from data_platform.errors import EnvironmentProblem, SourceUnavailableError, UsageError
from data_platform_tests.catalog.concurrency import run_concurrently
from data_platform_tests.catalog.conftest import STORES, new_url
from data_platform_tests.catalog.example import NOW, intent


def test_a_folder_that_is_not_there_is_made(tmp_path: Path) -> None:
    with open_catalog(f"sqlite:///{tmp_path}/a/b/catalog.db") as catalog:
        assert catalog.runs.recent() == ()
    assert (tmp_path / "a" / "b" / "catalog.db").is_file()


def test_a_sqlite_file_keeps_a_log_and_its_foreign_keys(tmp_path: Path) -> None:
    database = open_database(f"sqlite:///{tmp_path}/catalog.db")

    with database.reading() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
        assert connection.exec_driver_sql("PRAGMA busy_timeout").scalar() == 30_000
    database.close()


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg2"])
def test_postgresql_is_always_spoken_to_by_psycopg2(scheme: str) -> None:
    database = open_database(f"{scheme}://someone:secret@localhost/catalog")

    assert database.engine.url.drivername == "postgresql+psycopg2"
    database.close()


@pytest.mark.parametrize("url", ["", "catalog.db", "mysql://u:secret@h/c", "sqlite://", "sqlite:///:memory:"])
def test_another_url_is_rejected_without_its_password(url: str) -> None:
    with pytest.raises(UsageError, match=r"expected sqlite:////folder/catalog\.db or postgresql://") as caught:
        open_catalog(url)
    assert "secret" not in str(caught.value)


def test_a_file_that_is_no_database_is_not_touched(tmp_path: Path) -> None:
    file = tmp_path / "catalog.db"
    file.write_text("these are somebody's notes, and not a database at all" * 20)
    before = file.read_bytes()

    with pytest.raises(EnvironmentProblem, match=r"catalog\.db cannot be used: file is not a database"):
        open_catalog(f"sqlite:///{file}")
    assert file.read_bytes() == before


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(EnvironmentProblem, match=r"file/folder/catalog\.db cannot be made: Not a directory"):
        open_catalog(f"sqlite:///{tmp_path}/file/folder/catalog.db")


def test_a_path_that_is_a_folder_is_an_environment_problem(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="cannot be used: unable to open database file"):
        open_catalog(f"sqlite:///{tmp_path}")


def test_a_server_that_does_not_answer_may_answer_later() -> None:
    with pytest.raises(SourceUnavailableError, match="did not answer") as caught:
        open_catalog("postgresql://someone:secret@127.0.0.1:1/catalog")
    assert caught.value.retryable
    assert "secret" not in str(caught.value)


def test_a_child_without_its_parent_is_refused(catalog: Catalog, catalog_url: str) -> None:
    database = open_database(catalog_url)
    orphan = {"fingerprint": "none", "position": 0, "name": "a", "type": "int", "nullable": True}

    with (
        pytest.raises(UsageError, match=r"the catalog refused a row.*nothing was written"),
        database.writing() as connection,
    ):
        connection.execute(insert(SCHEMA_COLUMN).values(**orphan))
    database.close()
    assert catalog.runs.schema("none") is None


def _fail_halfway(database: Database) -> None:
    with database.writing() as connection:
        connection.exec_driver_sql("INSERT INTO table_schema VALUES ('half', '2026-02-15 00:00:00.000000')")
        connection.exec_driver_sql("INSERT INTO nowhere VALUES (1)")


def test_what_a_failed_transaction_did_is_not_kept(catalog: Catalog, catalog_url: str) -> None:
    database = open_database(catalog_url)

    with pytest.raises(EnvironmentProblem, match="cannot be used"):
        _fail_halfway(database)
    database.close()
    assert catalog.runs.schema("half") is None


def test_a_reader_does_not_wait_for_a_writer(catalog: Catalog, catalog_url: str) -> None:
    database = open_database(catalog_url)

    with database.writing() as connection:
        connection.exec_driver_sql("INSERT INTO table_schema VALUES ('new', '2026-02-15 00:00:00.000000')")
        assert catalog.runs.schema("new") is None
    assert catalog.runs.schema("new") is not None
    database.close()


def _write_much(url: str, run_id: str) -> str:
    with open_catalog(url) as catalog:
        for number in range(20):
            catalog.runs.open_intent(intent(run_id, before=number))
            catalog.leases.take(f"ds://curated/{run_id}", owner=run_id, now=NOW, ttl=timedelta(hours=1))
    return run_id


@pytest.mark.parametrize("store", STORES)
def test_a_writer_of_another_catalog_does_not_wait(store: str, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    with (
        new_url(store, tmp_path) as one,
        new_url(store, tmp_path / "other") as another,
        open_catalog(one) as first,
        open_catalog(another) as second,
        first._database.writing(),
    ):
        second.runs.open_intent(intent())

        assert len(second.runs.open_intents()) == 1


def test_processes_that_write_at_once_wait_for_each_other(catalog: Catalog, catalog_url: str) -> None:
    run_concurrently(_write_much, [(catalog_url, f"run_{i}") for i in range(3)])

    assert len(catalog.runs.open_intents()) == 60
