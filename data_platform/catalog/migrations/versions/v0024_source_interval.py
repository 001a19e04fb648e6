"""The interval of its source that each partition of a dataset reads, if it reads the changes of a table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "source_interval",
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("partition", sa.Text(), nullable=False),
        sa.Column("watermark", sa.Text(), nullable=False),
        sa.Column("low", sa.Text()),
        sa.Column("high", sa.Text()),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("dataset_urn", "partition"),
    )
