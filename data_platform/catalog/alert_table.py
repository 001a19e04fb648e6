"""Tables of alerts and of maintenance windows; ``catalog.alert`` reads and writes them.

``notification`` is an outbox: a row is added in the transaction that changes its incident. ``alert_delivery`` has a row
for each channel of it, once a process has routed it.
"""

from __future__ import annotations

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from data_platform.catalog.column import ROW_ID, JsonText, UtcTime, name_of
from data_platform.catalog.table import METADATA

NOTIFICATION = Table(
    "notification",
    METADATA,
    Column("number", ROW_ID, primary_key=True),
    Column("incident", ROW_ID, nullable=False),
    Column("owner", name_of(300), nullable=False),
    Column("audience", name_of(20), nullable=False),
    Column("state", name_of(20), nullable=False),
    Column("round", Integer, nullable=False),
    Column("dataset_urn", name_of(300), nullable=False),
    Column("tier", name_of(20), nullable=False),
    Column("severity", name_of(20), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("facts", JsonText, nullable=False),
    Column("routed_at", UtcTime),
    UniqueConstraint("incident", "owner", "state", "round", name="notification_once"),
    CheckConstraint("state IN ('OPEN', 'WORSE', 'ACKNOWLEDGED', 'RESOLVED', 'MERGED')", name="notification_state"),
    Index("notification_by_routed", "routed_at"),
    sqlite_autoincrement=True,
)

MAINTENANCE_WINDOW = Table(
    "maintenance_window",
    METADATA,
    Column("number", ROW_ID, primary_key=True),
    Column("subject", name_of(300), nullable=False),
    Column("starts_at", UtcTime, nullable=False),
    Column("ends_at", UtcTime, nullable=False),
    Column("reason", Text, nullable=False),
    Column("author", name_of(200), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("ended_at", UtcTime),
    Column("ended_by", name_of(200)),
    CheckConstraint("starts_at < ends_at", name="maintenance_order"),
    Index("maintenance_by_end", "ends_at"),
    sqlite_autoincrement=True,
)

ALERT_DELIVERY = Table(
    "alert_delivery",
    METADATA,
    Column("number", ROW_ID, primary_key=True),
    Column("notification", ROW_ID, ForeignKey("notification.number", name="delivery_of_notification"), nullable=False),
    Column("channel", name_of(200), nullable=False),
    Column("status", name_of(20), nullable=False),
    Column("held_by", name_of(20)),
    Column("maintenance", ROW_ID, ForeignKey("maintenance_window.number", name="window_of_delivery")),
    Column("not_before", UtcTime),
    Column("attempts", Integer, nullable=False),
    Column("is_repeat", Boolean, nullable=False),
    Column("message", name_of(60)),
    Column("shape", name_of(20)),
    Column("claimed_by", name_of(300)),
    Column("claimed_until", UtcTime),
    Column("begun_at", UtcTime),
    Column("finished_at", UtcTime),
    Column("error", Text),
    Column("thread", Text),
    UniqueConstraint("notification", "channel", name="delivery_once"),
    CheckConstraint(
        "status IN ('WAITING', 'SENDING', 'SENT', 'FAILED', 'UNKNOWN', 'SILENCED')", name="delivery_status"
    ),
    CheckConstraint("(status = 'SENDING') = (claimed_by IS NOT NULL)", name="delivery_claimed"),
    Index("delivery_by_status", "status", "number"),
    Index("delivery_by_message", "message"),
    Index("delivery_by_begin", "channel", "begun_at"),
    Index("delivery_by_maintenance", "maintenance"),
    sqlite_autoincrement=True,
)
