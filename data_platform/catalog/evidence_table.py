"""Tables of evidence: the log, the head of each dataset's chain, checkpoints, and how far the log was sent to Kafka.

``evidence`` and ``evidence_checkpoint`` are append-only. Records from before there were chains have no ``position``.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, Table, Text

from data_platform.catalog.column import ROW_ID, PartitionText, UtcTime, name_of
from data_platform.catalog.table import METADATA

EVIDENCE = Table(
    "evidence",
    METADATA,
    Column("id", ROW_ID, primary_key=True),
    Column("dataset_urn", name_of(300), nullable=False),
    Column("run_id", name_of(200), nullable=False),
    Column("gate", name_of(30), nullable=False),
    Column("result", name_of(30), nullable=False),
    Column("failure_signature", Text),
    Column("quarantine_table", name_of(300)),
    Column("certified_view_status", name_of(30), nullable=False),
    Column("previous_certified_version", name_of(50)),
    Column("timestamp", UtcTime, nullable=False),
    Column("stage", name_of(20), nullable=False),
    Column("partition", PartitionText),
    Column("enforcement", name_of(20)),
    Column("waivers", Text),
    Column("evidence_id", name_of(50)),
    Column("position", BigInteger),
    Column("previous_mac", name_of(64)),
    Column("mac", name_of(64)),
    Column("key_id", name_of(20)),
    Column("group_name", name_of(100)),
    Column("publication_id", name_of(50)),
    CheckConstraint("result IN ('PASS', 'FAIL', 'CERTIFIED', 'HELD_AT_PREVIOUS')", name="evidence_result"),
    CheckConstraint(
        "certified_view_status IN ('CERTIFIED', 'HELD_AT_PREVIOUS', 'UNCERTIFIED')", name="evidence_view_status"
    ),
    Index("evidence_by_dataset", "dataset_urn", "id"),
    Index("evidence_by_run", "run_id", "id"),
    Index("evidence_by_result", "result", "id"),
    Index("evidence_by_gate", "gate", "result", "id"),
    Index("evidence_by_partition", "partition", "result", "id"),
    Index("evidence_by_position", "dataset_urn", "position", unique=True),
    Index("evidence_by_evidence_id", "evidence_id", unique=True),
    sqlite_autoincrement=True,
)

EVIDENCE_HEAD = Table(
    "evidence_head",
    METADATA,
    Column("dataset_urn", name_of(300), primary_key=True),
    Column("position", BigInteger, nullable=False),
    Column("mac", name_of(64), nullable=False),
    Column("key_id", name_of(20), nullable=False),
    Column("seal", name_of(64), nullable=False),
)

EVIDENCE_CHECKPOINT = Table(
    "evidence_checkpoint",
    METADATA,
    Column("number", ROW_ID, primary_key=True, autoincrement=False),
    Column("made_at", UtcTime, nullable=False),
    Column("document", Text, nullable=False),
)

EVIDENCE_RELAY = Table(
    "evidence_relay",
    METADATA,
    Column("topic", name_of(249), primary_key=True),
    Column("sent_id", ROW_ID, nullable=False),
    Column("sent_at", UtcTime),
    Column("holder", name_of(300)),
    Column("held_until", UtcTime),
)
