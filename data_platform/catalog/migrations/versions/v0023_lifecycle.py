"""The lifecycle events of a dataset are found without a scan of all events."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

OF_DATASET = sa.text("event_type = 'DATASET'")


def upgrade() -> None:
    op.create_index("run_event_by_process", "run_event", ["process_key", "event_id"])
    op.create_index(
        "run_event_by_dataset", "run_event", ["event_id"], sqlite_where=OF_DATASET, postgresql_where=OF_DATASET
    )
