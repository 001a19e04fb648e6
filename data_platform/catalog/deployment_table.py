"""The table of deployments; ``catalog.deployment`` reads and writes it."""

from __future__ import annotations

from sqlalchemy import Column, Index, Table, Text, UniqueConstraint

from data_platform.catalog.column import ROW_ID, UtcTime, name_of
from data_platform.catalog.table import METADATA
from data_platform.model.lineage import NAME_BYTES

DEPLOYMENT = Table(
    "deployment",
    METADATA,
    Column("number", ROW_ID, primary_key=True),
    Column("deploy_ref", name_of(200), nullable=False),
    Column("target", name_of(NAME_BYTES), nullable=False),
    Column("deployed_at", UtcTime, nullable=False),
    Column("deployed_by", name_of(200), nullable=False),
    Column("url", Text),
    Column("recorded_at", UtcTime, nullable=False),
    UniqueConstraint("deploy_ref", "target", name="deployment_once"),
    Index("deployment_by_time", "deployed_at"),
    sqlite_autoincrement=True,
)
