"""Waivers: accepted failures, who accepted them, and until when."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "waiver",
        sa.Column("number", ROW_ID, nullable=False),
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("gate", sa.Text(), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("first", sa.Text(), nullable=True),
        sa.Column("last", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("requested_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("approver", sa.Text(), nullable=True),
        sa.Column("approved_at", TIME, nullable=True),
        sa.Column("revoked_by", sa.Text(), nullable=True),
        sa.Column("revoked_at", TIME, nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.CheckConstraint("status IN ('PENDING', 'APPROVED', 'REVOKED')", name="waiver_status"),
        sa.CheckConstraint("approver IS NULL OR approver <> author", name="waiver_four_eyes"),
        sa.PrimaryKeyConstraint("number"),
        sqlite_autoincrement=True,
    )
    op.create_index("waiver_by_dataset", "waiver", ["dataset_urn", "status"])
