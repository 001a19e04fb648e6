"""A query of a source is one SELECT that only reads."""

import pytest

from data_platform.sql.source_query import source_query_problem, source_table_problem, tables_of


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM trades",
        "SELECT a.id, upper(b.name) FROM core.a JOIN b USING (id) WHERE a.at > now() - interval '1 day'",
        "WITH latest AS (SELECT * FROM a) SELECT * FROM latest UNION ALL SELECT * FROM b",
        "SELECT id::text, row_number() OVER (PARTITION BY id) FROM a;",
        "SELECT 'DROP TABLE a' AS text",
    ],
)
def test_a_select_is_allowed(text: str) -> None:
    assert source_query_problem(text, "postgres") == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("DELETE FROM trades", "expected one SELECT"),
        ("SELECT 1; DROP TABLE trades", "expected one SELECT"),
        ("WITH gone AS (DELETE FROM trades RETURNING *) SELECT * FROM gone", "DELETE"),
        ("SELECT * INTO other FROM trades", "INTO"),
        ("SELECT * FROM trades FOR UPDATE", "locks rows"),
        ("SELECT pg_terminate_backend(pid) FROM pg_stat_activity", "pg_terminate_backend"),
        ("SELECT nextval('numbers')", "nextval"),
        ("SELECT dblink('host=other', 'DELETE FROM a')", "dblink"),
        ("SELECT FROM WHERE (", "cannot be parsed"),
        ("", "expected one SELECT"),
        ("CALL something()", "expected one SELECT"),
    ],
)
def test_what_does_more_than_read_is_refused(text: str, reason: str) -> None:
    assert reason in source_query_problem(text, "postgres")


@pytest.mark.parametrize("name", ["trades", "core.trades", '"Core"."Order Lines"', "bank.core.trades"])
def test_a_name_of_a_table_is_allowed(name: str) -> None:
    assert source_table_problem(name, "postgres") == ""


@pytest.mark.parametrize("name", ["a, b", "a WHERE 1 = 1", "a; DROP TABLE a", "(SELECT 1) x", "a b", "a JOIN b", ""])
def test_anything_but_a_name_is_refused(name: str) -> None:
    assert source_table_problem(name, "postgres") != ""


def test_the_tables_of_a_query_are_those_that_it_does_not_define_itself() -> None:
    text = 'WITH x AS (SELECT * FROM core.trades) SELECT * FROM x JOIN "Parties" p ON p.id = x.id, core.trades'

    assert tables_of(text, "postgres") == ("Parties", "core.trades")
    assert tables_of("not sql (", "postgres") == ()
