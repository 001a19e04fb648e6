"""A dataset is the pair of its namespace and name; links between its names; scans in which a legacy job was seen.

Until now the joined text was unique, so ``s3://a/b`` + ``c`` and ``s3://a`` + ``b/c`` were one row. What events of both
put into that row stays with it; events from now on go to the row of their own pair.
"""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    if op.get_bind().dialect.name == "sqlite":
        _rebuild_dataset()
    else:
        op.drop_constraint("dataset_full_name", "dataset", type_="unique")
        op.create_unique_constraint("dataset_once", "dataset", ["namespace", "name"])
    op.create_index("dataset_by_full_name", "dataset", ["full_name"])
    op.add_column("dataset_version", sa.Column("state_change", sa.Text(), nullable=True))
    _create_link()
    _widen_search()
    _create_scan_log()
    # its digests are of shapes that knew no dataset-wide column lineage and no links: all events are read again
    op.execute("DELETE FROM lineage_shape")


def _rebuild_dataset() -> None:
    """SQLite drops no constraint. Foreign keys are off in a migration, and those of other tables go by the name."""
    op.create_table(
        "dataset_moving",
        sa.Column("dataset_id", ROW_ID, nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("full_name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("category", sa.Text(), nullable=True),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("default_format", sa.Text(), nullable=True),
        sa.Column("partitioning", sa.Text(), nullable=True),
        sa.Column("owner_team", sa.Text(), nullable=True),
        sa.Column("owner_email", sa.Text(), nullable=True),
        sa.Column("default_sla_id", ROW_ID, nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("table_name", sa.Text(), nullable=True),
        sa.Column("tier", sa.Text(), nullable=True),
        sa.Column("policy_fingerprint", sa.Text(), nullable=True),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.CheckConstraint("status IN ('DRAFT', 'ACTIVE', 'DEPRECATED')", name="dataset_status"),
        sa.ForeignKeyConstraint(["default_sla_id"], ["sla.sla_id"], name="sla_of_dataset"),
        sa.PrimaryKeyConstraint("dataset_id"),
        sa.UniqueConstraint("namespace", "name", name="dataset_once"),
        sqlite_autoincrement=True,
    )
    columns = (
        "dataset_id, namespace, name, full_name, description, category, tags, default_format, partitioning, "
        "owner_team, owner_email, default_sla_id, status, table_name, tier, policy_fingerprint, created_by, "
        "created_at, updated_at"
    )
    op.execute(f"INSERT INTO dataset_moving ({columns}) SELECT {columns} FROM dataset")  # noqa: S608 - names only
    op.drop_table("dataset")
    op.rename_table("dataset_moving", "dataset")
    op.create_index("dataset_by_owner", "dataset", ["owner_team"])


def _create_link() -> None:
    op.create_table(
        "dataset_link",
        sa.Column("source_id", ROW_ID, autoincrement=False, nullable=False),
        sa.Column("target_id", ROW_ID, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.CheckConstraint("kind IN ('SYMLINK', 'RENAME')", name="link_kind"),
        sa.ForeignKeyConstraint(["source_id"], ["dataset.dataset_id"], name="source_of_link"),
        sa.ForeignKeyConstraint(["target_id"], ["dataset.dataset_id"], name="target_of_link"),
        sa.PrimaryKeyConstraint("source_id", "target_id", "kind"),
    )
    op.create_index("link_by_target", "dataset_link", ["target_id"])


def _widen_search() -> None:
    op.add_column("search_document", sa.Column("similar_full", sa.Text(), nullable=True))
    op.add_column("search_document", sa.Column("similar_name", sa.Text(), nullable=True))
    op.add_column("search_document", sa.Column("internal", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index("search_document_by_similar_full", "search_document", ["similar_full"])
    op.create_index("search_document_by_similar_name", "search_document", ["similar_name"])


def _create_scan_log() -> None:
    op.create_table(
        "legacy_scan_log",
        sa.Column("scan_number", ROW_ID, nullable=False),
        sa.Column("scheduler", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("jobs", sa.Integer(), nullable=False),
        sa.Column("files", sa.Text(), nullable=False),
        sa.Column("applied_by", sa.Text(), nullable=False),
        sa.Column("applied_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("scan_number"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "legacy_sighting",
        sa.Column("process_id", ROW_ID, autoincrement=False, nullable=False),
        sa.Column("first_scan", ROW_ID, autoincrement=False, nullable=False),
        sa.Column("last_scan", ROW_ID, nullable=False),
        sa.ForeignKeyConstraint(["process_id"], ["process.process_id"], name="process_of_sighting"),
        sa.PrimaryKeyConstraint("process_id", "first_scan"),
    )
    op.create_index("sighting_by_last", "legacy_sighting", ["last_scan"])
    _log_the_last_scan()


def _log_the_last_scan() -> None:
    """The scan on record becomes the first of the log, and its jobs were seen in it."""
    connection = op.get_bind()
    for row in connection.execute(sa.text("SELECT * FROM legacy_scan")).mappings().all():
        document = json.loads(row["document"])
        keys = [process["key"] for process in document.get("processes", ())]
        files = json.dumps(list(document.get("coverage", {}).get("files", ())))
        said = {name: row[name] for name in ("scheduler", "digest", "applied_by", "applied_at")}
        logged = sa.text(
            "INSERT INTO legacy_scan_log (scheduler, digest, jobs, files, applied_by, applied_at) "
            "VALUES (:scheduler, :digest, :jobs, :files, :applied_by, :applied_at) RETURNING scan_number"
        )
        number = connection.execute(logged, {**said, "jobs": len(keys), "files": files}).scalar_one()
        seen = sa.text(
            "INSERT INTO legacy_sighting (process_id, first_scan, last_scan) "
            "SELECT process_id, :number, :number FROM process WHERE process_key = :key AND retired_at IS NULL"
        )
        if keys:
            connection.execute(seen, [{"number": number, "key": key} for key in keys])
