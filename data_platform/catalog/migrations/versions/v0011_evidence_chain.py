"""Each record of evidence is linked to the one before it; heads of the chains, checkpoints, and the relay.

Older records stay as they are, without a link: the first record that is added afterwards seals them by a checkpoint.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from data_platform.catalog.migrations.append_only import refuse_changes

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("evidence", sa.Column("evidence_id", sa.Text(), nullable=True))
    op.add_column("evidence", sa.Column("position", sa.BigInteger(), nullable=True))
    for name in ("previous_mac", "mac", "key_id"):
        op.add_column("evidence", sa.Column(name, sa.Text(), nullable=True))
    op.create_index("evidence_by_position", "evidence", ["dataset_urn", "position"], unique=True)
    op.create_index("evidence_by_evidence_id", "evidence", ["evidence_id"], unique=True)
    op.create_table(
        "evidence_head",
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("mac", sa.Text(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("seal", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("dataset_urn"),
    )
    op.create_table(
        "evidence_checkpoint",
        sa.Column("number", ROW_ID, autoincrement=False, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("number"),
    )
    refuse_changes("evidence_checkpoint", key="number")
    op.create_table(
        "evidence_relay",
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("sent_id", ROW_ID, autoincrement=False, nullable=False),
        sa.Column("sent_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("held_until", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("topic"),
    )
