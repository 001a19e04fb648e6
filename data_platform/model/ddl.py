"""Databases for which the DDL of the catalog's tables can be written."""

from __future__ import annotations

from enum import StrEnum


class DdlDialect(StrEnum):
    DB2 = "db2"
    POSTGRESQL = "postgresql"
    SQLITE = "sqlite"
