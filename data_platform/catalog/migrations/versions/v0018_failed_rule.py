"""Rules that did not pass are found without those that did."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None

FAILED = sa.text("outcome <> 'passed'")


def upgrade() -> None:
    op.create_index("rule_result_by_failure", "rule_result", ["run"], sqlite_where=FAILED, postgresql_where=FAILED)
