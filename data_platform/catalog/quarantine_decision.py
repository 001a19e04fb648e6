"""Releases of quarantined rows: requested by one person, approved by another, and applied by the next run of the day.

Four-eyes principle, as with registrations: nobody approves their own request, whatever their role. A release is bound
to the delivery of its entry and to the rules that it names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

from data_platform.catalog.four_eyes import require_other
from data_platform.catalog.quarantine_action import (
    add_decision,
    checked_reason,
    find_known,
    find_open,
    log_action,
)
from data_platform.catalog.quarantine_repeat import same_answer, same_request
from data_platform.catalog.quarantine_table import QUARANTINE, QUARANTINE_DECISION
from data_platform.errors import ConflictError, NotFoundError, UsageError
from data_platform.model.dataset import Stage
from data_platform.model.quarantine import QuarantineStatus
from data_platform.model.quarantine_decision import Decision, DecisionKind, DecisionStatus, is_of_rule
from data_platform.model.remediation import has_releasable_delivery, is_releasable

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.registration import Actor


def request_release(
    connection: Connection, name: str, reason: str, *, rules: Sequence[str], by: Actor, now: datetime
) -> Decision:
    """Requests that rows of an open entry are let through although they break ``rules``; all of its rules if empty.

    Raises:
        NotFoundError, InputError: No such entry, or there is no reason.
        ConflictError: The entry is closed, or another release of it is requested or approved.
        UsageError: A rule cannot be released, the entry does not have it, or no delivery is recorded.
    """
    entry, why = find_known(connection, name), checked_reason(reason)
    earlier = find_decisions_of(connection, name)
    if same := same_request(earlier, why, _named_signatures(entry, rules), by):
        return same
    find_open(connection, name)
    signatures = _released_signatures(entry, rules)
    for other in earlier:
        if other.kind is DecisionKind.RELEASE and other.status is not DecisionStatus.WITHDRAWN:
            raise ConflictError(
                f"a release of {entry.full_name} is {other.status} already, requested by {other.requested_by}: "
                "withdraw it first, with quarantine release --withdraw"
            )
    number = add_decision(
        connection,
        name,
        DecisionKind.RELEASE,
        DecisionStatus.REQUESTED,
        signatures=signatures,
        reason=why,
        by=by,
        now=now,
    )
    log_action(connection, name, "release.request", by=by, now=now, reason=why, detail={"rules": list(signatures)})
    return _find_one(connection, number)


def approve_release(connection: Connection, name: str, *, by: Actor, now: datetime) -> Decision:
    """Raises: NotFoundError, ConflictError, UsageError: nothing to approve, the entry is closed, or it is one's own."""
    if same := same_answer(find_decisions_of(connection, name), DecisionStatus.APPROVED, by):
        return same
    find_open(connection, name)
    decision = _last_release(connection, name, DecisionStatus.REQUESTED)
    require_other(f"the release of {name}", decision.requested_by, by)
    return _decide(connection, decision, DecisionStatus.APPROVED, by=by, now=now)


def withdraw_release(connection: Connection, name: str, *, by: Actor, now: datetime) -> Decision:
    """The next run of the day judges the rows without it. Raises: NotFoundError, if there is none."""
    find_known(connection, name)
    if same := same_answer(find_decisions_of(connection, name), DecisionStatus.WITHDRAWN, by):
        return same
    decision = _last_release(connection, name, DecisionStatus.REQUESTED, DecisionStatus.APPROVED)
    return _decide(connection, decision, DecisionStatus.WITHDRAWN, by=by, now=now)


def find_decisions_of(connection: Connection, name: str) -> tuple[Decision, ...]:
    """Oldest first."""
    return _find(connection, QUARANTINE.c.name == name)


def find_effective(
    connection: Connection, urn: str, stage: Stage, partition: PartitionKey | None, delivery_id: str
) -> tuple[Decision, ...]:
    """The approved decisions about rows of exactly this delivery, oldest first. Without a delivery there are none."""
    if not delivery_id:
        return ()
    return _find(
        connection,
        QUARANTINE.c.dataset_urn == urn,
        QUARANTINE.c.stage == stage.value,
        QUARANTINE.c.partition.is_not_distinct_from(partition),
        QUARANTINE.c.delivery_id == delivery_id,
        QUARANTINE_DECISION.c.status == DecisionStatus.APPROVED.value,
    )


def find_releases(connection: Connection, status: DecisionStatus, limit: int) -> tuple[Decision, ...]:
    """Of all datasets, newest first."""
    of_status = (QUARANTINE_DECISION.c.status == status.value, QUARANTINE_DECISION.c.kind == DecisionKind.RELEASE.value)
    return _find(connection, *of_status, newest=limit)


def find_applied(connection: Connection, urn: str) -> tuple[Decision, ...]:
    """Releases of the dataset that a run has applied to at least one row, oldest first."""
    return _find(
        connection,
        QUARANTINE.c.dataset_urn == urn,
        QUARANTINE_DECISION.c.kind == DecisionKind.RELEASE.value,
        QUARANTINE_DECISION.c.applied_rows > 0,
    )


def find_withdrawn(connection: Connection, numbers: Collection[int]) -> tuple[str, ...]:
    """The entries of those of the releases that are not approved any more, oldest first."""
    if not numbers:
        return ()
    is_one = QUARANTINE_DECISION.c.id.in_(numbers)
    found = _find(connection, is_one, QUARANTINE_DECISION.c.status != DecisionStatus.APPROVED.value)
    return tuple(decision.entry for decision in found)


