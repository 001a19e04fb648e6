"""Databases for which the catalog's tables can be written down."""

from __future__ import annotations

from enum import StrEnum


class DdlDialect(StrEnum):
    DB2 = "db2"
    POSTGRESQL = "postgresql"
    SQLITE = "sqlite"
