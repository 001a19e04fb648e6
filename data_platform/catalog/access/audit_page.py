"""Reads pages of the audit log, newest first. ``catalog.audit`` writes it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.access_table import AUDIT
from data_platform.catalog.cursor import decode, encode, page_size
from data_platform.model.access import AuditEntry
from data_platform.model.page import Page

if TYPE_CHECKING:
    from sqlalchemy.engine import Connection

_LARGEST = 2**63 - 1


def find_audit(
    connection: Connection, *, subject: str | None, actor: str | None, limit: int, cursor: str | None
) -> Page[AuditEntry]:
    """Raises: InputError, for a wrong limit or cursor."""
    query = select(AUDIT).order_by(AUDIT.c.audit_id.desc()).limit(page_size(limit) + 1)
    if subject is not None:
        query = query.where(AUDIT.c.subject == subject)
    if actor is not None:
        query = query.where(AUDIT.c.actor == actor)
    if (key := decode(cursor, int)) is not None:
        query = query.where(AUDIT.c.audit_id < max(0, min(key[0], _LARGEST)))
    entries = tuple(AuditEntry(**row) for row in connection.execute(query).mappings())
    items = entries[:limit]
    return Page(items, encode(items[-1].audit_id) if len(entries) > limit else None)
