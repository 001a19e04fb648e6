"""Records who opened which tokens of personal values, when and why. A value is returned only after this is stored.

What was refused is recorded too. The log has no value: a text that is no token may be one, and is only counted, and the
reason is redacted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from data_platform.catalog.access_table import AUDIT
from data_platform.catalog.audit import add_audit
from data_platform.errors import RateError, UsageError
from data_platform.model.detokenize import ACTION, HOUR, MOST_AN_HOUR, MOST_TOKENS, REFUSED, SUBJECT
from data_platform.model.personal import redacted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.detokenize import OpenedToken
    from data_platform.model.registration import Actor


def check_request(texts: Sequence[str], reason: str) -> None:
    """Raises: UsageError, if there is no reason, no token, or too many of them."""
    if not reason.strip():
        raise UsageError("the reason is empty: say why you need the values; it is stored in the audit log")
    if not 1 <= len(texts) <= MOST_TOKENS:
        raise UsageError(f"expected 1 to {MOST_TOKENS} tokens in one request, found {len(texts)}")


def check_rate(connection: Connection, count: int, by: Actor, now: datetime) -> None:
    """Raises: RateError, if the user would open more tokens than are allowed in an hour."""
    recent = select(AUDIT.c.detail).where(
        AUDIT.c.subject == SUBJECT, AUDIT.c.actor == by.name, AUDIT.c.action == ACTION, AUDIT.c.at > now - HOUR
    )
    before = sum(int(detail["count"]) for detail in connection.execute(recent).scalars())
    if before + count > MOST_AN_HOUR:
        raise RateError(
            f"{by.name} has asked for {before} tokens in the last hour, and at most {MOST_AN_HOUR} are allowed: wait, "
            "or ask for fewer"
        )


def add_opened(connection: Connection, found: Sequence[OpenedToken], reason: str, *, by: Actor, now: datetime) -> None:
    tokens = [item.token for item in found if item.token is not None]
    detail = {
        "reason": redacted(reason.strip()),
        "count": len(found),
        "opened": sum(item.value is not None for item in found),
        "not_tokens": len(found) - len(tokens),
        "tokens": tokens,
    }
    _add(connection, ACTION, detail, by, now)


def add_refused(connection: Connection, why: str, *, count: int | None, reason: str, by: Actor, now: datetime) -> None:
    """``count`` is None if the request was refused before it was read."""
    _add(connection, REFUSED, {"why": why, "count": count, "reason": redacted(reason.strip())}, by, now)


def _add(connection: Connection, action: str, detail: dict[str, Any], by: Actor, now: datetime) -> None:
    add_audit(connection, actor=by.name, role=by.role, action=action, subject=SUBJECT, detail=detail, now=now)
