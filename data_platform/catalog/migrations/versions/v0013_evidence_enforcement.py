"""Evidence has the enforcement mode that applied, and the waivers that a result depends on.

Older records stay without them, and their MACs do not cover them.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("evidence", sa.Column("enforcement", sa.Text(), nullable=True))
    op.add_column("evidence", sa.Column("waivers", sa.Text(), nullable=True))
