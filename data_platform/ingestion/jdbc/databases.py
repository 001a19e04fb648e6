"""The registry of databases: one that is known better than by its driver is one case here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.ingestion.jdbc.database import Database
from data_platform.ingestion.jdbc.postgresql import PostgreSql

if TYPE_CHECKING:
    from data_platform.model.jdbc_source import JdbcSource


def database_of(source: JdbcSource) -> Database:
    return PostgreSql() if source.url.startswith("jdbc:postgresql:") else Database()
