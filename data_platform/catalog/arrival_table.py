"""Tables of arrivals that trigger work downstream: dataset versions, completion markers, reports.

``arrival_id`` and ``report_id`` increase in commit order, since there is one writer at a time: a reader that stores the
last one it has read misses none.
"""

from __future__ import annotations

from sqlalchemy import Boolean, CheckConstraint, Column, ForeignKey, Index, Integer, Table, Text, UniqueConstraint

from data_platform.catalog.column import ROW_ID, JsonText, PartitionText, UtcTime, name_of
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
"""A version whose run has completed, or that a dataset event reported; one row, however often it is reported.

``occasion`` is 0; if the same content was delivered again after other content, it counts the deliveries.
"""

COMPLETION_MARKER = Table(
    "completion_marker",
    METADATA,
    Column("dataset_urn", name_of(300), primary_key=True),
    Column("marker", name_of(NAME_BYTES), primary_key=True),
    Column("partition", PartitionText),
    Column("stamp", name_of(100), nullable=False),
    Column("waits_for", Text, nullable=False),
    Column("delivery_id", name_of(100)),
    Column("deliveries", Integer, nullable=False),
    Column("changed_at", UtcTime, nullable=False),
    Column("whole_at", UtcTime),
)
"""The last observed state of a marker. ``delivery_id`` is that of the last complete delivery; ``deliveries`` is the
number of complete deliveries so far."""

ASSET_REPORT = Table(
    "asset_report",
    METADATA,
    Column("report_id", ROW_ID, primary_key=True),
    Column("kind", name_of(20), nullable=False),
    Column("dataset_urn", name_of(300), nullable=False),
    Column("partition", PartitionText),
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
"""Check results and observations of external assets. A materialization is recorded as a version that arrived."""
