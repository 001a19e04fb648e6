"""When Dagster's daemon last ticked, and which schedules and sensors are switched off."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "scheduler_trigger",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("is_running", sa.Boolean(), nullable=False),
        sa.Column("since", TIME, nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
