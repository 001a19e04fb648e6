"""The shortest source that reads a table, with what a test is about."""

from typing import Any

from data_platform.model.jdbc_source import JdbcSource


def source_of(**more: Any) -> JdbcSource:
    return JdbcSource.model_validate(
        {"format": "jdbc", "url": "jdbc:postgresql://db.example:5432/core", "table": "trades", **more}
    )
