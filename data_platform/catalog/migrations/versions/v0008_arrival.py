"""What has arrived: versions, completion markers, reports of checks."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "dataset_arrival",
        sa.Column("arrival_id", ROW_ID, nullable=False),
        sa.Column("dataset_id", ROW_ID, nullable=False),
        sa.Column("version_tag", sa.Text(), nullable=False),
        sa.Column("occasion", sa.Integer(), nullable=False),
        sa.Column("arrived_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.dataset_id"], name="dataset_of_arrival"),
        sa.PrimaryKeyConstraint("arrival_id"),
        sa.UniqueConstraint("dataset_id", "version_tag", "occasion", name="arrival_once"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "completion_marker",
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("marker", sa.Text(), nullable=False),
        sa.Column("partition", sa.Text()),
        sa.Column("stamp", sa.Text(), nullable=False),
        sa.Column("waits_for", sa.Text(), nullable=False),
        sa.Column("delivery_id", sa.Text()),
        sa.Column("deliveries", sa.Integer(), nullable=False),
        sa.Column("changed_at", TIME, nullable=False),
        sa.Column("whole_at", TIME),
        sa.PrimaryKeyConstraint("dataset_urn", "marker"),
    )
    op.create_table(
        "asset_report",
        sa.Column("report_id", ROW_ID, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("dataset_urn", sa.Text(), nullable=False),
        sa.Column("partition", sa.Text()),
        sa.Column("check_name", sa.Text()),
        sa.Column("passed", sa.Boolean()),
        sa.Column("severity", sa.Text()),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("metadata_json", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("reported_by", sa.Text(), nullable=False),
        sa.Column("reported_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("report_id"),
        sa.UniqueConstraint("digest", name="report_once"),
        sa.CheckConstraint("kind IN ('CHECK', 'OBSERVATION')", name="report_kind"),
        sa.CheckConstraint(
            "kind <> 'CHECK' OR (check_name IS NOT NULL AND passed IS NOT NULL)", name="report_of_check"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("report_by_check", "asset_report", ["dataset_urn", "check_name", "partition"])
