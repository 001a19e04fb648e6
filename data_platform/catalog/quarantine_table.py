"""Tables about quarantined rows: the quarantine tables in the lake, decisions of people, the log of actions."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Table, Text, UniqueConstraint

from data_platform.catalog.column import ROW_ID, JsonText, PartitionText, UtcTime, name_of
from data_platform.catalog.table import METADATA

QUARANTINE = Table(
    "quarantine",
    METADATA,
    Column("id", ROW_ID, primary_key=True),
    Column("name", name_of(500), nullable=False),
    Column("run", ROW_ID, ForeignKey("run.id", name="quarantine_of_run"), nullable=False),
    Column("path", Text, nullable=False),
    Column("dataset_urn", name_of(300), nullable=False),
    Column("stage", name_of(20), nullable=False),
    Column("partition", PartitionText),
    Column("run_id", name_of(200), nullable=False),
    Column("level", name_of(10), nullable=False),
    Column("row_count", BigInteger, nullable=False),
    Column("resolved_rows", BigInteger, nullable=False),
    Column("signatures", JsonText, nullable=False),
    Column("delivery_id", name_of(500), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("status", name_of(30), nullable=False),
    Column("closed_by", name_of(200)),
    Column("closed_at", UtcTime),
    Column("closed_reason", Text),
    Column("assignee", name_of(200)),
    Column("discarded_rows", BigInteger, nullable=False, server_default="0"),
    Column("released_rows", BigInteger, nullable=False, server_default="0"),
    UniqueConstraint("name", name="quarantine_name"),
    CheckConstraint("level IN ('row', 'batch')", name="quarantine_level"),
    CheckConstraint("resolved_rows BETWEEN 0 AND row_count", name="quarantine_resolved"),
    CheckConstraint(
        "discarded_rows >= 0 AND released_rows >= 0 AND resolved_rows + discarded_rows + released_rows <= row_count",
        name="quarantine_counts",
    ),
    Index("quarantine_by_slice", "dataset_urn", "stage", "partition", "status"),
    sqlite_autoincrement=True,
)

QUARANTINE_DECISION = Table(
    "quarantine_decision",
    METADATA,
    Column("id", ROW_ID, primary_key=True),
    Column("entry", ROW_ID, ForeignKey("quarantine.id", name="decision_of_entry"), nullable=False),
    Column("kind", name_of(20), nullable=False),
    Column("status", name_of(20), nullable=False),
    Column("signatures", JsonText, nullable=False),
    Column("reason", Text, nullable=False),
    Column("requested_by", name_of(200), nullable=False),
    Column("requested_at", UtcTime, nullable=False),
    Column("decided_by", name_of(200)),
    Column("decided_at", UtcTime),
    Column("applied_rows", BigInteger),
    Column("applied_by", name_of(200)),
    CheckConstraint("kind IN ('RELEASE', 'DISCARD')", name="decision_kind"),
    CheckConstraint("status IN ('REQUESTED', 'APPROVED', 'WITHDRAWN')", name="decision_status"),
    CheckConstraint(
        "kind <> 'RELEASE' OR status <> 'APPROVED' OR (decided_by IS NOT NULL AND decided_by <> requested_by)",
        name="decision_by_two",
    ),
    Index("decision_by_entry", "entry", "status"),
    sqlite_autoincrement=True,
)

QUARANTINE_ACTION = Table(
    "quarantine_action",
    METADATA,
    Column("id", ROW_ID, primary_key=True),
    Column("entry", ROW_ID, ForeignKey("quarantine.id", name="action_on_entry"), nullable=False),
    Column("acted_at", UtcTime, nullable=False),
    Column("actor", name_of(200), nullable=False),
    Column("role", name_of(30), nullable=False),
    Column("action", name_of(30), nullable=False),
    Column("reason", Text, nullable=False),
    Column("detail", JsonText, nullable=False),
    Index("action_by_entry", "entry", "id"),
    sqlite_autoincrement=True,
)
