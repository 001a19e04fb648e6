"""Tables of API tokens, stored as hashes, of sessions that were ended, and of the append-only audit log."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Index, Table, UniqueConstraint

from data_platform.catalog.column import ROW_ID, JsonText, UtcTime, name_of
from data_platform.catalog.table import METADATA

ACCESS_TOKEN = Table(
    "access_token",
    METADATA,
    Column("token_id", ROW_ID, primary_key=True),
    Column("name", name_of(200), nullable=False),
    Column("token_hash", name_of(64), nullable=False),
    Column("role", name_of(30), nullable=False),
    Column("teams", JsonText, nullable=False),
    Column("created_by", name_of(200), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime),
    Column("revoked_at", UtcTime),
    UniqueConstraint("token_hash", name="token_hash_once"),
    UniqueConstraint("name", name="token_name_once"),
    CheckConstraint("role IN ('PLATFORM_ADMIN', 'DATA_STEWARD', 'DATA_OWNER', 'DATA_CONSUMER')", name="token_role"),
    sqlite_autoincrement=True,
)

ENDED_SESSION = Table(
    "ended_session",
    METADATA,
    Column("nonce", name_of(50), primary_key=True),
    Column("expires_at", UtcTime, nullable=False),
)

AUDIT = Table(
    "audit",
    METADATA,
    Column("audit_id", ROW_ID, primary_key=True),
    Column("at", UtcTime, nullable=False),
    Column("actor", name_of(200), nullable=False),
    Column("role", name_of(30), nullable=False),
    Column("action", name_of(100), nullable=False),
    Column("subject", name_of(2000), nullable=False),
    Column("detail", JsonText, nullable=False),
    Index("audit_by_subject", "subject", "audit_id"),
    sqlite_autoincrement=True,
)
