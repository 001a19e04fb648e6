"""The tables can be made on PostgreSQL too, also where there is no server to try it on."""

import pytest
from sqlalchemy import Table
from sqlalchemy.dialects import postgresql
from sqlalchemy.schema import CreateIndex, CreateTable

from data_platform.catalog.metadata import METADATA


@pytest.mark.parametrize("table", METADATA.sorted_tables, ids=lambda table: table.name)
def test_a_table_can_be_written_in_postgresql(table: Table) -> None:
    text = str(CreateTable(table).compile(dialect=postgresql.dialect()))

    assert text.strip().startswith(f"CREATE TABLE {table.name} (")
    assert "DATETIME" not in text
    for index in table.indexes:
        assert str(CreateIndex(index).compile(dialect=postgresql.dialect())).startswith(
            ("CREATE INDEX", "CREATE UNIQUE INDEX")
        )


@pytest.mark.parametrize("table", METADATA.sorted_tables, ids=lambda table: table.name)
def test_every_time_has_a_zone(table: Table) -> None:
    times = [column for column in table.columns if column.name == "timestamp" or column.name.endswith("_at")]

    for column in times:
        kind = column.type.dialect_impl(postgresql.dialect()).compile(dialect=postgresql.dialect())
        assert kind == "TIMESTAMP WITH TIME ZONE"
    timeless = {
        "dataset_link",
        "evidence_head",
        "legacy_sighting",
        "schema_column",
        "verdict",
        "rule_result",
        "graph_revision",
        "run_rollup",
        "audit",
        "publication_member",
        "publish_slice",
    }
    assert times or table.name in timeless or table.name.startswith("search_")
