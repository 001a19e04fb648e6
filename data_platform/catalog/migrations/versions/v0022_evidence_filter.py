"""Records of a result, a gate or a partition are found without a scan of the whole log."""

from __future__ import annotations

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("evidence_by_result", "evidence", ["result", "id"])
    op.create_index("evidence_by_gate", "evidence", ["gate", "result", "id"])
    op.create_index("evidence_by_partition", "evidence", ["partition", "result", "id"])
