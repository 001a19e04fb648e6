"""Tables of lineage: runs, the events that reported them, and the edges of the graph.

``run_event`` and ``process_run`` keep growing; on PostgreSQL they are partitioned by month of ``received_at`` and
``created_at``, which never change, so that a whole month can be dropped (``partition.py``). Queries find a run by
``run_uuid``. A unique key of a partitioned table must contain the month too, so the single write transaction, and not
the table, ensures one row a run.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Date,
    Float,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from data_platform.catalog.column import ROW_ID, JsonText, UtcTime, name_of
from data_platform.catalog.table import METADATA
from data_platform.model.lineage import NAME_BYTES

PROCESS_RUN = Table(
    "process_run",
    METADATA,
    Column("run_id", ROW_ID, primary_key=True),
    Column("run_uuid", name_of(36), nullable=False),
    Column("process_id", ROW_ID, nullable=False),
    Column("start_ts", UtcTime),
    Column("end_ts", UtcTime),
    Column("status", name_of(20), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("parent_run_uuid", name_of(36)),
    Column("nominal_start_ts", UtcTime),
    Column("nominal_end_ts", UtcTime),
    Column("log_location", Text),
    Column("error_message", Text),
    Column("first_event_at", UtcTime, nullable=False),
    Column("last_event_at", UtcTime, nullable=False),
    Column("historical", Boolean, nullable=False),
    Column("facets_json", JsonText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    CheckConstraint("status IN ('NEW', 'RUNNING', 'COMPLETED', 'FAILED', 'ABORTED')", name="run_status"),
    Index("process_run_by_uuid", "run_uuid"),
    Index("process_run_by_process", "process_id", "start_ts"),
    Index("process_run_by_parent", "parent_run_uuid"),
    Index("process_run_by_created", "created_at"),
    info={"partition_by": "created_at"},
    sqlite_autoincrement=True,
)

_OF_DATASET = text("event_type = 'DATASET'")
"""Events of no run. The text is that of the query (``lineage.lifecycle``), without which the index is not used."""

RUN_EVENT = Table(
    "run_event",
    METADATA,
    Column("event_id", ROW_ID, primary_key=True),
    Column("run_uuid", name_of(36)),
    Column("process_key", name_of(NAME_BYTES)),
    Column("event_type", name_of(50), nullable=False),
    Column("event_time", UtcTime, nullable=False),
    Column("producer", Text),
    Column("historical", Boolean, nullable=False),
    Column("digest", name_of(64), nullable=False),
    Column("payload_json", Text, nullable=False),
    Column("warnings", JsonText, nullable=False),
    Column("received_at", UtcTime, nullable=False),
    Index("run_event_by_run", "run_uuid"),
    Index("run_event_by_digest", "digest"),
    Index("run_event_by_received", "received_at"),
    Index("run_event_by_process", "process_key", "event_id"),
    Index("run_event_by_dataset", "event_id", sqlite_where=_OF_DATASET, postgresql_where=_OF_DATASET),
    info={"partition_by": "received_at"},
    sqlite_autoincrement=True,
)

NODE_FACET = Table(
    "node_facet",
    METADATA,
    Column("node_type", name_of(20), primary_key=True),
    Column("node_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("facet", name_of(200), primary_key=True),
    Column("said_at", UtcTime, nullable=False),
    Column("digest", name_of(64), nullable=False),
    Column("value", JsonText, nullable=False),
)
"""The latest value of each facet of a dataset or process, by event time, in whatever order events arrive."""

RUN_DATASET = Table(
    "run_dataset",
    METADATA,
    Column("run_uuid", name_of(36), primary_key=True),
    Column("dataset_id", ROW_ID, primary_key=True, autoincrement=False),
    Column("role", name_of(10), primary_key=True),
    Column("version_tag", name_of(500)),
    Column("said_at", UtcTime, nullable=False),
    CheckConstraint("role IN ('INPUT', 'OUTPUT')", name="run_dataset_role"),
    Index("run_dataset_by_dataset", "dataset_id", "role"),
)
"""The datasets that the events of a run name, each with the version in the newest event that has one."""

RUN_CONFLICT = Table(
    "run_conflict",
    METADATA,
    Column("run_uuid", name_of(36), primary_key=True),
    Column("process_id", ROW_ID, ForeignKey("process.process_id", name="process_of_conflict"), primary_key=True),
    Column("first_event_at", UtcTime, nullable=False),
    Column("noticed_at", UtcTime, nullable=False),
)
"""Jobs that sent events under the run id of another job. Their edges remain their own."""

LINEAGE_EDGE = Table(
    "lineage_edge",
    METADATA,
    Column("edge_id", ROW_ID, primary_key=True),
    Column("source_type", name_of(20), nullable=False),
    Column("source_id", ROW_ID, nullable=False),
    Column("target_type", name_of(20), nullable=False),
    Column("target_id", ROW_ID, nullable=False),
    Column("edge_role", name_of(30), nullable=False),
    Column("transform_meta", JsonText, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("retired_at", UtcTime),
    UniqueConstraint("source_type", "source_id", "target_type", "target_id", "edge_role", name="edge_once"),
    CheckConstraint("source_type IN ('PROCESS', 'DATASET')", name="edge_source"),
    CheckConstraint("target_type IN ('PROCESS', 'DATASET')", name="edge_target"),
    CheckConstraint("edge_role IN ('PRODUCES', 'CONSUMES', 'DERIVES', 'TRIGGERS', 'CONTAINS')", name="edge_kind"),
    Index("edge_by_target", "target_type", "target_id"),
    sqlite_autoincrement=True,
)

COLUMN_EDGE = Table(
    "column_edge",
    METADATA,
    Column("edge_id", ROW_ID, primary_key=True),
    Column("source_dataset_id", ROW_ID, ForeignKey("dataset.dataset_id", name="source_of_column"), nullable=False),
    Column("source_column", name_of(500), nullable=False),
    Column("target_dataset_id", ROW_ID, ForeignKey("dataset.dataset_id", name="target_of_column"), nullable=False),
    Column("target_column", name_of(500), nullable=False),
    Column("process_id", ROW_ID, nullable=False),
    Column("transformation", Text),
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint(
        "target_dataset_id",
        "target_column",
        "source_dataset_id",
        "source_column",
        "process_id",
        name="column_edge_once",
    ),
    Index("column_edge_by_source", "source_dataset_id", "source_column"),
    sqlite_autoincrement=True,
)
"""``process_id`` is 0 if a dataset event reported the edge, without a job. An empty ``target_column`` is the whole
dataset: every column of the target depends on the source (a filter, a join key)."""

DATASET_LINK = Table(
    "dataset_link",
    METADATA,
    Column("source_id", ROW_ID, ForeignKey("dataset.dataset_id", name="source_of_link"), primary_key=True),
    Column("target_id", ROW_ID, ForeignKey("dataset.dataset_id", name="target_of_link"), primary_key=True),
    Column("kind", name_of(10), primary_key=True),
    CheckConstraint("kind IN ('SYMLINK', 'RENAME')", name="link_kind"),
    Index("link_by_target", "target_id"),
)
"""Two names of one dataset. SYMLINK: the source's newest symlinks facet names the target. RENAME: old to new name."""

