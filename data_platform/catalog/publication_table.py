"""Tables of publish groups: their members, versions that wait, and what was published together.

A candidate is closed once: ``PUBLISHED``, ``SUPERSEDED`` by a later one of its partition, or ``DISCARDED`` because gold
was restored to an older version.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text

from data_platform.catalog.column import ROW_ID, JsonText, PartitionText, UtcTime, name_of
from data_platform.catalog.table import METADATA

GROUP_MEMBER = Table(
    "publish_group_member",
    METADATA,
    Column("dataset_urn", name_of(300), primary_key=True),
    Column("group_name", name_of(100), nullable=False),
    Column("path", Text, nullable=False),
    Column("judged_under", name_of(100), nullable=False),
    Column("first", PartitionText),
    Column("last", PartitionText),
    Column("declared_at", UtcTime, nullable=False),
    Index("publish_group_member_by_group", "group_name"),
)

CANDIDATE = Table(
    "publish_candidate",
    METADATA,
    Column("number", ROW_ID, primary_key=True),
    Column("dataset_urn", name_of(300), nullable=False),
    Column("group_name", name_of(100), nullable=False),
    Column("partition", PartitionText),
    Column("run_id", name_of(200), nullable=False),
    Column("path", Text, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("base", BigInteger),
    Column("row_count", BigInteger, nullable=False),
    Column("schema_fingerprint", name_of(100), nullable=False),
    Column("policy_fingerprint", name_of(100), nullable=False),
    Column("judged_under", name_of(100), nullable=False),
    Column("delivery_id", name_of(500), nullable=False),
    Column("started_at", UtcTime, nullable=False),
    Column("ready_at", UtcTime, nullable=False),
    Column("verdict", JsonText, nullable=False),
    Column("metadata", JsonText, nullable=False),
    Column("after_run", BigInteger, nullable=False),
    Column("state", name_of(20), nullable=False),
    Column("publication_id", name_of(50)),
    Column("closed_at", UtcTime),
    CheckConstraint("state IN ('OPEN', 'PUBLISHED', 'SUPERSEDED', 'DISCARDED')", name="publish_candidate_state"),
    CheckConstraint("(state = 'OPEN') = (closed_at IS NULL)", name="publish_candidate_closed"),
    Index("publish_candidate_by_dataset", "dataset_urn", "state", "number"),
    sqlite_autoincrement=True,
)

SLICE = Table(
    "publish_slice",
    METADATA,
    Column(
        "candidate",
        ROW_ID,
        ForeignKey("publish_candidate.number", name="slice_of_candidate"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("position", Integer, primary_key=True, autoincrement=False),
    Column("dataset_urn", name_of(300), nullable=False),
    Column("partition", PartitionText),
    Index("publish_slice_by_partition", "dataset_urn", "partition"),
)

PUBLICATION = Table(
    "publication",
    METADATA,
    Column("id", name_of(50), primary_key=True),
    Column("group_name", name_of(100), nullable=False),
    Column("run_id", name_of(200), nullable=False),
    Column("published_at", UtcTime, nullable=False),
    Column("reported_at", UtcTime),
    Index("publication_by_group", "group_name", "published_at"),
    Index("publication_by_report", "reported_at"),
)
"""``reported_at`` is when Dagster received the materializations of all its members; None: not yet."""

PUBLICATION_MEMBER = Table(
    "publication_member",
    METADATA,
    Column("publication_id", name_of(50), ForeignKey("publication.id", name="member_of_publication"), primary_key=True),
    Column("dataset_urn", name_of(300), primary_key=True),
    Column("version", BigInteger, nullable=False),
    Column("previous_version", BigInteger),
    Column("history", ROW_ID, ForeignKey("certification_history.id", name="history_of_member"), nullable=False),
    Index("publication_member_by_history", "history"),
)
