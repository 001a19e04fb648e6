"""The files of one batch: planned with unique names, written under temporary names, and then renamed."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog.lineage_table import PROCESS_RUN, RUN_DATASET, RUN_EVENT
from data_platform.catalog.retention.parquet import sync_folder, write_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from datetime import date, datetime
    from pathlib import Path

    from sqlalchemy import Table
    from sqlalchemy.engine import Connection

    from data_platform.catalog.retention.batch import Batch

TABLES = (PROCESS_RUN, RUN_EVENT, RUN_DATASET)
LONGEST_PATH = 1_000
"""The most bytes of a path, as in the column of ``archive_file``."""
_ROWS_READ = 200


@dataclass(frozen=True, kw_only=True)
class ArchiveFile:
    """The file of one batch and table. ``path`` is its final name, ``temporary`` the name while it is written."""

    table: Table
    path: Path
    rows: int = 0
    checksum: str = ""

    @property
    def temporary(self) -> Path:
        return self.path.with_name(f".{self.path.name}.tmp")

    def row(self, day: date, *, now: datetime) -> dict[str, Any]:
        """The row of ``archive_file``."""
        columns = {"path": str(self.path), "kind": self.table.name, "row_count": self.rows, "checksum": self.checksum}
        return {**columns, "day": day, "archived_at": now}


def plan_files(folder: Path, day: date) -> list[ArchiveFile]:
    name = f"{day.isoformat()}-{uuid.uuid4().hex[:12]}.parquet"
    return [ArchiveFile(table=table, path=folder / table.name / name) for table in TABLES]


def write_file(connection: Connection, batch: Batch, file: ArchiveFile) -> ArchiveFile:
    """Writes the file under its temporary name, and syncs it to disk."""
    file.path.parent.mkdir(exist_ok=True)
    options = {"stream_results": True, "yield_per": _ROWS_READ}

    def rows() -> Iterator[Mapping[str, Any]]:
        for condition in batch.conditions(file.table):
            query = select(file.table).where(condition)
            for row in connection.execute(query, execution_options=options).mappings():
                yield dict(row)

    count, checksum = write_rows(file.temporary, file.table, rows())
    return replace(file, rows=count, checksum=checksum)


def rename_files(files: Sequence[ArchiveFile]) -> list[ArchiveFile]:
    """Renames files that have rows and returns them; empty ones are deleted."""
    renamed = [file for file in files if file.rows]
    for file in files:
        if file.rows:
            file.temporary.replace(file.path)
        else:
            file.temporary.unlink()
    for folder in {file.path.parent for file in renamed}:
        sync_folder(folder)
    return renamed
