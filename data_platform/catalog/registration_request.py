"""Requests to register a dataset, which a steward approves or rejects. Each step is in the audit log.

Four-eyes principle: nobody approves their own request, whatever their role. Rejecting one's own request withdraws it.
The service checks who may request and decide. A dataset that a policy file declares can be neither registered nor
deprecated here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.audit import add_audit
from data_platform.catalog.dataset_row import is_named, name_of_row, row_of_reference
from data_platform.catalog.four_eyes import require_other
from data_platform.catalog.registration_field import POLICY, read_fields
from data_platform.catalog.registry_table import DATASET, DATASET_REGISTRATION, SLA
from data_platform.catalog.search import reindex
from data_platform.errors import ConflictError, InputError, NotFoundError, UsageError
from data_platform.model.lineage import NodeType
from data_platform.model.personal import redacted
from data_platform.model.registration import RegistrationEntry, RegistrationPage, RegistrationStatus

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.lineage import Name
    from data_platform.model.registration import Actor, RegistrationRequest

MOST_ENTRIES = 200
_COLUMNS = {"format": "default_format"}
"""Maps fields to columns that have another name."""


def request_registration(
    connection: Connection, request: RegistrationRequest, *, by: Actor, now: datetime
) -> RegistrationEntry:
    """A dataset without a row becomes a DRAFT. A person who repeats a pending request gets that request back.

    Raises:
        InputError: A field is invalid.
        UsageError: A policy file declares the dataset.
        ConflictError: Another request for the dataset is pending.
    """
    name, requested = read_fields(request)
    dataset = _find_or_draft(connection, name, by=by, now=now, may_be_declared=POLICY in requested)
    pending = _entries(
        connection, DATASET_REGISTRATION.c.dataset_id == dataset, _has_status(RegistrationStatus.PENDING)
    )
    if pending:
        if (pending[0].submitted_by, pending[0].requested) == (by.name, requested):
            return pending[0]
        raise ConflictError(f"registration {pending[0].id} of {name.reference} is pending: approve or reject it first")
    row = {"dataset_id": dataset, "submitted_by": by.name, "submitted_at": now, "requested": requested}
    statement = insert(DATASET_REGISTRATION).values(**row, status=RegistrationStatus.PENDING)
    number = connection.execute(statement.returning(DATASET_REGISTRATION.c.reg_id)).scalar_one()
    _audit(connection, by, "registration.request", name.reference, {"registration": number, **requested}, now)
    return find_registration(connection, number)


def find_registration(connection: Connection, number: int) -> RegistrationEntry:
    """Raises: NotFoundError, if the request does not exist."""
    entries = _entries(connection, DATASET_REGISTRATION.c.reg_id == number) if 0 < number < 2**63 else []
    if not entries:
        raise NotFoundError(f"there is no registration {number}: the list of registrations shows their numbers")
    return entries[0]


def find_registrations(
    connection: Connection,
    status: RegistrationStatus | None,
    *,
    cursor: str | None,
    limit: int,
    newest_first: bool = False,
) -> RegistrationPage:
    """Raises: InputError, for an invalid cursor, or a limit out of range."""
    if not 1 <= limit <= MOST_ENTRIES:
        raise InputError("limit", f"expected 1 to {MOST_ENTRIES}")
    if cursor is not None and not (cursor.isascii() and cursor.isdigit() and len(cursor) < 19):
        raise InputError("cursor", "not a cursor of registrations: expected the one of the page before, or none")
    conditions = [] if status is None else [_has_status(status)]
    if cursor is not None:
        number, last = DATASET_REGISTRATION.c.reg_id, int(cursor)
        conditions.append(number < last if newest_first else number > last)
    entries = _entries(connection, *conditions, limit=limit + 1, newest_first=newest_first)
    shown = tuple(entries[:limit])
    return RegistrationPage(entries=shown, cursor=str(shown[-1].id) if len(entries) > limit else None)


def approve(connection: Connection, number: int, *, by: Actor, comment: str, now: datetime) -> RegistrationEntry:
    """Makes the dataset ACTIVE, with the requested fields. The approval of a policy changes no field.

    Raises:
        UsageError: It is one's own request, a policy file declares the dataset by now, or the request does not exist.
        ConflictError: The request is already decided.
    """
    entry = find_registration(connection, number)
    require_other(f"registration {number}", entry.submitted_by, by)
    _decide(connection, entry, RegistrationStatus.APPROVED, by=by, comment=comment, now=now)
    dataset = connection.execute(select(DATASET).where(DATASET.c.dataset_id == entry.dataset_id)).mappings().one()
    if POLICY in entry.requested:  # its other values are in the files, and count once these are there
        return find_registration(connection, number)
    _refuse_declared(dataset)
    values = {_COLUMNS.get(name, name): value for name, value in entry.requested.items()}
    window = values.pop("sla_window_seconds", None)
    if window is not None:
        values["default_sla_id"] = _own_sla(connection, entry.dataset_id, window, now=now)
    _change(connection, entry.dataset_id, {**values, "status": "ACTIVE"}, now=now)
    return find_registration(connection, number)


def reject(connection: Connection, number: int, *, by: Actor, comment: str, now: datetime) -> RegistrationEntry:
    """Rejects the request; the dataset does not change.

    Raises:
        UsageError: The request does not exist.
        ConflictError: The request is already decided.
    """
    entry = find_registration(connection, number)
    _decide(connection, entry, RegistrationStatus.REJECTED, by=by, comment=comment, now=now)
    return find_registration(connection, number)


def deprecate(connection: Connection, full_name: str, *, by: Actor, comment: str, now: datetime) -> None:
    """Marks the dataset DEPRECATED, to make consumers move away; nothing is removed. Repeating it changes nothing.

    Raises:
        UsageError: There is no such dataset, or a policy file declares it.
    """
    row = row_of_reference(connection, full_name)
    if row is None:
        raise NotFoundError("there is no dataset of this full name: expected one such as ds://zone/name")
    dataset = row._mapping
    _refuse_declared(dataset)
    if dataset["status"] == "DEPRECATED":
        return
    _change(connection, dataset["dataset_id"], {"status": "DEPRECATED"}, now=now)
    detail = {"comment": comment, "before": dataset["status"]}
    _audit(connection, by, "dataset.deprecate", dataset["full_name"], detail, now)


def _decide(
    connection: Connection,
    entry: RegistrationEntry,
    status: RegistrationStatus,
    *,
    by: Actor,
    comment: str,
    now: datetime,
) -> None:
    if entry.status is not RegistrationStatus.PENDING:
        raise ConflictError(f"registration {entry.id} is {entry.status} already, by {entry.reviewer}: make a new one")
    same = DATASET_REGISTRATION.c.reg_id == entry.id
    shown = redacted(comment)
    values = {"status": status, "reviewer": by.name, "reviewed_at": now, "review_comment": shown or None}
    connection.execute(update(DATASET_REGISTRATION).where(same).values(**values))
    verb = "approve" if status is RegistrationStatus.APPROVED else "reject"
    detail = {"registration": entry.id, "comment": shown, **entry.requested}
    _audit(connection, by, f"registration.{verb}", entry.full_name, detail, now)


def _find(connection: Connection, name: Name) -> Any:
    return connection.execute(select(DATASET).where(is_named(name))).mappings().one_or_none()


def _find_or_draft(connection: Connection, name: Name, *, by: Actor, now: datetime, may_be_declared: bool) -> int:
    existing = _find(connection, name)
    if existing is not None:
        if not may_be_declared:
            _refuse_declared(existing)
        return int(existing["dataset_id"])
    row = {"namespace": name.namespace, "name": name.name, "full_name": name.full, "description": "", "tags": []}
    defaults = {"status": "DRAFT", "created_by": by.name, "created_at": now, "updated_at": now}
    statement = insert(DATASET).values(**row, **defaults).returning(DATASET.c.dataset_id)
    number: int = connection.execute(statement).scalar_one()
    reindex(connection, [(NodeType.DATASET, number)])
    return number


def _refuse_declared(dataset: Any) -> None:
    if dataset["policy_fingerprint"] is not None:
        raise UsageError(f"{dataset['full_name']} is declared by a policy file: change it there, and validate it")


def _own_sla(connection: Connection, dataset: int, window: int, *, now: datetime) -> int:
    """Saves a service level that only this dataset has, so that other datasets' do not change."""
    name = f"dataset:{dataset}"
    existing = connection.execute(select(SLA.c.sla_id).where(SLA.c.name == name)).scalar_one_or_none()
    if existing is None:
        statement = insert(SLA).values(name=name, sla_window_sec=window, created_at=now)
        return int(connection.execute(statement.returning(SLA.c.sla_id)).scalar_one())
    connection.execute(update(SLA).where(SLA.c.sla_id == existing).values(sla_window_sec=window))
    return int(existing)


