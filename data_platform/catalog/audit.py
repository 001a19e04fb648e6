"""Writes the append-only audit log: one row a change, in the transaction of that change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert

from data_platform.catalog.access_table import AUDIT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy.engine import Connection


def add_audit(
    connection: Connection,
    *,
    actor: str,
    role: str,
    action: str,
    subject: str,
    detail: Mapping[str, Any],
    now: datetime,
) -> None:
    """``action`` is a name such as ``registration.approve``; ``subject`` is what the action changed, such as a URN.

    ``detail`` is stored as JSON and shown to every reader of the log: it must not contain tokens or secrets.
    """
    row = {"at": now, "actor": actor, "role": role, "action": action, "subject": subject, "detail": dict(detail)}
    connection.execute(insert(AUDIT).values(**row))
