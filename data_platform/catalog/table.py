"""Tables of runs, verdicts and certifications. Datasets are in ``registry_table``, lineage in ``lineage_table``,
evidence in ``evidence_table``, quarantined rows in ``quarantine_table``.

This is the current schema. ``migrations`` create it in a database, and a test compares the two.

``run``, ``evidence`` and ``certification_history`` are append-only. Tables refer to a dataset by its URN and not by a
foreign key, since records outlive the dataset's policy file.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from data_platform.catalog.column import ROW_ID, JsonText, PartitionText, UtcTime, name_of

METADATA = MetaData()

LEASE = Table(
    "lease",
    METADATA,
    Column("dataset_urn", name_of(300), primary_key=True),
    Column("holder", name_of(300), nullable=False),
    Column("taken_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
)

INTENT = Table(
    "intent",
    METADATA,
    Column("id", ROW_ID, primary_key=True),
    Column("run_id", name_of(200), nullable=False),
    Column("dataset_urn", name_of(300), nullable=False),
    Column("stage", name_of(20), nullable=False),
    Column("partition", PartitionText),
    Column("path", Text, nullable=False),
    Column("before", BigInteger),
    Column("note", JsonText, nullable=False),
    Column("opened_at", UtcTime, nullable=False),
    Column("outcome", name_of(20)),
    Column("closed_at", UtcTime),
    CheckConstraint(
        "(outcome IS NULL AND closed_at IS NULL) OR (outcome IS NOT NULL AND closed_at IS NOT NULL)",
        name="intent_closed",
    ),
    Index("intent_by_run", "run_id", "stage"),
    Index("intent_by_closed", "closed_at", "dataset_urn"),
    sqlite_autoincrement=True,
)

TABLE_SCHEMA = Table(
    "table_schema",
    METADATA,
    Column("fingerprint", name_of(100), primary_key=True),
    Column("first_seen_at", UtcTime, nullable=False),
)

SCHEMA_COLUMN = Table(
    "schema_column",
    METADATA,
    Column(
        "fingerprint", name_of(100), ForeignKey("table_schema.fingerprint", name="column_of_schema"), primary_key=True
    ),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("name", name_of(500), nullable=False),
    Column("type", Text, nullable=False),
    Column("nullable", Boolean, nullable=False),
)

RUN = Table(
    "run",
    METADATA,
    Column("id", ROW_ID, primary_key=True),
    Column("run_id", name_of(200), nullable=False),
    Column("dataset_urn", name_of(300), nullable=False),
    Column("stage", name_of(20), nullable=False),
    Column("partition", PartitionText),
    Column("outcome", name_of(20), nullable=False),
    Column("path", Text, nullable=False),
    Column("version", BigInteger),
    Column("rows_read", BigInteger, nullable=False),
    Column("rows_accepted", BigInteger, nullable=False),
    Column("rows_quarantined", BigInteger, nullable=False),
    Column("rows_dropped", BigInteger, nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("finished_at", UtcTime, nullable=False),
    Column("reason", Text, nullable=False),
    Column("signatures", JsonText, nullable=False),
    Column("quarantine_table", name_of(300)),
    Column("quarantine_path", Text),
    Column("delivery_id", name_of(500), nullable=False),
    Column("policy_fingerprint", name_of(100), nullable=False),
    Column("schema_fingerprint", name_of(100), ForeignKey("table_schema.fingerprint", name="schema_of_run")),
    Column("input_versions", JsonText, nullable=False),
    Column("metadata", JsonText, nullable=False),
    Column("digest", name_of(100), nullable=False),
    UniqueConstraint("run_id", "dataset_urn", "stage", name="run_once"),
    Index("run_by_slice", "dataset_urn", "stage", "partition", "id"),
    Index("run_by_version", "dataset_urn", "stage", "version"),
    Index("run_by_outcome", "outcome", "finished_at"),
    sqlite_autoincrement=True,
)

VERDICT = Table(
    "verdict",
    METADATA,
    Column("run", ROW_ID, ForeignKey("run.id", name="verdict_of_run"), primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("gate", name_of(30), nullable=False),
    Column("outcome", name_of(20), nullable=False),
    Column("compliance", Float),
    Column("reason", Text, nullable=False),
    Column("metadata", JsonText, nullable=False),
)

_FAILED = "outcome <> 'passed'"

RULE_RESULT = Table(
    "rule_result",
    METADATA,
    Column("run", ROW_ID, ForeignKey("run.id", name="rule_result_of_run"), primary_key=True, autoincrement=False),
    Column("verdict", Integer, primary_key=True, autoincrement=False),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("rule", Text, nullable=False),
    Column("signature", Text, nullable=False),
    Column("outcome", name_of(20), nullable=False),
    Column("severity", name_of(20), nullable=False),
    Column("row_count", BigInteger),
    Column("reason", Text, nullable=False),
    Index("rule_result_by_failure", "run", sqlite_where=text(_FAILED), postgresql_where=text(_FAILED)),
)
"""Its index has only what did not pass, which is little: a look reads the warnings of the last days by it."""

_VERSION_FITS = "(status = 'UNCERTIFIED' AND version IS NULL) OR (status <> 'UNCERTIFIED' AND version IS NOT NULL)"

CERTIFICATION = Table(
    "certification",
    METADATA,
    Column("dataset_urn", name_of(300), primary_key=True),
    Column("status", name_of(30), nullable=False),
    Column("version", BigInteger),
    Column("path", Text, nullable=False),
    Column("certified_at", UtcTime),
    Column("run_id", name_of(200), nullable=False),
    Column("partition", PartitionText),
    Column("schema_fingerprint", name_of(100), nullable=False),
    Column("policy_fingerprint", name_of(100), nullable=False),
    Column("reason", Text, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    CheckConstraint(_VERSION_FITS, name="certification_version"),
)

CERTIFICATION_HISTORY = Table(
    "certification_history",
    METADATA,
    Column("id", ROW_ID, primary_key=True),
    *(Column(c.name, c.type, nullable=c.nullable) for c in CERTIFICATION.columns),
    CheckConstraint(_VERSION_FITS, name="certification_history_version"),
    Index("certification_history_by_dataset", "dataset_urn", "id"),
    sqlite_autoincrement=True,
)
