"""A table has OpenLineage's name, and nothing that is shown of a URL is a secret."""

import pytest

from data_platform.ingestion.jdbc.place import place_of


@pytest.mark.parametrize(
    ("url", "namespace", "database"),
    [
        ("jdbc:postgresql://db.example:6432/core?sslmode=require", "postgres://db.example:6432", "core"),
        ("jdbc:postgresql://db.example/core", "postgres://db.example:5432", "core"),
        ("jdbc:oracle:thin:@//ora.example:1522/BANK", "oracle://ora.example:1522", "BANK"),
        ("jdbc:oracle:thin:@ora.example:1521:BANK", "oracle://ora.example:1521", "BANK"),
        ("jdbc:db2://db2.example:50001/LEDGER:currentSchema=X;", "db2://db2.example:50001", "LEDGER"),
        ("jdbc:postgresql://[::1]:5432/core", "postgres://[::1]:5432", "core"),
    ],
)
def test_the_namespace_is_the_one_of_openlineage(url: str, namespace: str, database: str) -> None:
    place = place_of(url)

    assert (place.namespace, place.database) == (namespace, database)


@pytest.mark.parametrize(
    ("table", "name"),
    [("trades", "core.public.trades"), ("ledger.trades", "core.ledger.trades")],
)
def test_a_table_is_named_with_its_database_and_schema(table: str, name: str) -> None:
    assert place_of("jdbc:postgresql://db.example/core").name_of(table, "public") == name
