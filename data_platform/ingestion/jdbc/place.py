"""Where a database is, from its URL: the name of its tables in lineage, and what may be shown of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from data_platform.model.personal import redacted
from data_platform.model.secret import redact

_PORTS = {"postgresql": 5432, "oracle": 1521, "db2": 50000, "sqlserver": 1433, "mysql": 3306}
_SCHEMES = {"postgresql": "postgres"}
"""The schemes of OpenLineage's naming that differ from those of JDBC."""
_URL = re.compile(
    r"jdbc:(?P<kind>\w+):(?:thin:)?@?(?:\w+:)?(?://)?(?P<host>\[[^\]]+\]|[\w.-]+)?(?::(?P<port>\d+))?"
    r"(?:[/:](?P<database>[\w.$-]+))?"
)


@dataclass(frozen=True)
class Place:
    """``namespace`` is OpenLineage's, such as ``postgres://host:5432``; ``database`` may be empty."""

    namespace: str
    database: str

    @property
    def shown(self) -> str:
        return f"{self.namespace}/{self.database}".rstrip("/")

    def name_of(self, table: str, default_schema: str) -> str:
        """``database.schema.table``, with the default schema if ``table`` names none."""
        whole = table if "." in table or not default_schema else f"{default_schema}.{table}"
        return f"{self.database}.{whole}" if self.database else whole


def place_of(url: str) -> Place:
    match = _URL.match(url)
    if match is None:
        return Place(redacted(redact(url.split("?")[0])), "")
    kind = match["kind"]
    host = match["host"] or "localhost"
    port = match["port"] or _PORTS.get(kind, "")
    database = match["database"] or ""
    return Place(f"{_SCHEMES.get(kind, kind)}://{host}{f':{port}' if port else ''}", database)
