"""The ranges of a read that is split cover every row once, and columns are found as people write them."""

import sqlite3

import pytest

from data_platform.ingestion.jdbc.database import SourceColumn
from data_platform.ingestion.jdbc.statement import Interval, Statement, find_column, predicates
from data_platform.model.jdbc_source import JdbcSource, Split
from data_platform_tests.ingestion.jdbc.source import source_of


@pytest.mark.parametrize(
    ("low", "high", "parts"),
    [
        pytest.param(1, 100, 4, id="even"),
        pytest.param(-7, 5, 5, id="with negative numbers"),
        pytest.param(1, 3, 64, id="fewer values than parts"),
        pytest.param(10, 20, 3, id="bounds that are too narrow"),
    ],
)
def test_every_row_is_in_exactly_one_range(low: int, high: int, parts: int) -> None:
    values = [*range(-20, 120), None, 10**18]
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE dp_rows (dp_split INTEGER)")
    database.executemany("INSERT INTO dp_rows VALUES (?)", [(value,) for value in values])

    conditions = predicates(Split(column="id", parts=parts), low, high)

    found = [
        row
        for condition in conditions
        for (row,) in database.execute(f"SELECT * FROM dp_rows WHERE {condition}")  # noqa: S608
    ]
    database.close()
    assert len(conditions) == min(parts, high - low + 1)
    assert sorted(found, key=str) == sorted(values, key=str)


@pytest.mark.parametrize(("low", "high"), [(None, None), (5, 5)], ids=["no row", "one value"])
def test_what_cannot_be_split_is_read_at_once(low: int | None, high: int | None) -> None:
    assert predicates(Split(column="id", parts=4), low, high) == []


def test_a_query_may_end_with_a_comment_or_a_semicolon() -> None:
    source: JdbcSource = source_of(table=None, query="SELECT 1 AS id -- all of it\n;")

    statement = Statement(source=source, columns={"dp_c1": '"id"'}, interval=Interval(column='"id"', high="1"))

    assert statement.rows == (
        '(SELECT "id" AS dp_c1 FROM (\nSELECT 1 AS id -- all of it\n\n) dp_base WHERE "id" <= 1) dp_rows'
    )


@pytest.mark.parametrize(
    ("name", "found"),
    [("Id", "Id"), ("id", "id"), ("AMOUNT", "amount"), ("ID", None), ("missing", None)],
    ids=["exact", "exact in lower case", "in another case", "ambiguous", "not there"],
)
def test_a_column_is_found_by_its_name(name: str, found: str | None) -> None:
    columns = tuple(
        SourceColumn(name=one, code=4, kind="int4", precision=10, scale=0, nullable=True)
        for one in ("Id", "id", "amount")
    )

    column = find_column(columns, name)

    assert (column.name if column else None) == found