def refuse_withdrawn(connection: Connection, numbers: Collection[int]) -> None:
    """Raises: ConflictError, if one of the releases is not approved any more; a rerun is judged without it."""
    for entry in find_withdrawn(connection, numbers):
        raise ConflictError(f"the release of quarantine.{entry} was withdrawn since gold was judged: run its day again")


def apply(connection: Connection, applied: Mapping[int, int], *, run_id: str, now: datetime) -> None:
    """Records to how many rows ``run_id`` applied each decision; an entry without open rows is then RELEASED."""
    for number, rows in applied.items():
        decision = _find_one(connection, number)
        values = {"applied_rows": rows, "applied_by": run_id}
        connection.execute(update(QUARANTINE_DECISION).where(QUARANTINE_DECISION.c.id == number).values(**values))
        entry = find_known(connection, decision.entry)
        if decision.kind is not DecisionKind.RELEASE or entry.status is not QuarantineStatus.OPEN:
            continue
        released = min(rows, entry.open_rows + entry.released_rows)
        same = QUARANTINE.c.name == decision.entry
        connection.execute(update(QUARANTINE).where(same).values(released_rows=released))
        if entry.open_rows + entry.released_rows == released:
            closing = {"status": QuarantineStatus.RELEASED.value, "closed_by": run_id, "closed_at": now}
            connection.execute(update(QUARANTINE).where(same).values(**closing, closed_reason=decision.sentence))


def _released_signatures(entry: QuarantineEntry, rules: Sequence[str]) -> dict[str, int | None]:
    if not has_releasable_delivery(entry):
        raise UsageError(
            f"{entry.full_name} cannot be released: a release is bound to a delivery that passed bronze; "
            "correct the policy or the delivery, and replay"
        )
    for rule in rules:
        if not any(is_of_rule(signature, rule) for signature in entry.signatures):
            raise UsageError(f"no row of {entry.full_name} breaks {rule}: name rules of `quarantine show {entry.name}`")
    kept = _named_signatures(entry, rules)
    refused = [signature for signature in kept if not is_releasable(signature, entry.level)]
    if refused or not kept:
        raise UsageError(
            f"rows that break {', '.join(refused) or 'no recorded rule'} cannot be released: they have no valid value, "
            "or the rule protects personal values or counts. Name other rules with --rule, or discard the entry"
        )
    return kept


def _named_signatures(entry: QuarantineEntry, rules: Sequence[str]) -> dict[str, int | None]:
    """Those that ``rules`` name; all of the entry if empty."""
    return {s: n for s, n in entry.signatures.items() if not rules or any(is_of_rule(s, rule) for rule in rules)}


def _last_release(connection: Connection, name: str, *statuses: DecisionStatus) -> Decision:
    found = [
        decision
        for decision in find_decisions_of(connection, name)
        if decision.kind is DecisionKind.RELEASE and decision.status in statuses
    ]
    if not found:
        raise NotFoundError(f"no release of {name} is {' or '.join(statuses)}: request one first")
    return found[-1]


def _decide(
    connection: Connection, decision: Decision, status: DecisionStatus, *, by: Actor, now: datetime
) -> Decision:
    values = {"status": status.value, "decided_by": by.name, "decided_at": now}
    connection.execute(update(QUARANTINE_DECISION).where(QUARANTINE_DECISION.c.id == decision.id).values(**values))
    verb = "approve" if status is DecisionStatus.APPROVED else "withdraw"
    log_action(connection, decision.entry, f"release.{verb}", by=by, now=now, reason=decision.reason)
    return _find_one(connection, decision.id)


def _find_one(connection: Connection, number: int) -> Decision:
    [decision] = _find(connection, QUARANTINE_DECISION.c.id == number)
    return decision


def _find(connection: Connection, *conditions: Any, newest: int | None = None) -> tuple[Decision, ...]:
    """Oldest first; with ``newest`` so many of the newest, newest first."""
    same = QUARANTINE.c.id == QUARANTINE_DECISION.c.entry
    of_entry = (
        QUARANTINE.c.name, QUARANTINE.c.dataset_urn, QUARANTINE.c.stage, QUARANTINE.c.partition, QUARANTINE.c.level,
        QUARANTINE.c.delivery_id, QUARANTINE.c.path,
    )  # fmt: skip
    query = select(QUARANTINE_DECISION, *of_entry).join(QUARANTINE, same).where(*conditions)
    number = QUARANTINE_DECISION.c.id
    query = query.order_by(number) if newest is None else query.order_by(number.desc()).limit(newest)
    return tuple(_decision(row) for row in connection.execute(query))


def _decision(row: Row[Any]) -> Decision:
    return Decision(
        id=row.id,
        entry=row.name,
        kind=DecisionKind(row.kind),
        status=DecisionStatus(row.status),
        dataset_urn=row.dataset_urn,
        stage=Stage(row.stage),
        partition=row.partition,
        level=row.level,
        delivery_id=row.delivery_id,
        table_path=row.path,
        signatures=row.signatures,
        reason=row.reason,
        requested_by=row.requested_by,
        requested_at=row.requested_at,
        decided_by=row.decided_by,
        decided_at=row.decided_at,
        rows=row.applied_rows,
        run_id=row.applied_by,
    )
