"""The scan that the legacy part of the graph was last brought up to, so that the next one can be compared with it."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Table, Text

from data_platform.catalog.column import UtcTime, name_of
from data_platform.catalog.table import METADATA

LEGACY_SCAN = Table(
    "legacy_scan",
    METADATA,
    Column("scheduler", name_of(50), primary_key=True),
    Column("document", Text, nullable=False),
    Column("digest", name_of(64), nullable=False),
    Column("key_changes", BigInteger, nullable=False),
    Column("applied_by", name_of(200), nullable=False),
    Column("applied_at", UtcTime, nullable=False),
)
"""``key_changes`` counts up when processes have got other keys: names that were remembered are then old."""
