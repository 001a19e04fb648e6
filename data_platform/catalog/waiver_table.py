"""The table of waivers; ``catalog.waiver`` reads and writes it."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Index, Table, Text

from data_platform.catalog.column import ROW_ID, PartitionText, UtcTime, name_of
from data_platform.catalog.table import METADATA

WAIVER = Table(
    "waiver",
    METADATA,
    Column("number", ROW_ID, primary_key=True),
    Column("dataset_urn", name_of(300), nullable=False),
    Column("gate", name_of(30), nullable=False),
    Column("signature", Text, nullable=False),
    Column("first", PartitionText),
    Column("last", PartitionText),
    Column("reason", Text, nullable=False),
    Column("author", name_of(200), nullable=False),
    Column("requested_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("status", name_of(20), nullable=False),
    Column("approver", name_of(200)),
    Column("approved_at", UtcTime),
    Column("revoked_by", name_of(200)),
    Column("revoked_at", UtcTime),
    Column("comment", Text),
    CheckConstraint("status IN ('PENDING', 'APPROVED', 'REVOKED')", name="waiver_status"),
    CheckConstraint("approver IS NULL OR approver <> author", name="waiver_four_eyes"),
    Index("waiver_by_dataset", "dataset_urn", "status"),
    sqlite_autoincrement=True,
)
