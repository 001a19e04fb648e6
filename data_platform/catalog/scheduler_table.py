"""The table of what Dagster's daemon last reported; ``catalog.scheduler`` reads and writes it."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Table

from data_platform.catalog.column import UtcTime, name_of
from data_platform.catalog.table import METADATA

SCHEDULER_TRIGGER = Table(
    "scheduler_trigger",
    METADATA,
    Column("name", name_of(200), primary_key=True),
    Column("is_running", Boolean, nullable=False),
    Column("since", UtcTime, nullable=False),
    Column("seen_at", UtcTime, nullable=False),
)
"""The daemon, and each schedule and sensor that is or was switched off. ``since`` is when ``is_running`` changed."""
