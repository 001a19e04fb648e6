"""Signals, incidents and their append-only history; runs are found by how they ended, job runs by their state."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from data_platform.catalog.migrations.append_only import refuse_changes

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    _incidents()
    _signals()
    _events()
    op.create_table(
        "watcher",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("looked_at", TIME, nullable=False),
        sa.Column("every_seconds", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_index("run_by_outcome", "run", ["outcome", "finished_at"])


def _incidents() -> None:
    op.create_table(
        "incident",
        sa.Column("number", ROW_ID, nullable=False),
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("partition", sa.Text(), nullable=True),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("owner_team", sa.Text(), nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.Column("occurred_at", TIME, nullable=False),
        sa.Column("opened_at", TIME, nullable=False),
        sa.Column("acknowledged_at", TIME, nullable=True),
        sa.Column("acknowledged_by", sa.Text(), nullable=True),
        sa.Column("resolved_at", TIME, nullable=True),
        sa.Column("resolved_by", sa.Text(), nullable=True),
        sa.Column("resolution", sa.Text(), nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("merged_into", sa.BigInteger(), nullable=True),
        sa.Column("blast_radius", sa.Text(), nullable=False),
        sa.CheckConstraint("state IN ('OPEN', 'ACKNOWLEDGED', 'RESOLVED', 'MERGED')", name="incident_state"),
        sa.CheckConstraint("(state = 'RESOLVED') = (resolution IS NOT NULL)", name="incident_resolved"),
        sa.CheckConstraint("(state = 'MERGED') = (merged_into IS NOT NULL)", name="incident_merged"),
        sa.PrimaryKeyConstraint("number"),
        sqlite_autoincrement=True,
    )
    op.create_index("incident_by_state", "incident", ["state", "number"])
    op.create_index("incident_by_dataset", "incident", ["dataset_urn", "number"])
    op.create_index("incident_by_opened", "incident", ["opened_at"])


def _signals() -> None:
    op.create_table(
        "signal",
        sa.Column("number", ROW_ID, nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("ended", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("partition", sa.Text(), nullable=True),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("occurred_at", TIME, nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=True),
        sa.Column("gate", sa.Text(), nullable=True),
        sa.Column("upstream", sa.Text(), nullable=False),
        sa.Column("details", sa.Text(), nullable=False),
        sa.Column("first_seen_at", TIME, nullable=False),
        sa.Column("last_seen_at", TIME, nullable=False),
        sa.Column("cleared_at", TIME, nullable=True),
        sa.Column("incident", ROW_ID, nullable=True),
        sa.ForeignKeyConstraint(["incident"], ["incident.number"], name="incident_of_signal"),
        sa.UniqueConstraint("digest", "ended", name="signal_once"),
        sa.CheckConstraint("(ended = 0) = (cleared_at IS NULL)", name="signal_ended"),
        sa.PrimaryKeyConstraint("number"),
        sqlite_autoincrement=True,
    )
    op.create_index("signal_by_ended", "signal", ["ended"])
    op.create_index("signal_by_incident", "signal", ["incident"])
    op.create_index("signal_by_dataset", "signal", ["dataset_urn", "number"])


def _events() -> None:
    op.create_table(
        "incident_event",
        sa.Column("number", ROW_ID, nullable=False),
        sa.Column("incident", ROW_ID, nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("changed_at", TIME, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["incident"], ["incident.number"], name="incident_of_event"),
        sa.PrimaryKeyConstraint("number"),
        sqlite_autoincrement=True,
    )
    op.create_index("incident_event_by_incident", "incident_event", ["incident", "number"])
    refuse_changes("incident_event", key="number")
