"""The certification pointer of each dataset, which moves forward only, and its history.

In the table, ``run_id`` and ``partition`` belong to ``status``: they are those of the last attempt. ``version``,
``path``, ``certified_at`` and the fingerprints describe what consumers see, and do not change when an attempt is held.
The run that certified that version is read from the history: there a certification has no reason, a later move has one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, insert, select, update

from data_platform.catalog.table import CERTIFICATION, CERTIFICATION_HISTORY
from data_platform.errors import ConflictError, UsageError
from data_platform.model.certification import Certification, CertificationStatus, PointerMove

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy import Table
    from sqlalchemy.engine import Connection, Row

    from data_platform.model.partition_key import PartitionKey


def advance(connection: Connection, certification: Certification, *, expected: int | None) -> bool:
    """Moves the pointer by compare and set; returns False if this run has already moved it there.

    Raises:
        ConflictError, UsageError: As ``advance_all``.
    """
    return bool(advance_all(connection, [(certification, expected)]))


def advance_all(connection: Connection, moves: Sequence[tuple[Certification, int | None]]) -> list[str]:
    """Moves pointers of different datasets, each from the version that its caller expects; returns those that moved.

    Raises:
        ConflictError: A pointer is elsewhere, or would move backward. The caller's transaction must not commit.
        UsageError: One of ``moves`` is not to a certified version.
    """
    urns = [certification.dataset_urn for certification, _ in moves]
    rows = connection.execute(_select(CERTIFICATION).where(CERTIFICATION.c.dataset_urn.in_(urns)))
    current = {row.dataset_urn: certification_of(row) for row in rows}
    moving = [one for one, expected in moves if _moves(one, current.get(one.dataset_urn), expected)]
    changes = [_values(one, reason="", now=one.certified_at) for one in moving]
    if existing := [{"of": row["dataset_urn"], **row} for row in changes if row["dataset_urn"] in current]:
        connection.execute(update(CERTIFICATION).where(CERTIFICATION.c.dataset_urn == bindparam("of")), existing)
    if new := [row for row in changes if row["dataset_urn"] not in current]:
        connection.execute(insert(CERTIFICATION), new)
    if changes:
        connection.execute(insert(CERTIFICATION_HISTORY), changes)
    return [one.dataset_urn for one in moving]


def _moves(certification: Certification, current: Certification | None, expected: int | None) -> bool:
    """Whether the pointer is at ``expected`` and moves; False if its run has already moved it."""
    version, certified_at = certification.version, certification.certified_at
    if certification.status is not CertificationStatus.CERTIFIED or version is None or certified_at is None:
        raise UsageError(f"{certification.dataset_urn}: only a CERTIFIED version with its time can be certified")
    urn = certification.dataset_urn
    current_version = current.version if current else None
    if (
        current
        and current.status is CertificationStatus.CERTIFIED
        and (current_version, current.run_id) == (version, certification.run_id)
    ):
        return False
    if current_version != expected:
        raise ConflictError(
            f"{urn} is certified at {_shown(current_version)}, and {certification.run_id} expected {_shown(expected)}: "
            "another run moved the pointer in between; run again"
        )
    if current_version is not None and version < current_version:
        raise ConflictError(
            f"{urn} is certified at {_shown(current_version)}, and cannot go back to {_shown(version)}: write the "
            "rows you want as a new version, and certify that"
        )
    return True


def hold(
    connection: Connection, urn: str, *, run_id: str, partition: PartitionKey | None, reason: str, now: datetime
) -> Certification:
    row = connection.execute(_select(CERTIFICATION).where(CERTIFICATION.c.dataset_urn == urn)).one_or_none()
    current = certification_of(row) if row else Certification(dataset_urn=urn, status=CertificationStatus.UNCERTIFIED)
    held = CertificationStatus.UNCERTIFIED if current.version is None else CertificationStatus.HELD_AT_PREVIOUS
    state = replace(current, status=held, run_id=run_id, partition=partition)
    state, current = replace(state, reason=reason), replace(current, reason=row.reason if row else "")
    if row is None or state != current:
        _put(connection, state, exists=row is not None, reason=reason, now=now)
    return with_origin(connection, state)


def _shown(version: int | None) -> str:
    return "no version" if version is None else f"v{version}"


def follow(connection: Connection, urn: str, move: PointerMove, *, now: datetime) -> None:
    """Changes only the version, by compare and set. The move's reason goes into the history; the status keeps its own.

    Raises:
        ConflictError: The pointer is not at ``move.expected``, or would move backward.
    """
    row = connection.execute(_select(CERTIFICATION).where(CERTIFICATION.c.dataset_urn == urn)).one_or_none()
    current_version = row.version if row else None
    if row is None or current_version != move.expected or move.version <= move.expected:
        raise ConflictError(
            f"{urn} is certified at {_shown(current_version)}, and cannot follow from {_shown(move.expected)} to "
            f"{_shown(move.version)}: another run moved the pointer in between; run again"
        )
    state = replace(certification_of(row), version=move.version)
    _put(connection, state, exists=True, reason=row.reason, now=now, history_reason=move.reason)


def _put(
    connection: Connection,
    state: Certification,
    *,
    exists: bool,
    reason: str,
    now: datetime,
    history_reason: str | None = None,
) -> None:
    values = _values(state, reason=reason, now=now)
    if exists:
        pointer = update(CERTIFICATION).where(CERTIFICATION.c.dataset_urn == state.dataset_urn)
        connection.execute(pointer.values(**values))
    else:
        connection.execute(insert(CERTIFICATION).values(**values))
    history = values if history_reason is None else {**values, "reason": history_reason}
    connection.execute(insert(CERTIFICATION_HISTORY).values(**history))


def _values(state: Certification, *, reason: str, now: datetime | None) -> dict[str, Any]:
    columns = {c.name: getattr(state, c.name) for c in CERTIFICATION.columns if c.name != "changed_at"}
    return {**columns, "status": state.status.value, "reason": reason, "changed_at": now}


def find_certification(connection: Connection, urn: str) -> Certification | None:
    certification = _find_raw(connection, urn)
    return None if certification is None else with_origin(connection, certification)


def find_certifications(connection: Connection, urns: Sequence[str] | None = None) -> tuple[Certification, ...]:
    """The versions are read in one statement, so a publication of a group is in all of them or in none."""
    wanted = () if urns is None else (CERTIFICATION.c.dataset_urn.in_(urns),)
    origin = CERTIFICATION_HISTORY.alias("origin")
    newest = _certified(CERTIFICATION_HISTORY.c.id).where(
        CERTIFICATION_HISTORY.c.dataset_urn == CERTIFICATION.c.dataset_urn
    )
    query = (
        _select(CERTIFICATION)
        .add_columns(*(origin.c[name].label(f"origin_{name}") for name in ("run_id", "partition", "version")))
        .outerjoin_from(CERTIFICATION, origin, origin.c.id == newest.limit(1).scalar_subquery())
        .where(*wanted)
        .order_by(CERTIFICATION.c.dataset_urn)
    )
    return tuple(_of_origin(certification_of(row), row) for row in connection.execute(query))


def _find_raw(connection: Connection, urn: str) -> Certification | None:
    row = connection.execute(_select(CERTIFICATION).where(CERTIFICATION.c.dataset_urn == urn)).one_or_none()
    return None if row is None else certification_of(row)


def with_origin(connection: Connection, pointer: Certification, *, until: int | None = None) -> Certification:
    """``pointer`` with the run, partition and version of its certification in place of the last attempt's.

    ``until`` is the id of the history's last line that counts.
    """
    history = CERTIFICATION_HISTORY
    columns = (history.c[name].label(f"origin_{name}") for name in ("run_id", "partition", "version"))
    query = _certified(*columns).where(history.c.dataset_urn == pointer.dataset_urn)
    if until is not None:
        query = query.where(history.c.id <= until)
    return _of_origin(pointer, connection.execute(query.limit(1)).one_or_none())


def _certified(*columns: Any) -> Any:
    """The lines of the history that certified a version, newest first."""
    history = CERTIFICATION_HISTORY
    wanted = (history.c.status == CertificationStatus.CERTIFIED.value, history.c.reason == "")
    return select(*columns).where(*wanted).order_by(history.c.id.desc())


def _of_origin(pointer: Certification, origin: Row[Any] | None) -> Certification:
    is_certified = origin is not None and origin.origin_run_id is not None and pointer.version is not None
    return replace(
        pointer,
        attempt_run_id=pointer.run_id,
        attempt_partition=pointer.partition,
        run_id=origin.origin_run_id if origin is not None and is_certified else "",
        partition=origin.origin_partition if origin is not None and is_certified else None,
        judged_version=origin.origin_version if origin is not None and is_certified else pointer.judged_version,
    )


def find_history(connection: Connection, urn: str) -> tuple[Certification, ...]:
    history = CERTIFICATION_HISTORY
    query = _select(history).where(history.c.dataset_urn == urn).order_by(history.c.id.desc())
    return tuple(certification_of(row) for row in connection.execute(query))


def _select(table: Table) -> Any:
    return select(*(table.c[column.name] for column in CERTIFICATION.columns))


def certification_of(row: Row[Any]) -> Certification:
    return Certification(
        dataset_urn=row.dataset_urn,
        status=CertificationStatus(row.status),
        version=row.version,
        path=row.path,
        certified_at=row.certified_at,
        run_id=row.run_id,
        partition=row.partition,
        schema_fingerprint=row.schema_fingerprint,
        policy_fingerprint=row.policy_fingerprint,
        reason=row.reason,
    )
