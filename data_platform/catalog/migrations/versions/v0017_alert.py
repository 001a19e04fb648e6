"""Alerts: the outbox of changes of incidents, deliveries to channels, and maintenance windows."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    _notifications()
    _windows()
    _deliveries()


def _notifications() -> None:
    op.create_table(
        "notification",
        sa.Column("number", ROW_ID, nullable=False),
        sa.Column("incident", ROW_ID, nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("audience", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("routed_at", TIME, nullable=True),
        sa.CheckConstraint(
            "state IN ('OPEN', 'WORSE', 'ACKNOWLEDGED', 'RESOLVED', 'MERGED')", name="notification_state"
        ),
        sa.UniqueConstraint("incident", "owner", "state", "round", name="notification_once"),
        sa.PrimaryKeyConstraint("number"),
        sqlite_autoincrement=True,
    )
    op.create_index("notification_by_routed", "notification", ["routed_at"])


def _windows() -> None:
    op.create_table(
        "maintenance_window",
        sa.Column("number", ROW_ID, nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("starts_at", TIME, nullable=False),
        sa.Column("ends_at", TIME, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("ended_at", TIME, nullable=True),
        sa.Column("ended_by", sa.Text(), nullable=True),
        sa.CheckConstraint("starts_at < ends_at", name="maintenance_order"),
        sa.PrimaryKeyConstraint("number"),
        sqlite_autoincrement=True,
    )
    op.create_index("maintenance_by_end", "maintenance_window", ["ends_at"])


def _deliveries() -> None:
    op.create_table(
        "alert_delivery",
        sa.Column("number", ROW_ID, nullable=False),
        sa.Column("notification", ROW_ID, nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("held_by", sa.Text(), nullable=True),
        sa.Column("maintenance", ROW_ID, nullable=True),
        sa.Column("not_before", TIME, nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("is_repeat", sa.Boolean(), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("shape", sa.Text(), nullable=True),
        sa.Column("claimed_by", sa.Text(), nullable=True),
        sa.Column("claimed_until", TIME, nullable=True),
        sa.Column("begun_at", TIME, nullable=True),
        sa.Column("finished_at", TIME, nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("thread", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "status IN ('WAITING', 'SENDING', 'SENT', 'FAILED', 'UNKNOWN', 'SILENCED')", name="delivery_status"
        ),
        sa.CheckConstraint("(status = 'SENDING') = (claimed_by IS NOT NULL)", name="delivery_claimed"),
        sa.ForeignKeyConstraint(["notification"], ["notification.number"], name="delivery_of_notification"),
        sa.ForeignKeyConstraint(["maintenance"], ["maintenance_window.number"], name="window_of_delivery"),
        sa.UniqueConstraint("notification", "channel", name="delivery_once"),
        sa.PrimaryKeyConstraint("number"),
        sqlite_autoincrement=True,
    )
    op.create_index("delivery_by_status", "alert_delivery", ["status", "number"])
    op.create_index("delivery_by_message", "alert_delivery", ["message"])
    op.create_index("delivery_by_begin", "alert_delivery", ["channel", "begun_at"])
    op.create_index("delivery_by_maintenance", "alert_delivery", ["maintenance"])
