"""How SQLite reads the tables of a query. PostgreSQL scans a small table, whatever its indexes are."""

from collections.abc import Callable
from typing import Any

from sqlalchemy import event

from data_platform.catalog import Catalog


def plan_of_query(catalog: Catalog, ask: Callable[[], Any]) -> list[str]:
    """The steps of the longest statement that ``ask`` sends."""
    engine = catalog._database.engine
    sent: list[tuple[str, Any]] = []
    event.listen(engine, "before_cursor_execute", lambda *given: sent.append((given[2], given[3])))
    ask()
    text, values = max(sent, key=lambda one: len(one[0]))
    with engine.connect() as connection:
        return [str(row[3]) for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", values)]
