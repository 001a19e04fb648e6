"""What has arrived, and has to be passed on to whoever starts work on it: versions, completion markers, reports.

``arrival_id`` and ``report_id`` count up in the order of commits, since writers go one at a time: whoever remembers the
last one that it has seen misses none.
"""

from __future__ import annotations

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from data_platform.catalog.column import ROW_ID, JsonText, UtcTime, name_of
from data_platform.catalog.table import METADATA
from data_platform.model.lineage import NAME_BYTES

DATASET_ARRIVAL = Table(
    "dataset_arrival",
    METADATA,
    Column("arrival_id", ROW_ID, primary_key=True),
    Column("dataset_id", ROW_ID, ForeignKey("dataset.dataset_id", name="dataset_of_arrival"), nullable=False),
    Column("version_tag", name_of(500), nullable=False),
    Column("occasion", Integer, nullable=False),
    Column("arrived_at", UtcTime, nullable=False),
    UniqueConstraint("dataset_id", "version_tag", "occasion", name="arrival_once"),
    sqlite_autoincrement=True,
)
"""A version whose run has completed, or that a dataset's own event told of; once, however often it is told.

``occasion`` is 0, but where the same content was delivered again after another: then it counts the deliveries.
"""

COMPLETION_MARKER = Table(
    "completion_marker",
    METADATA,
    Column("dataset_urn", name_of(300), primary_key=True),
    Column("marker", name_of(NAME_BYTES), primary_key=True),
    Column("partition", name_of(50)),
    Column("stamp", name_of(100), nullable=False),
    Column("waits_for", Text, nullable=False),
    Column("delivery_id", name_of(100)),
    Column("deliveries", Integer, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    Column("whole_at", UtcTime),
)
"""What was seen at a marker last. ``delivery_id`` is the last whole delivery's; ``deliveries`` counts those so far."""

ASSET_REPORT = Table(
    "asset_report",
    METADATA,
    Column("report_id", ROW_ID, primary_key=True),
    Column("kind", name_of(20), nullable=False),
    Column("dataset_urn", name_of(300), nullable=False),
    Column("partition", name_of(50)),
    Column("check_name", name_of(100)),
    Column("passed", Boolean),
    Column("severity", name_of(20)),
    Column("description", Text, nullable=False),
    Column("metadata_json", JsonText, nullable=False),
    Column("digest", name_of(64), nullable=False),
    Column("reported_by", name_of(200), nullable=False),
    Column("reported_at", UtcTime, nullable=False),
    UniqueConstraint("digest", name="report_once"),
    Index("report_by_check", "dataset_urn", "check_name", "partition"),
    CheckConstraint("kind IN ('CHECK', 'OBSERVATION')", name="report_kind"),
    CheckConstraint("kind <> 'CHECK' OR (check_name IS NOT NULL AND passed IS NOT NULL)", name="report_of_check"),
    sqlite_autoincrement=True,
)
"""Results of checks and observations of external assets; that one was materialized is a version that arrives."""
