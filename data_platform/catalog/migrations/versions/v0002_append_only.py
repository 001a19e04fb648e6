"""Evidence and the history of certifications refuse to be changed, whoever tries it.

Only who may drop a trigger gets around this.
"""

from __future__ import annotations

from data_platform.catalog.migrations.append_only import refuse_changes

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for table in ("evidence", "certification_history"):
        refuse_changes(table)