def _change(connection: Connection, dataset: int, values: dict[str, Any], *, now: datetime) -> None:
    connection.execute(update(DATASET).where(DATASET.c.dataset_id == dataset).values(**values, updated_at=now))
    reindex(connection, [(NodeType.DATASET, dataset)])


def _audit(connection: Connection, by: Actor, action: str, subject: str, detail: dict[str, Any], now: datetime) -> None:
    add_audit(connection, actor=by.name, role=by.role, action=action, subject=subject, detail=detail, now=now)


def _has_status(status: RegistrationStatus) -> Any:
    return DATASET_REGISTRATION.c.status == status


def _entries(
    connection: Connection, *conditions: Any, limit: int = 1, newest_first: bool = False
) -> list[RegistrationEntry]:
    same = DATASET.c.dataset_id == DATASET_REGISTRATION.c.dataset_id
    names = DATASET.c.namespace, DATASET.c.name, DATASET.c.full_name
    query = select(DATASET_REGISTRATION, *names).join(DATASET, same).where(*conditions)
    number = DATASET_REGISTRATION.c.reg_id
    rows = connection.execute(query.order_by(number.desc() if newest_first else number).limit(limit))
    return [
        RegistrationEntry(
            id=row.reg_id,
            dataset_id=row.dataset_id,
            full_name=row.full_name,
            reference=name_of_row(row).reference,
            submitted_by=row.submitted_by,
            submitted_at=row.submitted_at,
            requested=row.requested,
            status=RegistrationStatus(row.status),
            reviewer=row.reviewer,
            reviewed_at=row.reviewed_at,
            comment=row.review_comment,
        )
        for row in rows
    ]
