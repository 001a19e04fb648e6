"""Writes rows of a table to a Parquet file, and syncs it to disk."""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING, Any

from sqlalchemy import BigInteger, Boolean, Integer

from data_platform.catalog.column import JsonText, UtcTime

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    import pyarrow as pa  # type: ignore[import-untyped]
    from sqlalchemy import Table

GROUP_ROWS = 1_000
"""Rows in memory at a time; an event may have 16 KB or more."""


def schema_of(table: Table) -> pa.Schema:
    import pyarrow as pa

    return pa.schema([pa.field(column.name, _type(column.type)) for column in table.columns])


def write_rows(path: Path, table: Table, rows: Iterable[Mapping[str, Any]]) -> tuple[int, str]:
    """Writes and syncs the file; returns the number of rows and the file's SHA-256."""
    import pyarrow as pa
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    schema, count = schema_of(table), 0
    texts = [column.name for column in table.columns if isinstance(column.type, JsonText)]
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        group: list[dict[str, Any]] = []
        for row in rows:
            group.append({**row, **{name: json.dumps(row[name], default=str) for name in texts}})
            if len(group) == GROUP_ROWS:
                writer.write_table(pa.Table.from_pylist(group, schema))
                count, group = count + len(group), []
        if group:
            writer.write_table(pa.Table.from_pylist(group, schema))
    _sync(path)
    return count + len(group), _checksum(path)


def sync_folder(folder: Path) -> None:
    """Syncs the folder, since a rename is durable only after that."""
    _sync(folder)


def _sync(path: Path) -> None:
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _type(kind: Any) -> pa.DataType:
    import pyarrow as pa

    if isinstance(kind, UtcTime):
        return pa.timestamp("us", "UTC")
    if isinstance(kind, BigInteger | Integer):
        return pa.int64()
    return pa.bool_() if isinstance(kind, Boolean) else pa.string()
