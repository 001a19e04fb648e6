"""Can a source that is a table be read as its policy says? What only the database knows is found out by a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.jdbc_source import JdbcSource
from data_platform.model.table_source import Rows, TableSource
from data_platform.sql.source_query import source_query_problem, source_table_problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.policies.entry import DatasetEntry
    from data_platform.policies.problem import Problem

_POSTGRESQL = "jdbc:postgresql:"


def table_problems(entry: DatasetEntry, *, check_rules: bool) -> Iterator[Problem]:
    """``check_rules`` parses the SQL too."""
    source = entry.policy.source if entry.policy else None
    if not isinstance(source, TableSource) or entry.policy is None:
        return
    partition = entry.policy.partition
    if source.rows is Rows.CHANGES and partition and not partition.of_delivery:
        text = (
            "source.rows: changes reads what changed, of any day; add of_delivery: true, so that the key is the day of "
            "the delivery and no row is quarantined as one of another day"
        )
        yield entry.document.problem(("partition", "key"), text)
    if isinstance(source, JdbcSource):
        yield from _of_database(entry, source, check_rules=check_rules)


def _of_database(entry: DatasetEntry, source: JdbcSource, *, check_rules: bool) -> Iterator[Problem]:
    is_postgresql = source.url.startswith(_POSTGRESQL)
    if not is_postgresql and not source.driver.class_:
        text = "only PostgreSQL's driver is known; name the Java class, such as oracle.jdbc.OracleDriver"
        yield entry.document.problem(("source", "driver"), text)
    if not check_rules:
        return
    dialect = "postgres" if is_postgresql else ""
    if source.query and (text := source_query_problem(source.query, dialect)):
        yield entry.document.problem(("source", "query"), text)
    if source.table and (text := source_table_problem(source.table, dialect)):
        yield entry.document.problem(("source", "table"), f"{source.table!r} {text}")
