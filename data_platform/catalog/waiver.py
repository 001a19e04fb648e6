"""Requests for waivers, their approval by somebody else, and their end. Each step is in the audit log.

The service checks who may request and decide.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.audit import add_audit
from data_platform.catalog.dataset_row import row_of_reference
from data_platform.catalog.four_eyes import require_other
from data_platform.catalog.waiver_table import WAIVER
from data_platform.errors import ConflictError, InputError, NotFoundError
from data_platform.model.personal import redacted
from data_platform.model.verdict import Gate
from data_platform.model.waiver import LONGEST, WAIVABLE, Waiver, WaiverStatus, is_waivable

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from data_platform.model.registration import Actor
    from data_platform.model.waiver import WaiverRequest

_LONGEST_TEXT = 2000
_CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def request_waiver(connection: Connection, request: WaiverRequest, *, by: Actor, now: datetime) -> Waiver:
    """A person who repeats a pending request gets that request back.

    Raises:
        InputError: A field is invalid.
        NotFoundError: No policy declares the dataset, or it has not run yet.
    """
    _check(connection, request, now)
    values = {
        "dataset_urn": request.dataset_urn,
        "gate": request.gate.value,
        "signature": _text(request.signature, "signature"),
        "first": request.first,
        "last": request.last,
        "reason": redacted(_text(request.reason, "reason")),
        "author": by.name,
        "expires_at": request.expires_at,
    }
    same = [WAIVER.c[name].is_not_distinct_from(value) for name, value in values.items()]
    pending = _find(connection, now, *same, WAIVER.c.status == WaiverStatus.PENDING.value)
    if pending:
        return pending[0]
    row = {**values, "requested_at": now, "status": WaiverStatus.PENDING.value}
    number = connection.execute(insert(WAIVER).values(**row).returning(WAIVER.c.number)).scalar_one()
    return _audited(connection, number, "request", by, "", now)


def approve(connection: Connection, number: int, *, by: Actor, comment: str, now: datetime) -> Waiver:
    """From now on the waiver counts.

    Raises:
        UsageError: It is one's own request, or the waiver does not exist.
        ConflictError: The waiver is not pending any more.
    """
    waiver = find_waiver(connection, number, now)
    if waiver.status is not WaiverStatus.PENDING:
        raise ConflictError(f"waiver {number} is {waiver.status} already: request a new one")
    require_other(f"waiver {number}", waiver.author, by)
    values = {"status": WaiverStatus.APPROVED.value, "approver": by.name, "approved_at": now}
    _set(connection, number, {**values, "comment": redacted(comment) or None})
    return _audited(connection, number, "approve", by, comment, now)


def revoke(connection: Connection, number: int, *, by: Actor, comment: str, now: datetime) -> Waiver:
    """The waiver counts no more, whether it was pending or approved. What was certified stays certified.

    Raises:
        UsageError: The waiver does not exist.
        ConflictError: It has been revoked before.
    """
    waiver = find_waiver(connection, number, now)
    if waiver.status is WaiverStatus.REVOKED:
        raise ConflictError(f"waiver {number} was revoked already, by {waiver.revoked_by}")
    values = {"status": WaiverStatus.REVOKED.value, "revoked_by": by.name, "revoked_at": now}
    _set(connection, number, {**values, "comment": redacted(comment) or waiver.comment})
    return _audited(connection, number, "revoke", by, comment, now)


def find_waiver(connection: Connection, number: int, now: datetime) -> Waiver:
    """Raises: NotFoundError, if the waiver does not exist."""
    waivers = _find(connection, now, WAIVER.c.number == number) if 0 < number < 2**63 else ()
    if not waivers:
        raise NotFoundError(f"there is no waiver {number}: the list of waivers shows their numbers")
    return waivers[0]


def find_waivers(
    connection: Connection, urn: str | None, now: datetime, *, ended: bool | None = None
) -> tuple[Waiver, ...]:
    """Oldest first; of every dataset if ``urn`` is None. ``ended`` selects expired and revoked ones, or the others."""
    has_ended = (WAIVER.c.status == WaiverStatus.REVOKED.value) | (WAIVER.c.expires_at <= now)
    conditions = [] if urn is None else [WAIVER.c.dataset_urn == urn]
    if ended is not None:
        conditions.append(has_ended if ended else ~has_ended)
    return _find(connection, now, *conditions)


def find_lapsed(connection: Connection, numbers: Collection[int], now: datetime) -> list[int]:
    """Those of the waivers that are not approved any more."""
    waivers = _find(connection, now, WAIVER.c.number.in_(numbers)) if numbers else ()
    return [waiver.number for waiver in waivers if waiver.status is not WaiverStatus.APPROVED]


def refuse_lapsed(connection: Connection, numbers: Collection[int], now: datetime) -> None:
    """Raises: ConflictError, if one of the waivers is not approved any more; a rerun is judged without it."""
    for number in sorted(numbers):
        waiver = find_waiver(connection, number, now)
        if waiver.status is not WaiverStatus.APPROVED:
            raise ConflictError(f"waiver {number} is {waiver.status} since gold was judged: run {waiver.days} again")


def _check(connection: Connection, request: WaiverRequest, now: datetime) -> None:
    if request.gate not in WAIVABLE:
        raise InputError("gate", f"{request.gate} cannot be waived; it can be one of {', '.join(WAIVABLE)}")
    dataset = row_of_reference(connection, request.dataset_urn)
    if dataset is None or dataset.policy_fingerprint is None:
        raise NotFoundError(f"no policy declares {request.dataset_urn}, or it has not run yet")
    if (request.first is None) != (request.last is None) or (request.first is None) != (dataset.partitioning is None):
        wanted = "none: the dataset has no partitions" if dataset.partitioning is None else "one, or a first and a last"
        raise InputError("partition", f"expected {wanted}")
    if request.first is not None and request.last is not None and request.first > request.last:
        raise InputError("partition", "the last one is before the first")
    if request.expires_at.tzinfo is None or not now < request.expires_at <= now + LONGEST:
        raise InputError("expires_at", f"expected a time with its zone, in the future and within {LONGEST.days} days")
    if not is_waivable(request.gate, request.signature.strip()):
        raise InputError("signature", "rows were lost or doubled on the way, which cannot be waived")
    if redacted(request.signature) != request.signature:
        raise InputError("signature", "contains a personal value; a recorded failure signature never does")


def _text(value: str, field: str) -> str:
    text = value.strip()
    if not text or len(text) > _LONGEST_TEXT or _CONTROL.search(text):
        raise InputError(field, f"expected text of 1 to {_LONGEST_TEXT} characters, without control characters")
    return text


def _set(connection: Connection, number: int, values: dict[str, Any]) -> None:
    connection.execute(update(WAIVER).where(WAIVER.c.number == number).values(**values))


def _audited(connection: Connection, number: int, verb: str, by: Actor, comment: str, now: datetime) -> Waiver:
    waiver = find_waiver(connection, number, now)
    detail = {"waiver": number, "days": waiver.days, "comment": redacted(comment), **waiver.use}
    action = f"waiver.{verb}"
    add_audit(
        connection, actor=by.name, role=by.role, action=action, subject=waiver.dataset_urn, detail=detail, now=now
    )
    return waiver


def _find(connection: Connection, now: datetime, *conditions: Any) -> tuple[Waiver, ...]:
    query = select(WAIVER).where(*conditions).order_by(WAIVER.c.number)
    return tuple(_waiver(row, now) for row in connection.execute(query))


def _waiver(row: Row[Any], now: datetime) -> Waiver:
    values = dict(row._mapping)
    status = WaiverStatus(values.pop("status"))
    has_expired = status is not WaiverStatus.REVOKED and row.expires_at <= now
    return Waiver(**{**values, "gate": Gate.named(row.gate)}, status=WaiverStatus.EXPIRED if has_expired else status)
