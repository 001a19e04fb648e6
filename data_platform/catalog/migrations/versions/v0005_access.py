"""Tokens and the audit log, which refuses to be changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from data_platform.catalog.migrations.append_only import refuse_changes

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_access_token()
    _create_audit()
    refuse_changes("audit", key="audit_id")


def _create_access_token() -> None:
    op.create_table(
        "access_token",
        sa.Column("token_id", ROW_ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("teams", sa.Text(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "role IN ('PLATFORM_ADMIN', 'DATA_STEWARD', 'DATA_OWNER', 'DATA_CONSUMER')", name="token_role"
        ),
        sa.PrimaryKeyConstraint("token_id"),
        sa.UniqueConstraint("name", name="token_name_once"),
        sa.UniqueConstraint("token_hash", name="token_hash_once"),
        sqlite_autoincrement=True,
    )


def _create_audit() -> None:
    op.create_table(
        "audit",
        sa.Column("audit_id", ROW_ID, nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("audit_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("audit_by_subject", "audit", ["subject", "audit_id"], unique=False)
