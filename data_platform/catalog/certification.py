"""The pointer of each dataset, which moves forward only, and the history of where it was.

``run_id`` and ``partition`` belong to ``status``: they are the last attempt's. ``version``, ``path``, ``certified_at``
and the fingerprints belong to what consumers see, and stay as they are when an attempt is held.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.table import CERTIFICATION, CERTIFICATION_HISTORY
from data_platform.errors import ConflictError, UsageError
from data_platform.model.certification import Certification, CertificationStatus

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Table
    from sqlalchemy.engine import Connection, Row


def advance(connection: Connection, certification: Certification, *, expected: int | None) -> bool:
    """Compare and set; False if this run has already put the pointer there.

    Raises:
        ConflictError: The pointer is not at ``expected``, or would move backward.
        UsageError: ``certification`` is not a certified version.
    """
    version, certified_at = certification.version, certification.certified_at
    if certification.status is not CertificationStatus.CERTIFIED or version is None or certified_at is None:
        raise UsageError(f"{certification.dataset_urn}: only a CERTIFIED version with its time can be certified")
    urn = certification.dataset_urn
    current = find_certification(connection, urn)
    found = current.version if current else None
    if (
        current
        and current.status is CertificationStatus.CERTIFIED
        and (found, current.run_id) == (version, certification.run_id)
    ):
        return False
    if found != expected:
        raise ConflictError(
            f"{urn} is certified at {_said(found)}, and {certification.run_id} expected {_said(expected)}: "
            "another run moved the pointer in between; run again"
        )
    if found is not None and version < found:
        raise ConflictError(
            f"{urn} is certified at {_said(found)}, and cannot go back to {_said(version)}: write the rows you want as "
            "a new version, and certify that"
        )
    _put(connection, certification, known=current is not None, reason="", now=certified_at)
    return True


def hold(
    connection: Connection, urn: str, *, run_id: str, partition: str | None, reason: str, now: datetime
) -> Certification:
    known = connection.execute(_select(CERTIFICATION).where(CERTIFICATION.c.dataset_urn == urn)).one_or_none()
    current = _certification(known) if known else Certification(dataset_urn=urn, status=CertificationStatus.UNCERTIFIED)
    held = CertificationStatus.UNCERTIFIED if current.version is None else CertificationStatus.HELD_AT_PREVIOUS
    state = replace(current, status=held, run_id=run_id, partition=partition)
    if known is None or (state, reason) != (current, known.reason):
        _put(connection, state, known=known is not None, reason=reason, now=now)
    return state


def _said(version: int | None) -> str:
    return "no version" if version is None else f"v{version}"


def _put(connection: Connection, state: Certification, *, known: bool, reason: str, now: datetime) -> None:
    values = {**asdict(state), "status": state.status.value, "reason": reason, "changed_at": now}
    if known:
        pointer = update(CERTIFICATION).where(CERTIFICATION.c.dataset_urn == state.dataset_urn)
        connection.execute(pointer.values(**values))
    else:
        connection.execute(insert(CERTIFICATION).values(**values))
    connection.execute(insert(CERTIFICATION_HISTORY).values(**values))


def find_certification(connection: Connection, urn: str) -> Certification | None:
    row = connection.execute(_select(CERTIFICATION).where(CERTIFICATION.c.dataset_urn == urn)).one_or_none()
    return None if row is None else _certification(row)


def find_certifications(connection: Connection) -> tuple[Certification, ...]:
    query = _select(CERTIFICATION).order_by(CERTIFICATION.c.dataset_urn)
    return tuple(_certification(row) for row in connection.execute(query))


def find_history(connection: Connection, urn: str) -> tuple[Certification, ...]:
    history = CERTIFICATION_HISTORY
    query = _select(history).where(history.c.dataset_urn == urn).order_by(history.c.id.desc())
    return tuple(_certification(row) for row in connection.execute(query))


def _select(table: Table) -> Any:
    return select(*(table.c[column.name] for column in CERTIFICATION.columns))


def _certification(row: Row[Any]) -> Certification:
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
    )
