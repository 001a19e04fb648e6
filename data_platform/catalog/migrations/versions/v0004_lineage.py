"""What ran, and what depends on what. Runs and their events are partitioned by month on PostgreSQL."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

ROW_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    _create_process_run()
    _create_run_event()
    _create_node_facet()
    _create_run_dataset()
    _create_run_conflict()
    _create_lineage_edge()
    _create_column_edge()
    _create_lineage_shape()
    _create_event_outbox()
    _create_graph_revision()
    _create_run_rollup()
    _create_archive_file()
    op.execute("INSERT INTO graph_revision (one, revision) VALUES (1, 0)")
    _catch_what_fits_no_month()


def _create_process_run() -> None:
    op.create_table(
        "process_run",
        sa.Column("run_id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("run_uuid", sa.Text(), nullable=False),
        sa.Column("process_id", ROW_ID, nullable=False),
        sa.Column("start_ts", sa.DateTime(timezone=True), nullable=True),
        sa.Column("end_ts", sa.DateTime(timezone=True), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("parent_run_uuid", sa.Text(), nullable=True),
        sa.Column("nominal_start_ts", sa.DateTime(timezone=True), nullable=True),
        sa.Column("nominal_end_ts", sa.DateTime(timezone=True), nullable=True),
        sa.Column("log_location", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("first_event_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_event_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("historical", sa.Boolean(), nullable=False),
        sa.Column("facets_json", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("status IN ('NEW', 'RUNNING', 'COMPLETED', 'FAILED', 'ABORTED')", name="run_status"),
        sa.PrimaryKeyConstraint(*_key("run_id", "created_at")),
        postgresql_partition_by="RANGE (created_at)",
        sqlite_autoincrement=True,
    )
    op.create_index("process_run_by_created", "process_run", ["created_at"], unique=False)
    op.create_index("process_run_by_parent", "process_run", ["parent_run_uuid"], unique=False)
    op.create_index("process_run_by_process", "process_run", ["process_id", "start_ts"], unique=False)
    op.create_index("process_run_by_uuid", "process_run", ["run_uuid"], unique=False)


def _create_run_event() -> None:
    op.create_table(
        "run_event",
        sa.Column("event_id", ROW_ID, autoincrement=True, nullable=False),
        sa.Column("run_uuid", sa.Text(), nullable=True),
        sa.Column("process_key", sa.Text(), nullable=True),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("event_time", sa.DateTime(timezone=True), nullable=False),
        sa.Column("producer", sa.Text(), nullable=True),
        sa.Column("historical", sa.Boolean(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("payload_json", sa.Text(), nullable=False),
        sa.Column("warnings", sa.Text(), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint(*_key("event_id", "received_at")),
        postgresql_partition_by="RANGE (received_at)",
        sqlite_autoincrement=True,
    )
    op.create_index("run_event_by_digest", "run_event", ["digest"], unique=False)
    op.create_index("run_event_by_received", "run_event", ["received_at"], unique=False)
    op.create_index("run_event_by_run", "run_event", ["run_uuid"], unique=False)


def _create_node_facet() -> None:
    op.create_table(
        "node_facet",
        sa.Column("node_type", sa.Text(), nullable=False),
        sa.Column("node_id", ROW_ID, autoincrement=False, nullable=False),
        sa.Column("facet", sa.Text(), nullable=False),
        sa.Column("said_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("node_type", "node_id", "facet"),
    )


def _create_run_dataset() -> None:
    op.create_table(
        "run_dataset",
        sa.Column("run_uuid", sa.Text(), nullable=False),
        sa.Column("dataset_id", ROW_ID, autoincrement=False, nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("version_tag", sa.Text(), nullable=True),
        sa.Column("said_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("role IN ('INPUT', 'OUTPUT')", name="run_dataset_role"),
        sa.PrimaryKeyConstraint("run_uuid", "dataset_id", "role"),
    )
    op.create_index("run_dataset_by_dataset", "run_dataset", ["dataset_id", "role"], unique=False)


def _create_run_conflict() -> None:
    op.create_table(
        "run_conflict",
        sa.Column("run_uuid", sa.Text(), nullable=False),
        sa.Column("process_id", ROW_ID, nullable=False),
        sa.Column("first_event_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("noticed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["process_id"], ["process.process_id"], name="process_of_conflict"),
        sa.PrimaryKeyConstraint("run_uuid", "process_id"),
    )


def _create_lineage_edge() -> None:
    op.create_table(
        "lineage_edge",
        sa.Column("edge_id", ROW_ID, nullable=False),
        sa.Column("source_type", sa.Text(), nullable=False),
        sa.Column("source_id", ROW_ID, nullable=False),
        sa.Column("target_type", sa.Text(), nullable=False),
        sa.Column("target_id", ROW_ID, nullable=False),
        sa.Column("edge_role", sa.Text(), nullable=False),
        sa.Column("transform_meta", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("retired_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "edge_role IN ('PRODUCES', 'CONSUMES', 'DERIVES', 'TRIGGERS', 'CONTAINS')", name="edge_kind"
        ),
        sa.CheckConstraint("source_type IN ('PROCESS', 'DATASET')", name="edge_source"),
        sa.CheckConstraint("target_type IN ('PROCESS', 'DATASET')", name="edge_target"),
        sa.PrimaryKeyConstraint("edge_id"),
        sa.UniqueConstraint("source_type", "source_id", "target_type", "target_id", "edge_role", name="edge_once"),
        sqlite_autoincrement=True,
    )
    op.create_index("edge_by_target", "lineage_edge", ["target_type", "target_id"], unique=False)


def _create_column_edge() -> None:
    op.create_table(
        "column_edge",
        sa.Column("edge_id", ROW_ID, nullable=False),
        sa.Column("source_dataset_id", ROW_ID, nullable=False),
        sa.Column("source_column", sa.Text(), nullable=False),
        sa.Column("target_dataset_id", ROW_ID, nullable=False),
        sa.Column("target_column", sa.Text(), nullable=False),
        sa.Column("process_id", ROW_ID, nullable=False),
        sa.Column("transformation", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["source_dataset_id"], ["dataset.dataset_id"], name="source_of_column"),
        sa.ForeignKeyConstraint(["target_dataset_id"], ["dataset.dataset_id"], name="target_of_column"),
        sa.PrimaryKeyConstraint("edge_id"),
        sa.UniqueConstraint(
            "target_dataset_id",
            "target_column",
            "source_dataset_id",
            "source_column",
            "process_id",
            name="column_edge_once",
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("column_edge_by_source", "column_edge", ["source_dataset_id", "source_column"], unique=False)


def _create_lineage_shape() -> None:
    op.create_table(
        "lineage_shape",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )


def _create_event_outbox() -> None:
    op.create_table(
        "event_outbox",
        sa.Column("outbox_id", ROW_ID, nullable=False),
        sa.Column("payload_json", sa.Text(), nullable=False),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("outbox_id"),
        sqlite_autoincrement=True,
    )


def _create_graph_revision() -> None:
    op.create_table(
        "graph_revision",
        sa.Column("one", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("one = 1", name="graph_revision_one"),
        sa.PrimaryKeyConstraint("one"),
    )


def _create_run_rollup() -> None:
    op.create_table(
        "run_rollup",
        sa.Column("grain", sa.Text(), nullable=False),
        sa.Column("bucket", sa.DateTime(timezone=True), nullable=False),
        sa.Column("process_id", ROW_ID, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("run_count", sa.BigInteger(), nullable=False),
        sa.Column("seconds_sum", sa.Float(), nullable=False),
        sa.Column("seconds_max", sa.Float(), nullable=False),
        sa.CheckConstraint("grain IN ('HOUR', 'DAY')", name="rollup_grain"),
        sa.ForeignKeyConstraint(["process_id"], ["process.process_id"], name="process_of_rollup"),
        sa.PrimaryKeyConstraint("grain", "bucket", "process_id", "status"),
    )


def _create_archive_file() -> None:
    op.create_table(
        "archive_file",
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("row_count", sa.BigInteger(), nullable=False),
        sa.Column("checksum", sa.Text(), nullable=False),
        sa.Column("archived_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("kind IN ('process_run', 'run_event', 'run_dataset')", name="archive_kind"),
        sa.PrimaryKeyConstraint("path"),
    )
    op.create_index("archive_by_day", "archive_file", ["kind", "day"], unique=False)


def _key(column: str, partitioned_by: str) -> tuple[str, ...]:
    """PostgreSQL wants the column that it partitions by in every unique key."""
    return (column, partitioned_by) if op.get_bind().dialect.name == "postgresql" else (column,)


def _catch_what_fits_no_month() -> None:
    if op.get_bind().dialect.name == "postgresql":
        for table in ("process_run", "run_event"):
            op.execute(f"CREATE TABLE {table}_rest PARTITION OF {table} DEFAULT")
