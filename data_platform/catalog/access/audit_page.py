"""Pages of the audit log, newest first. What writes it is ``catalog.audit``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.access_table import AUDIT
from data_platform.model.access import AuditEntry

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection


def find_audit(
    connection: Connection, *, subject: str | None, actor: str | None, before: int | None, limit: int
) -> tuple[AuditEntry, ...]:
    """``before`` is the key of the last entry of the page before."""
    query = select(AUDIT).order_by(AUDIT.c.audit_id.desc()).limit(limit)
    if subject is not None:
        query = query.where(AUDIT.c.subject == subject)
    if actor is not None:
        query = query.where(AUDIT.c.actor == actor)
    if before is not None:
        query = query.where(AUDIT.c.audit_id < before)
    return tuple(AuditEntry(**row) for row in connection.execute(query).mappings())
