"""Publish groups: versions that wait for the other members, and publications; evidence names them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.add_column("evidence", sa.Column("group_name", sa.Text(), nullable=True))
    op.add_column("evidence", sa.Column("publication_id", sa.Text(), nullable=True))
    _members()
    _candidates()
    _publications()


def _members() -> None:
    op.create_table(
        "publish_group_member",
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("group_name", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("judged_under", sa.Text(), nullable=False),
        sa.Column("first", sa.Text(), nullable=True),
        sa.Column("last", sa.Text(), nullable=True),
        sa.Column("declared_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("dataset_urn"),
    )
    op.create_index("publish_group_member_by_group", "publish_group_member", ["group_name"])


def _candidates() -> None:
    op.create_table(
        "publish_candidate",
        sa.Column("number", ROW_ID, nullable=False),
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("group_name", sa.Text(), nullable=False),
        sa.Column("partition", sa.Text(), nullable=True),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("base", sa.BigInteger(), nullable=True),
        sa.Column("row_count", sa.BigInteger(), nullable=False),
        sa.Column("schema_fingerprint", sa.Text(), nullable=False),
        sa.Column("policy_fingerprint", sa.Text(), nullable=False),
        sa.Column("judged_under", sa.Text(), nullable=False),
        sa.Column("delivery_id", sa.Text(), nullable=False),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("ready_at", TIME, nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("metadata", sa.Text(), nullable=False),
        sa.Column("after_run", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("publication_id", sa.Text(), nullable=True),
        sa.Column("closed_at", TIME, nullable=True),
        sa.CheckConstraint("state IN ('OPEN', 'PUBLISHED', 'SUPERSEDED', 'DISCARDED')", name="publish_candidate_state"),
        sa.CheckConstraint("(state = 'OPEN') = (closed_at IS NULL)", name="publish_candidate_closed"),
        sa.PrimaryKeyConstraint("number"),
        sqlite_autoincrement=True,
    )
    op.create_index("publish_candidate_by_dataset", "publish_candidate", ["dataset_urn", "state", "number"])
    op.create_table(
        "publish_slice",
        sa.Column("candidate", ROW_ID, autoincrement=False, nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("partition", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["candidate"], ["publish_candidate.number"], name="slice_of_candidate"),
        sa.PrimaryKeyConstraint("candidate", "position"),
    )
    op.create_index("publish_slice_by_partition", "publish_slice", ["dataset_urn", "partition"])


def _publications() -> None:
    op.create_table(
        "publication",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("group_name", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("published_at", TIME, nullable=False),
        sa.Column("reported_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("publication_by_group", "publication", ["group_name", "published_at"])
    op.create_index("publication_by_report", "publication", ["reported_at"])
    op.create_table(
        "publication_member",
        sa.Column("publication_id", sa.Text(), nullable=False),
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("previous_version", sa.BigInteger(), nullable=True),
        sa.Column("history", ROW_ID, nullable=False),
        sa.ForeignKeyConstraint(["publication_id"], ["publication.id"], name="member_of_publication"),
        sa.ForeignKeyConstraint(["history"], ["certification_history.id"], name="history_of_member"),
        sa.PrimaryKeyConstraint("publication_id", "dataset_urn"),
    )
    op.create_index("publication_member_by_history", "publication_member", ["history"])
