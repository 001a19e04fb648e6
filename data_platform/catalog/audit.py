"""Who did what: one row of the audit log, in the transaction of the change that it is about. The log only grows."""

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
    """``action`` is a word such as ``registration.approve``; ``subject`` what it was done to, such as a URN.

    ``detail`` is kept as JSON and shown to whoever may read the log: no token and no secret may be in it.
    """
    row = {"at": now, "actor": actor, "role": role, "action": action, "subject": subject, "detail": dict(detail)}
    connection.execute(insert(AUDIT).values(**row))