LINEAGE_SHAPE = Table(
    "lineage_shape",
    METADATA,
    Column("digest", name_of(64), primary_key=True),
    Column("first_seen_at", UtcTime, nullable=False),
)
"""Digests of the edges and schemas in events. An event whose digest is here has nothing new, and is skipped."""

EVENT_OUTBOX = Table(
    "event_outbox",
    METADATA,
    Column("outbox_id", ROW_ID, primary_key=True),
    Column("payload_json", Text, nullable=False),
    Column("added_at", UtcTime, nullable=False),
    sqlite_autoincrement=True,
)
"""The platform's own events that wait for another OpenLineage endpoint; a row is deleted once it has been sent."""

GRAPH_REVISION = Table(
    "graph_revision",
    METADATA,
    Column("one", Integer, primary_key=True, autoincrement=False),
    Column("revision", BigInteger, nullable=False),
    CheckConstraint("one = 1", name="graph_revision_one"),
)
"""Increases with every change of ``lineage_edge``, so that a stale graph in memory is detected."""

RUN_ROLLUP = Table(
    "run_rollup",
    METADATA,
    Column("grain", name_of(10), primary_key=True),
    Column("bucket", UtcTime, primary_key=True),
    Column("process_id", ROW_ID, ForeignKey("process.process_id", name="process_of_rollup"), primary_key=True),
    Column("status", name_of(20), primary_key=True),
    Column("run_count", BigInteger, nullable=False),
    Column("seconds_sum", Float, nullable=False),
    Column("seconds_max", Float, nullable=False),
    CheckConstraint("grain IN ('HOUR', 'DAY')", name="rollup_grain"),
)
"""Statistics of archived runs: how many ended in each status, and how long they took."""

ARCHIVE_FILE = Table(
    "archive_file",
    METADATA,
    Column("path", name_of(1000), primary_key=True),
    Column("kind", name_of(20), nullable=False),
    Column("day", Date, nullable=False),
    Column("row_count", BigInteger, nullable=False),
    Column("checksum", name_of(64), nullable=False),
    Column("archived_at", UtcTime, nullable=False),
    CheckConstraint("kind IN ('process_run', 'run_event', 'run_dataset')", name="archive_kind"),
    Index("archive_by_day", "kind", "day"),
)
"""Parquet files with archived rows. A row is either in a file registered here, or in its table."""
