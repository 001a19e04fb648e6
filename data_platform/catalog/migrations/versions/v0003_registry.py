"""What exists: the registry of datasets and processes. Declared datasets are moved to it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

KEPT = ("table_name", "owner_team", "tier", "description", "policy_fingerprint", "created_at", "updated_at")
ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.rename_table("dataset", "dataset_before")
    _create_sla()
    _create_dataset()
    _create_dataset_version()
    _create_dataset_schema()
    _create_process()
    _create_quality_check_def()
    _create_quality_check_result()
    _create_dataset_registration()
    _keep_datasets()


def _create_sla() -> None:
    op.create_table(
        "sla",
        sa.Column("sla_id", ROW_ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("sla_window_sec", sa.Integer(), nullable=False),
        sa.Column("escalation_json", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("sla_window_sec > 0", name="sla_window"),
        sa.PrimaryKeyConstraint("sla_id"),
        sa.UniqueConstraint("name", name="sla_name"),
        sqlite_autoincrement=True,
    )


def _create_dataset() -> None:
    op.create_table(
        "dataset",
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
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("status IN ('DRAFT', 'ACTIVE', 'DEPRECATED')", name="dataset_status"),
        sa.ForeignKeyConstraint(["default_sla_id"], ["sla.sla_id"], name="sla_of_dataset"),
        sa.PrimaryKeyConstraint("dataset_id"),
        sa.UniqueConstraint("full_name", name="dataset_full_name"),
        sqlite_autoincrement=True,
    )
    op.create_index("dataset_by_owner", "dataset", ["owner_team"], unique=False)


def _create_dataset_version() -> None:
    op.create_table(
        "dataset_version",
        sa.Column("dataset_version_id", ROW_ID, nullable=False),
        sa.Column("dataset_id", ROW_ID, nullable=False),
        sa.Column("version_tag", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=True),
        sa.Column("delta_version", sa.BigInteger(), nullable=True),
        sa.Column("row_count", sa.BigInteger(), nullable=True),
        sa.Column("byte_count", sa.BigInteger(), nullable=True),
        sa.Column("checksum", sa.Text(), nullable=True),
        sa.Column("schema_hash", sa.Text(), nullable=True),
        sa.Column("produced_by_run_id", sa.Text(), nullable=True),
        sa.Column("produced_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("certified_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("historical", sa.Boolean(), nullable=False),
        sa.Column("metadata_json", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.dataset_id"], name="dataset_of_version"),
        sa.PrimaryKeyConstraint("dataset_version_id"),
        sa.UniqueConstraint("dataset_id", "version_tag", name="version_once"),
        sqlite_autoincrement=True,
    )
    op.create_index("version_by_run", "dataset_version", ["produced_by_run_id"], unique=False)
    op.create_index("version_by_time", "dataset_version", ["dataset_id", "produced_at"], unique=False)


def _create_dataset_schema() -> None:
    op.create_table(
        "dataset_schema",
        sa.Column("schema_id", ROW_ID, nullable=False),
        sa.Column("dataset_id", ROW_ID, nullable=False),
        sa.Column("schema_hash", sa.Text(), nullable=False),
        sa.Column("column_order", sa.Integer(), nullable=False),
        sa.Column("column_name", sa.Text(), nullable=False),
        sa.Column("column_type", sa.Text(), nullable=False),
        sa.Column("nullable", sa.Boolean(), nullable=False),
        sa.Column("column_metadata", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.dataset_id"], name="dataset_of_schema"),
        sa.PrimaryKeyConstraint("schema_id"),
        sa.UniqueConstraint("dataset_id", "schema_hash", "column_order", name="schema_column_once"),
        sqlite_autoincrement=True,
    )


def _create_process() -> None:
    op.create_table(
        "process",
        sa.Column("process_id", ROW_ID, nullable=False),
        sa.Column("process_key", sa.Text(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("technology", sa.Text(), nullable=True),
        sa.Column("team", sa.Text(), nullable=True),
        sa.Column("owner_email", sa.Text(), nullable=True),
        sa.Column("trigger_mode", sa.Text(), nullable=False),
        sa.Column("sla_id", ROW_ID, nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retired_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("trigger_mode IN ('PROCESS', 'DATASET', 'HYBRID')", name="process_trigger"),
        sa.ForeignKeyConstraint(["sla_id"], ["sla.sla_id"], name="sla_of_process"),
        sa.PrimaryKeyConstraint("process_id"),
        sa.UniqueConstraint("process_key", name="process_key_once"),
        sqlite_autoincrement=True,
    )


def _create_quality_check_def() -> None:
    op.create_table(
        "quality_check_def",
        sa.Column("qdef_id", ROW_ID, nullable=False),
        sa.Column("dataset_id", ROW_ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("sql_expression", sa.Text(), nullable=True),
        sa.Column("expected_result", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.dataset_id"], name="dataset_of_check"),
        sa.PrimaryKeyConstraint("qdef_id"),
        sa.UniqueConstraint("dataset_id", "name", name="check_once"),
        sqlite_autoincrement=True,
    )


def _create_quality_check_result() -> None:
    op.create_table(
        "quality_check_result",
        sa.Column("qres_id", ROW_ID, nullable=False),
        sa.Column("qdef_id", ROW_ID, nullable=False),
        sa.Column("dataset_version_id", ROW_ID, nullable=True),
        sa.Column("run_uuid", sa.Text(), nullable=False),
        sa.Column("executed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("detail_json", sa.Text(), nullable=False),
        sa.CheckConstraint("status IN ('PASS', 'FAIL', 'WARN')", name="result_status"),
        sa.ForeignKeyConstraint(["qdef_id"], ["quality_check_def.qdef_id"], name="def_of_result"),
        sa.PrimaryKeyConstraint("qres_id"),
        sa.UniqueConstraint("qdef_id", "run_uuid", name="result_once"),
        sqlite_autoincrement=True,
    )
    op.create_index("result_by_run", "quality_check_result", ["run_uuid"], unique=False)


def _create_dataset_registration() -> None:
    op.create_table(
        "dataset_registration",
        sa.Column("reg_id", ROW_ID, nullable=False),
        sa.Column("dataset_id", ROW_ID, nullable=False),
        sa.Column("submitted_by", sa.Text(), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("requested", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("reviewer", sa.Text(), nullable=True),
        sa.Column("reviewed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("review_comment", sa.Text(), nullable=True),
        sa.CheckConstraint("status IN ('PENDING', 'APPROVED', 'REJECTED')", name="registration_status"),
        sa.ForeignKeyConstraint(["dataset_id"], ["dataset.dataset_id"], name="dataset_of_registration"),
        sa.PrimaryKeyConstraint("reg_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("registration_by_status", "dataset_registration", ["status", "reg_id"], unique=False)


def _keep_datasets() -> None:
    before = sa.table("dataset_before", *(sa.column(name) for name in (*KEPT, "urn")))
    fresh = ("namespace", "name", "full_name", "tags", "status", "created_by")
    after = sa.table("dataset", *(sa.column(name) for name in (*KEPT, *fresh)))
    for row in op.get_bind().execute(sa.select(before)).mappings().all():
        namespace, _, name = row["urn"].rpartition("/")
        values = {"namespace": namespace, "name": name, "full_name": row["urn"], **{kept: row[kept] for kept in KEPT}}
        always = {"tags": "[]", "status": "ACTIVE", "created_by": "policies"}
        op.execute(sa.insert(after).values(**values, **always))
    op.drop_table("dataset_before")
