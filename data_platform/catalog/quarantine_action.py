"""What people do with quarantined rows: assign, discard, ask to replay them. Each step is in two logs.

The same step by the same person once more, as after a command that died, changes nothing and is not logged again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.audit import add_audit
from data_platform.catalog.quarantine import find_entry
from data_platform.catalog.quarantine_table import QUARANTINE, QUARANTINE_ACTION, QUARANTINE_DECISION
from data_platform.errors import ConflictError, InputError, NotFoundError
from data_platform.model.personal import redacted
from data_platform.model.quarantine import QuarantineStatus
from data_platform.model.quarantine_decision import DecisionKind, DecisionStatus, QuarantineAction

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import ScalarSelect
    from sqlalchemy.engine import Connection

    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.registration import Actor

MOST_NAME, MOST_REASON = 200, 4_000
ASSIGN, REPLAY = "assign", "replay.request"


def assign(connection: Connection, name: str, to: str, *, by: Actor, now: datetime) -> QuarantineEntry:
    """Raises: NotFoundError, ConflictError, InputError: no such entry, it is closed, or ``to`` is no name."""
    entry, person = find_open(connection, name), checked_text("to", to, MOST_NAME)
    earlier = [(step.actor, step.detail) for step in find_actions(connection, name) if step.action == ASSIGN]
    if entry.assignee == person and earlier and earlier[-1] == (by.name, {"to": person}):
        return entry
    connection.execute(update(QUARANTINE).where(QUARANTINE.c.name == name).values(assignee=person))
    log_action(connection, name, ASSIGN, by=by, now=now, detail={"to": person})
    return find_known(connection, name)


def discard(connection: Connection, name: str, reason: str, *, by: Actor, now: datetime) -> QuarantineEntry:
    """Closes the entry. Its open rows count as discarded, and stay in its table on disk.

    Raises:
        NotFoundError, ConflictError, InputError: No such entry, it is closed, or there is no reason.
    """
    entry, why = find_known(connection, name), checked_reason(reason)
    if (entry.status, entry.closed_by, entry.closed_reason) == (QuarantineStatus.DISCARDED, by.name, why):
        return entry
    find_open(connection, name)
    closing = {
        "status": QuarantineStatus.DISCARDED.value,
        "discarded_rows": entry.discarded_rows + entry.open_rows,
        "closed_by": by.name,
        "closed_at": now,
        "closed_reason": why,
    }
    connection.execute(update(QUARANTINE).where(QUARANTINE.c.name == name).values(**closing))
    withdrawn = {"status": DecisionStatus.WITHDRAWN.value, "decided_by": by.name, "decided_at": now}
    earlier = (QUARANTINE_DECISION.c.entry == _key_of(name), QUARANTINE_DECISION.c.status != "WITHDRAWN")
    connection.execute(update(QUARANTINE_DECISION).where(*earlier).values(**withdrawn))
    add_decision(
        connection, name, DecisionKind.DISCARD, DecisionStatus.APPROVED, signatures={}, reason=why, by=by, now=now
    )
    log_action(connection, name, "discard", by=by, now=now, reason=why, detail={"rows": entry.open_rows})
    return find_known(connection, name)


def add_decision(
    connection: Connection,
    name: str,
    kind: DecisionKind,
    status: DecisionStatus,
    *,
    signatures: Mapping[str, int | None],
    reason: str,
    by: Actor,
    now: datetime,
) -> int:
    """Returns the number of the new decision."""
    values = {
        "entry": _key_of(name),
        "kind": kind.value,
        "status": status.value,
        "signatures": dict(signatures),
        "reason": reason,
        "requested_by": by.name,
        "requested_at": now,
    }
    statement = insert(QUARANTINE_DECISION).values(**values).returning(QUARANTINE_DECISION.c.id)
    return int(connection.execute(statement).scalar_one())


def log_action(
    connection: Connection,
    name: str,
    action: str,
    *,
    by: Actor,
    now: datetime,
    reason: str = "",
    detail: Mapping[str, Any] | None = None,
) -> None:
    values = {"entry": _key_of(name), "acted_at": now, "actor": by.name, "role": by.role, "action": action}
    connection.execute(insert(QUARANTINE_ACTION).values(**values, reason=reason, detail=dict(detail or {})))
    add_audit(
        connection,
        actor=by.name,
        role=by.role,
        action=f"quarantine.{action}",
        subject=name,
        detail={**(detail or {}), **({"reason": reason} if reason else {})},
        now=now,
    )


def request_replay(connection: Connection, name: str, *, by: Actor, now: datetime) -> QuarantineEntry:
    """Asks for a replay; a sensor of the platform starts it. Raises: NotFoundError, if there is no such entry."""
    entry = find_known(connection, name)
    log_action(connection, name, REPLAY, by=by, now=now)
    return entry


def find_actions(connection: Connection, name: str) -> tuple[QuarantineAction, ...]:
    """Oldest first."""
    return _find(connection, (QUARANTINE.c.name == name,), None)


def find_requested_replays(connection: Connection, *, after: int, limit: int) -> tuple[QuarantineAction, ...]:
    """Those with a greater number than ``after``, oldest first."""
    return _find(connection, (QUARANTINE_ACTION.c.action == REPLAY, QUARANTINE_ACTION.c.id > after), limit)


def _find(connection: Connection, conditions: tuple[Any, ...], limit: int | None) -> tuple[QuarantineAction, ...]:
    same = QUARANTINE.c.id == QUARANTINE_ACTION.c.entry
    query = select(QUARANTINE_ACTION, QUARANTINE.c.name).join(QUARANTINE, same).where(*conditions)
    return tuple(
        QuarantineAction(
            id=row.id,
            entry=row.name,
            at=row.acted_at,
            actor=row.actor,
            role=row.role,
            action=row.action,
            reason=row.reason,
            detail=row.detail,
        )
        for row in connection.execute(query.order_by(QUARANTINE_ACTION.c.id).limit(limit))
    )


def find_known(connection: Connection, name: str) -> QuarantineEntry:
    """Raises: NotFoundError."""
    entry = find_entry(connection, name)
    if entry is None:
        raise NotFoundError(f"there is no quarantine table {name}: see `data-platform quarantine list --all`")
    return entry


def find_open(connection: Connection, name: str) -> QuarantineEntry:
    """Raises: NotFoundError, ConflictError."""
    entry = find_known(connection, name)
    if entry.status is not QuarantineStatus.OPEN:
        by = f" by {entry.closed_by}" if entry.closed_by else ""
        raise ConflictError(
            f"{entry.full_name} is {entry.status}{by}: only an OPEN entry can be worked on; "
            f"`data-platform quarantine list {entry.dataset_urn}` lists them"
        )
    return entry


def _key_of(name: str) -> ScalarSelect[int]:
    """The key of the entry as a part of a statement, so that it takes no query of its own."""
    return select(QUARANTINE.c.id).where(QUARANTINE.c.name == name).scalar_subquery()


def checked_reason(text: str) -> str:
    """Without personal values, since reports and pages show it. Raises: InputError, as ``checked_text``."""
    return redacted(checked_text("reason", text, MOST_REASON))


def checked_text(field: str, text: str, most: int) -> str:
    """Raises: InputError, if ``text`` is blank, too long, or has characters that cannot be printed."""
    kept = " ".join(text.split())
    if not kept or len(kept) > most or not kept.isprintable():
        raise InputError(field, f"expected 1 to {most} printable characters")
    return kept
