"""Tables of signals, incidents and their history; ``catalog.incident`` reads and writes them.

A signal that ended stays: ``ended`` is 0 while it is true and its own number afterwards, so that the unique key allows
one active row a finding. ``incident_event`` is append-only, and its last number is the revision of all incidents.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
)

from data_platform.catalog.column import ROW_ID, JsonText, PartitionText, UtcTime, name_of
from data_platform.catalog.table import METADATA

INCIDENT = Table(
    "incident",
    METADATA,
    Column("number", ROW_ID, primary_key=True),
    Column("dataset_urn", name_of(300), nullable=False),
    Column("partition", PartitionText),
    Column("signature", Text, nullable=False),
    Column("severity", name_of(20), nullable=False),
    Column("state", name_of(20), nullable=False),
    Column("title", Text, nullable=False),
    Column("owner_team", name_of(300), nullable=False),
    Column("tier", name_of(20), nullable=False),
    Column("occurred_at", UtcTime, nullable=False),
    Column("opened_at", UtcTime, nullable=False),
    Column("acknowledged_at", UtcTime),
    Column("acknowledged_by", name_of(200)),
    Column("resolved_at", UtcTime),
    Column("resolved_by", name_of(200)),
    Column("resolution", name_of(20)),
    Column("comment", Text),
    Column("merged_into", BigInteger),
    Column("blast_radius", JsonText, nullable=False),
    CheckConstraint("state IN ('OPEN', 'ACKNOWLEDGED', 'RESOLVED', 'MERGED')", name="incident_state"),
    CheckConstraint("(state = 'RESOLVED') = (resolution IS NOT NULL)", name="incident_resolved"),
    CheckConstraint("(state = 'MERGED') = (merged_into IS NOT NULL)", name="incident_merged"),
    Index("incident_by_state", "state", "number"),
    Index("incident_by_dataset", "dataset_urn", "number"),
    Index("incident_by_opened", "opened_at"),
    sqlite_autoincrement=True,
)

SIGNAL = Table(
    "signal",
    METADATA,
    Column("number", ROW_ID, primary_key=True),
    Column("digest", name_of(64), nullable=False),
    Column("ended", BigInteger, nullable=False),
    Column("kind", name_of(20), nullable=False),
    Column("dataset_urn", name_of(300), nullable=False),
    Column("partition", PartitionText),
    Column("signature", Text, nullable=False),
    Column("severity", name_of(20), nullable=False),
    Column("occurred_at", UtcTime, nullable=False),
    Column("reason", Text, nullable=False),
    Column("run_id", name_of(200)),
    Column("gate", name_of(30)),
    Column("upstream", JsonText, nullable=False),
    Column("details", JsonText, nullable=False),
    Column("first_seen_at", UtcTime, nullable=False),
    Column("last_seen_at", UtcTime, nullable=False),
    Column("cleared_at", UtcTime),
    Column("incident", ROW_ID, ForeignKey("incident.number", name="incident_of_signal")),
    UniqueConstraint("digest", "ended", name="signal_once"),
    CheckConstraint("(ended = 0) = (cleared_at IS NULL)", name="signal_ended"),
    Index("signal_by_ended", "ended"),
    Index("signal_by_incident", "incident"),
    Index("signal_by_dataset", "dataset_urn", "number"),
    sqlite_autoincrement=True,
)

INCIDENT_EVENT = Table(
    "incident_event",
    METADATA,
    Column("number", ROW_ID, primary_key=True),
    Column("incident", ROW_ID, ForeignKey("incident.number", name="incident_of_event"), nullable=False),
    Column("what", name_of(20), nullable=False),
    Column("actor", name_of(200), nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    Column("text", Text, nullable=False),
    Index("incident_event_by_incident", "incident", "number"),
    sqlite_autoincrement=True,
)

WATCHER = Table(
    "watcher",
    METADATA,
    Column("name", name_of(100), primary_key=True),
    Column("looked_at", UtcTime, nullable=False),
    Column("every_seconds", Integer, nullable=False),
    Column("error", Text, nullable=False),
)
"""When each process that watches has last looked, and how often it does; ``error`` is empty after a good look."""
