"""Tables of legacy scans: the last one applied, with which the next is compared, and the log of all."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Index, Integer, Table, Text

from data_platform.catalog.column import ROW_ID, JsonText, UtcTime, name_of
from data_platform.catalog.table import METADATA

LEGACY_SCAN = Table(
    "legacy_scan",
    METADATA,
    Column("scheduler", name_of(50), primary_key=True),
    Column("document", Text, nullable=False),
    Column("digest", name_of(64), nullable=False),
    Column("key_changes", BigInteger, nullable=False),
    Column("applied_by", name_of(200), nullable=False),
    Column("applied_at", UtcTime, nullable=False),
)
"""``key_changes`` increases when processes get other keys: cached names are then stale."""

LEGACY_SCAN_LOG = Table(
    "legacy_scan_log",
    METADATA,
    Column("scan_number", ROW_ID, primary_key=True),
    Column("scheduler", name_of(50), nullable=False),
    Column("digest", name_of(64), nullable=False),
    Column("jobs", Integer, nullable=False),
    Column("files", JsonText, nullable=False),
    Column("applied_by", name_of(200), nullable=False),
    Column("applied_at", UtcTime, nullable=False),
    sqlite_autoincrement=True,
)
"""Each applied scan, including scans without changes."""

LEGACY_SIGHTING = Table(
    "legacy_sighting",
    METADATA,
    Column("process_id", ROW_ID, ForeignKey("process.process_id", name="process_of_sighting"), primary_key=True),
    Column("first_scan", ROW_ID, primary_key=True, autoincrement=False),
    Column("last_scan", ROW_ID, nullable=False),
    Index("sighting_by_last", "last_scan"),
)
"""A job was in every scan from ``first_scan`` to ``last_scan``; a job that came back after a gap has several rows."""
