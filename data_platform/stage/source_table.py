"""The tables that a dataset reads as its source, by their names in OpenLineage."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from data_platform.ingestion.jdbc.databases import database_of
from data_platform.ingestion.jdbc.place import place_of
from data_platform.model.delta_source import DeltaSource
from data_platform.model.jdbc_source import JdbcSource
from data_platform.sql.source_query import tables_of
from data_platform.stage.delivered import delta_path

if TYPE_CHECKING:
    from data_platform.installation import Platform
    from data_platform.policies import Dataset


def source_tables(platform: Platform, dataset: Dataset) -> list[tuple[str, str]]:
    """The tables that the dataset reads as its source, by OpenLineage's names; empty for files."""
    source = dataset.policy.source
    if isinstance(source, DeltaSource):
        return [delta_name(delta_path(platform, source))]
    if not isinstance(source, JdbcSource):
        return []
    database, place = database_of(source), place_of(source.url)
    named = f"SELECT * FROM {source.table}" if source.table else str(source.query)  # noqa: S608 - it is parsed only
    tables = tables_of(named, database.dialect) or (source.table or "query",)
    return [(place.namespace, place.name_of(table, database.default_schema)) for table in tables]


def delta_name(path: str) -> tuple[str, str]:
    """``file``, ``/data/trades`` for a local table, and ``s3a://bucket``, ``trades`` for a remote one."""
    parts = urlsplit(path)
    return (f"{parts.scheme}://{parts.netloc}", parts.path.strip("/")) if parts.netloc else ("file", parts.path)
