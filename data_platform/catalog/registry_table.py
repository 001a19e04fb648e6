"""Tables of datasets with versions and schemas, processes, service levels, checks, and registration requests.

They have the required table names of the catalog schema, with columns that this platform adds. Namespace and name
identify a dataset; ``full_name`` is ``namespace/name`` for display, which is the URN of the platform's datasets, and
two datasets may share it. ``process_key`` is ``namespace/name`` of an OpenLineage job, such as ``AUTOSYS/BOX/JOB``.
Both have a limit (``NAME_BYTES``), since a key longer than a page cannot be indexed.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
)

from data_platform.catalog.column import ROW_ID, JsonText, UtcTime, name_of
from data_platform.catalog.table import METADATA
from data_platform.model.lineage import NAME_BYTES

SLA = Table(
    "sla",
    METADATA,
    Column("sla_id", ROW_ID, primary_key=True),
    Column("name", name_of(200), nullable=False),
    Column("description", Text),
    Column("sla_window_sec", Integer, nullable=False),
    Column("escalation_json", JsonText),
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint("name", name="sla_name"),
    CheckConstraint("sla_window_sec > 0", name="sla_window"),
    sqlite_autoincrement=True,
)

DATASET = Table(
    "dataset",
    METADATA,
    Column("dataset_id", ROW_ID, primary_key=True),
    Column("namespace", name_of(NAME_BYTES), nullable=False),
    Column("name", name_of(NAME_BYTES), nullable=False),
    Column("full_name", name_of(NAME_BYTES), nullable=False),
    Column("description", Text, nullable=False),
    Column("category", name_of(200)),
    Column("tags", JsonText, nullable=False),
    Column("default_format", name_of(50)),
    Column("partitioning", name_of(200)),
    Column("owner_team", name_of(200)),
    Column("owner_email", name_of(200)),
    Column("default_sla_id", ROW_ID, ForeignKey("sla.sla_id", name="sla_of_dataset")),
    Column("status", name_of(20), nullable=False),
    Column("table_name", name_of(200)),
    Column("tier", name_of(50)),
    Column("policy_fingerprint", name_of(100)),
    Column("created_by", name_of(200), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    UniqueConstraint("namespace", "name", name="dataset_once"),
    CheckConstraint("status IN ('DRAFT', 'ACTIVE', 'DEPRECATED')", name="dataset_status"),
    Index("dataset_by_full_name", "full_name"),
    Index("dataset_by_owner", "owner_team"),
    sqlite_autoincrement=True,
)

DATASET_VERSION = Table(
    "dataset_version",
    METADATA,
    Column("dataset_version_id", ROW_ID, primary_key=True),
    Column("dataset_id", ROW_ID, ForeignKey("dataset.dataset_id", name="dataset_of_version"), nullable=False),
    Column("version_tag", name_of(500), nullable=False),
    Column("path", Text),
    Column("delta_version", BigInteger),
    Column("row_count", BigInteger),
    Column("byte_count", BigInteger),
    Column("checksum", name_of(200)),
    Column("schema_hash", name_of(100)),
    Column("produced_by_run_id", name_of(36)),
    Column("produced_at", UtcTime),
    Column("certified_at", UtcTime),
    Column("historical", Boolean, nullable=False),
    Column("metadata_json", JsonText, nullable=False),
    Column("state_change", name_of(20)),
    UniqueConstraint("dataset_id", "version_tag", name="version_once"),
    Index("version_by_time", "dataset_id", "produced_at"),
    Index("version_by_run", "produced_by_run_id"),
    sqlite_autoincrement=True,
)

"""``state_change`` is the last lifecycle change that the run reported, if it is not a delivery, such as DROP."""

DATASET_SCHEMA = Table(
    "dataset_schema",
    METADATA,
    Column("schema_id", ROW_ID, primary_key=True),
    Column("dataset_id", ROW_ID, ForeignKey("dataset.dataset_id", name="dataset_of_schema"), nullable=False),
    Column("schema_hash", name_of(100), nullable=False),
    Column("column_order", Integer, nullable=False),
    Column("column_name", name_of(500), nullable=False),
    Column("column_type", Text, nullable=False),
    Column("nullable", Boolean, nullable=False),
    Column("column_metadata", JsonText, nullable=False),
    Column("first_seen_at", UtcTime, nullable=False),
    UniqueConstraint("dataset_id", "schema_hash", "column_order", name="schema_column_once"),
    sqlite_autoincrement=True,
)
"""Columns of a schema, stored once for each dataset and hash, and not for each version."""

PROCESS = Table(
    "process",
    METADATA,
    Column("process_id", ROW_ID, primary_key=True),
    Column("process_key", name_of(NAME_BYTES), nullable=False),
    Column("namespace", name_of(NAME_BYTES), nullable=False),
    Column("name", name_of(NAME_BYTES), nullable=False),
    Column("description", Text, nullable=False),
    Column("technology", name_of(50)),
    Column("team", name_of(200)),
    Column("owner_email", name_of(200)),
    Column("trigger_mode", name_of(20), nullable=False),
    Column("sla_id", ROW_ID, ForeignKey("sla.sla_id", name="sla_of_process")),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    Column("retired_at", UtcTime),
    UniqueConstraint("process_key", name="process_key_once"),
    CheckConstraint("trigger_mode IN ('PROCESS', 'DATASET', 'HYBRID')", name="process_trigger"),
    sqlite_autoincrement=True,
)

QUALITY_CHECK_DEF = Table(
    "quality_check_def",
    METADATA,
    Column("qdef_id", ROW_ID, primary_key=True),
    Column("dataset_id", ROW_ID, ForeignKey("dataset.dataset_id", name="dataset_of_check"), nullable=False),
    Column("name", name_of(500), nullable=False),
    Column("sql_expression", Text),
    Column("expected_result", Text),
    Column("created_at", UtcTime, nullable=False),
    UniqueConstraint("dataset_id", "name", name="check_once"),
    sqlite_autoincrement=True,
)

QUALITY_CHECK_RESULT = Table(
    "quality_check_result",
    METADATA,
    Column("qres_id", ROW_ID, primary_key=True),
    Column("qdef_id", ROW_ID, ForeignKey("quality_check_def.qdef_id", name="def_of_result"), nullable=False),
    Column("dataset_version_id", ROW_ID),
    Column("run_uuid", name_of(36), nullable=False),
    Column("executed_at", UtcTime, nullable=False),
    Column("status", name_of(20), nullable=False),
    Column("detail_json", JsonText, nullable=False),
    UniqueConstraint("qdef_id", "run_uuid", name="result_once"),
    CheckConstraint("status IN ('PASS', 'FAIL', 'WARN')", name="result_status"),
    Index("result_by_run", "run_uuid"),
    sqlite_autoincrement=True,
)

DATASET_REGISTRATION = Table(
    "dataset_registration",
    METADATA,
    Column("reg_id", ROW_ID, primary_key=True),
    Column("dataset_id", ROW_ID, ForeignKey("dataset.dataset_id", name="dataset_of_registration"), nullable=False),
    Column("submitted_by", name_of(200), nullable=False),
    Column("submitted_at", UtcTime, nullable=False),
    Column("requested", JsonText, nullable=False),
    Column("status", name_of(20), nullable=False),
    Column("reviewer", name_of(200)),
    Column("reviewed_at", UtcTime),
    Column("review_comment", Text),
    CheckConstraint("status IN ('PENDING', 'APPROVED', 'REJECTED')", name="registration_status"),
    Index("registration_by_status", "status", "reg_id"),
    sqlite_autoincrement=True,
)
