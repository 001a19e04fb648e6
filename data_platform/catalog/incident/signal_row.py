"""Signals as rows: those that are true now, and all others by page."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, insert, select, update

from data_platform.catalog.cursor import decode, encode, page_size
from data_platform.catalog.incident_table import INCIDENT, SIGNAL
from data_platform.catalog.upsert import WANTED, chunks, rows_of
from data_platform.model.incident import SILENCING
from data_platform.model.page import Page
from data_platform.model.signal import Finding, Signal, SignalKind, SignalSeverity

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from data_platform.model.signal import Key


def digest_of(key: Key) -> str:
    return hashlib.sha256(json.dumps(key).encode()).hexdigest()


def find_active(connection: Connection) -> tuple[Signal, ...]:
    """The signals that the last look found, in the order of their numbers."""
    rows = connection.execute(select(SIGNAL).where(SIGNAL.c.ended == 0).order_by(SIGNAL.c.number))
    return tuple(signal_of(row) for row in rows)


def find_of_incident(connection: Connection, incident: int) -> tuple[Signal, ...]:
    rows = connection.execute(select(SIGNAL).where(SIGNAL.c.incident == incident).order_by(SIGNAL.c.number))
    return tuple(signal_of(row) for row in rows)


def find_silenced(connection: Connection, keys: Iterable[Key]) -> dict[Key, int]:
    """The findings that people accepted, each with the number of the incident that they resolved so."""
    digests = {digest_of(key): key for key in keys}
    query = (
        select(SIGNAL.c.digest, SIGNAL.c.incident)
        .join(INCIDENT, INCIDENT.c.number == SIGNAL.c.incident)
        .where(SIGNAL.c.digest.in_(WANTED), INCIDENT.c.resolution.in_([one.value for one in SILENCING]))
        .order_by(SIGNAL.c.number)
    )
    return {digests[row.digest]: row.incident for row in rows_of(connection, query, digests)}


def find_page(
    connection: Connection, *, urn: str | None, active_only: bool, limit: int, cursor: str | None
) -> Page[Signal]:
    """Newest first."""
    query = select(SIGNAL)
    if urn is not None:
        query = query.where(SIGNAL.c.dataset_urn == urn)
    if active_only:
        query = query.where(SIGNAL.c.ended == 0)
    if (after := decode(cursor, int)) is not None:
        query = query.where(SIGNAL.c.number < after[0])
    rows = connection.execute(query.order_by(SIGNAL.c.number.desc()).limit(page_size(limit) + 1)).all()
    shown = tuple(signal_of(row) for row in rows[:limit])
    return Page(shown, encode(shown[-1].number) if len(rows) > limit else None)


def add(connection: Connection, findings: Sequence[Finding], now: datetime) -> dict[Key, Signal]:
    """Stores new findings, and returns their signals by key."""
    if findings:
        rows = [{"digest": digest_of(one.key), "ended": 0, **_values(one), "first_seen_at": now, "last_seen_at": now}
                for one in findings]  # fmt: skip
        connection.execute(insert(SIGNAL), rows)
    wanted = {digest_of(one.key) for one in findings}
    query = select(SIGNAL).where(SIGNAL.c.ended == 0, SIGNAL.c.digest.in_(WANTED))
    added = (signal_of(row) for row in rows_of(connection, query, wanted))
    return {signal.finding.key: signal for signal in added}


def see_again(connection: Connection, seen: Mapping[int, Finding], changed: Sequence[int], now: datetime) -> None:
    """Moves the time of active signals forward, and writes what is new of the ``changed`` ones."""
    for part in chunks(seen):
        later = SIGNAL.c.last_seen_at < now  # a clock may be set back
        connection.execute(update(SIGNAL).where(SIGNAL.c.number.in_(part), later).values(last_seen_at=now))
    for number in changed:
        connection.execute(update(SIGNAL).where(SIGNAL.c.number == number).values(**_values(seen[number])))


def clear(connection: Connection, signals: Iterable[Signal], now: datetime) -> None:
    rows = [{"key": one.number, "at": max(now, one.first_seen_at)} for one in signals]
    if rows:
        statement = update(SIGNAL).where(SIGNAL.c.number == bindparam("key"))
        connection.execute(statement.values(ended=bindparam("key"), cleared_at=bindparam("at")), rows)


def join_incident(connection: Connection, numbers: Iterable[int], incident: int) -> None:
    for part in chunks(numbers):
        connection.execute(update(SIGNAL).where(SIGNAL.c.number.in_(part)).values(incident=incident))


def _values(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind.value,
        "dataset_urn": finding.dataset,
        "partition": finding.partition,
        "signature": finding.signature,
        "severity": finding.severity.value,
        "occurred_at": finding.occurred_at,
        "reason": finding.reason,
        "run_id": finding.run_id,
        "gate": finding.gate,
        "upstream": list(finding.upstream),
        "details": dict(finding.details),
    }


def signal_of(row: Row[Any]) -> Signal:
    finding = Finding(
        kind=SignalKind(row.kind),
        dataset=row.dataset_urn,
        partition=row.partition,
        signature=row.signature,
        severity=SignalSeverity(row.severity),
        occurred_at=row.occurred_at,
        reason=row.reason,
        run_id=row.run_id,
        gate=row.gate,
        upstream=tuple(row.upstream),
        details=row.details,
    )
    return Signal(
        number=row.number,
        finding=finding,
        first_seen_at=row.first_seen_at,
        last_seen_at=row.last_seen_at,
        cleared_at=row.cleared_at,
        incident=row.incident,
    )
