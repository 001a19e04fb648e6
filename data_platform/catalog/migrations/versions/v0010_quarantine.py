"""Who works on quarantined rows, what was decided about them, and the append-only log of that."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from data_platform.catalog.migrations.append_only import refuse_changes

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)
COUNTS = "discarded_rows >= 0 AND released_rows >= 0 AND resolved_rows + discarded_rows + released_rows <= row_count"


def upgrade() -> None:
    op.add_column("quarantine", sa.Column("closed_reason", sa.Text(), nullable=True))
    op.add_column("quarantine", sa.Column("assignee", sa.Text(), nullable=True))
    op.add_column("quarantine", sa.Column("discarded_rows", sa.BigInteger(), nullable=False, server_default="0"))
    # SQLite adds no constraint to a table, but a column with one.
    op.execute(
        "ALTER TABLE quarantine ADD COLUMN released_rows BIGINT DEFAULT '0' NOT NULL "
        f"CONSTRAINT quarantine_counts CHECK ({COUNTS})"
    )
    _create_decision()
    _create_action()


def _create_decision() -> None:
    op.create_table(
        "quarantine_decision",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("entry", ROW_ID, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("signatures", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("requested_by", sa.Text(), nullable=False),
        sa.Column("requested_at", TIME, nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=True),
        sa.Column("decided_at", TIME, nullable=True),
        sa.Column("applied_rows", sa.BigInteger(), nullable=True),
        sa.Column("applied_by", sa.Text(), nullable=True),
        sa.CheckConstraint("kind IN ('RELEASE', 'DISCARD')", name="decision_kind"),
        sa.CheckConstraint("status IN ('REQUESTED', 'APPROVED', 'WITHDRAWN')", name="decision_status"),
        sa.CheckConstraint(
            "kind <> 'RELEASE' OR status <> 'APPROVED' OR (decided_by IS NOT NULL AND decided_by <> requested_by)",
            name="decision_by_two",
        ),
        sa.ForeignKeyConstraint(["entry"], ["quarantine.id"], name="decision_of_entry"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("decision_by_entry", "quarantine_decision", ["entry", "status"])


def _create_action() -> None:
    op.create_table(
        "quarantine_action",
        sa.Column("id", ROW_ID, nullable=False),
        sa.Column("entry", ROW_ID, nullable=False),
        sa.Column("acted_at", TIME, nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["entry"], ["quarantine.id"], name="action_on_entry"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
    )
    op.create_index("action_by_entry", "quarantine_action", ["entry", "id"])
    refuse_changes("quarantine_action")
