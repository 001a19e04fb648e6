"""The printed DDL makes the tables on the databases that can be tried, and is what DB2 takes."""

import logging
import re
import sys
from pathlib import Path

import pytest
from sqlalchemy import create_engine, inspect, make_url

from data_platform.catalog.ddl import statements
from data_platform.catalog.metadata import METADATA
from data_platform.errors import EnvironmentProblem
from data_platform.model.ddl import DdlDialect

KEY = re.compile(r"(?:PRIMARY KEY|UNIQUE) \(([^)]*)\)|CREATE (?:UNIQUE )?INDEX \S+ ON \S+ \(([^)]*)\)")
NAME = re.compile(r"(?:TABLE|INDEX|CONSTRAINT|ON|REFERENCES) (\w+)|^ +(\w+) [A-Z]", re.MULTILINE)


def bare(dialect: DdlDialect) -> list[str]:
    """Its statements without the quotes around names that are SQL keywords."""
    return [statement.replace('"', "") for statement in statements(dialect)]


@pytest.mark.parametrize("dialect", DdlDialect)
def test_every_table_and_index_is_there_once(dialect: DdlDialect) -> None:
    text = bare(dialect)

    made = [re.match(r"CREATE (TABLE|(?:UNIQUE )?INDEX) (\w+)", statement) for statement in text]
    names = [match[2] for match in made if match]
    tables = {table.name for table in METADATA.sorted_tables}
    indexes = {index.name for table in METADATA.sorted_tables for index in table.indexes}
    assert len(names) == len(set(names)) == len(text)
    assert set(names) - {"process_run_rest", "run_event_rest"} == tables | indexes


def test_db2_has_no_clob_in_a_key_or_an_index() -> None:
    large: dict[str, set[str]] = {}
    for statement in bare(DdlDialect.DB2):
        name = re.search(r"(?:TABLE|ON) (\w+)", statement)
        assert name is not None
        if statement.startswith("CREATE TABLE"):
            large[name[1]] = set(re.findall(r"^ +(\w+) CLOB", statement, re.MULTILINE))
        keys = [column for match in KEY.finditer(statement) for column in (match[1] or match[2]).split(", ")]
        assert keys, statement
        assert not large[name[1]] & set(keys)
    assert large["run_event"] == {"producer", "payload_json", "warnings"}


def test_db2_has_no_name_that_is_too_long_and_no_type_of_another_database() -> None:
    text = "\n".join(bare(DdlDialect.DB2))

    names = {name for found in NAME.findall(text) for name in found if name}
    assert {"process_run", "process_run_by_uuid", "edge_once", "payload_json"} <= names
    assert max(len(name) for name in names) <= 128
    assert not re.search(r"\b(TEXT|DATETIME|BYTEA|TSVECTOR|SERIAL|WITH TIME ZONE)\b", text)


def test_db2_is_written_without_its_driver_and_without_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert list(statements(DdlDialect.DB2))

    assert caplog.records == []
    assert "ibm_db" not in sys.modules


def test_a_missing_db2_dialect_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ibm_db_sa.ibm_db", None)

    with pytest.raises(EnvironmentProblem, match="pip install --no-deps ibm-db-sa"):
        list(statements(DdlDialect.DB2))


def test_postgresql_partitions_what_grows_and_writing_it_changes_no_table_of_the_code() -> None:
    text = {re.split(r"\W+", statement)[2]: statement for statement in statements(DdlDialect.POSTGRESQL)}

    assert text["process_run"].endswith("PARTITION BY RANGE (created_at)")
    assert text["run_event"].endswith("PARTITION BY RANGE (received_at)")
    assert "PRIMARY KEY (run_id, created_at)" in text["process_run"]
    assert "PRIMARY KEY (event_id, received_at)" in text["run_event"]
    assert [column.name for column in METADATA.tables["process_run"].primary_key.columns] == ["run_id"]
    assert sum("PARTITION BY" in statement for statement in text.values()) == 2


def test_the_database_takes_it(missing_catalog_url: str, tmp_path: Path) -> None:
    is_file = missing_catalog_url.startswith("sqlite")
    url = (
        f"sqlite:///{tmp_path / 'made.db'}"
        if is_file
        else make_url(missing_catalog_url).set(drivername="postgresql+psycopg2")
    )
    engine = create_engine(url)

    with engine.begin() as connection:
        for statement in statements(DdlDialect.SQLITE if is_file else DdlDialect.POSTGRESQL):
            connection.exec_driver_sql(statement)
        found = set(inspect(connection).get_table_names())
    engine.dispose()
    assert {table.name for table in METADATA.sorted_tables} <= found
