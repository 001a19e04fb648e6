"""The table of intervals that datasets have read of their sources; ``catalog.source_interval`` reads and writes it."""

from __future__ import annotations

from sqlalchemy import Column, Table

from data_platform.catalog.column import PartitionText, UtcTime, name_of
from data_platform.catalog.table import METADATA

SOURCE_INTERVAL = Table(
    "source_interval",
    METADATA,
    Column("dataset_urn", name_of(300), primary_key=True),
    Column("partition", PartitionText, primary_key=True),
    Column("watermark", name_of(200), nullable=False),
    Column("low", name_of(100)),
    Column("high", name_of(100)),
    Column("run_id", name_of(100), nullable=False),
    Column("opened_at", UtcTime, nullable=False),
)
