"""Onboardings: proposed policies of new datasets, until somebody has approved them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "onboarding",
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("policy_fingerprint", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("registration", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=True),
        sa.Column("review", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('PROPOSED', 'TRIED', 'PENDING')", name="onboarding_state"),
        sa.ForeignKeyConstraint(["registration"], ["dataset_registration.reg_id"], name="registration_of_onboarding"),
        sa.PrimaryKeyConstraint("dataset_urn"),
    )
    op.create_index("onboarding_by_time", "onboarding", ["updated_at"])
