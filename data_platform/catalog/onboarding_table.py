"""The table of onboardings, one row for each dataset; ``catalog.onboarding`` reads and writes it."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Table, Text

from data_platform.catalog.column import ROW_ID, JsonText, UtcTime, name_of
from data_platform.catalog.table import METADATA

ONBOARDING = Table(
    "onboarding",
    METADATA,
    Column("dataset_urn", name_of(300), primary_key=True),
    Column("state", name_of(20), nullable=False),
    Column("source", Text, nullable=False),
    Column("author", name_of(200), nullable=False),
    Column("policy_fingerprint", name_of(100), nullable=False),
    Column("document", JsonText, nullable=False),
    Column("registration", ROW_ID, ForeignKey("dataset_registration.reg_id", name="registration_of_onboarding")),
    Column("review", Text, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("updated_at", UtcTime, nullable=False),
    CheckConstraint("state IN ('PROPOSED', 'TRIED', 'PENDING')", name="onboarding_state"),
    Index("onboarding_by_time", "updated_at"),
)
