"""``catalog.maintenance``: announced work, whose incidents alert nobody meanwhile. Each step is in the audit log."""

from __future__ import annotations

import re
from datetime import UTC, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog.alert_table import MAINTENANCE_WINDOW
from data_platform.catalog.audit import add_audit
from data_platform.errors import ConflictError, InputError, NotFoundError
from data_platform.model.maintenance_window import EVERYTHING, LONGEST, MaintenanceWindow
from data_platform.model.personal import redacted

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection, Row

    from data_platform.catalog.database import Database
    from data_platform.model.registration import Actor

_W = MAINTENANCE_WINDOW.c
_LONGEST_TEXT = 2000
_SUBJECT = re.compile(r"(ds://)?[A-Za-z0-9][A-Za-z0-9_./-]{0,290}", re.ASCII)


class Maintenance:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self, subject: str, *, starts_at: datetime, ends_at: datetime, reason: str, by: Actor, now: datetime
    ) -> MaintenanceWindow:
        """A person who announces the same window again gets the first one back.

        Raises:
            InputError: A field is invalid.
        """
        starts_at, ends_at = _utc("starts_at", starts_at), _utc("ends_at", ends_at)
        _check(starts_at, ends_at, now)
        values = {"subject": _subject(subject), "starts_at": starts_at, "ends_at": ends_at, "author": by.name}
        values["reason"] = _reason(reason)
        with self._database.writing() as connection:
            same = [_W[name] == value for name, value in values.items()]
            existing = connection.execute(select(MAINTENANCE_WINDOW).where(*same, _W.ended_at.is_(None))).first()
            if existing is not None:
                return _window(existing)
            statement = insert(MAINTENANCE_WINDOW).values(**values, created_at=now).returning(_W.number)
            number = connection.execute(statement).scalar_one()
            return _audited(connection, number, "add", by, now)

    def end(self, number: int, *, by: Actor, now: datetime) -> MaintenanceWindow:
        """End a window before its time; what it held is sent by the next process that sends.

        Raises:
            NotFoundError: There is no such window.
            ConflictError: It has ended already.
        """
        with self._database.writing() as connection:
            window = _find(connection, number)
            if window.ended_at is not None or window.ends_at <= now:
                raise ConflictError(f"maintenance window {number} has ended already")
            change = update(MAINTENANCE_WINDOW).where(_W.number == number).values(ended_at=now, ended_by=by.name)
            connection.execute(change)
            return _audited(connection, number, "end", by, now)

    def get(self, number: int) -> MaintenanceWindow:
        """Raises: NotFoundError, if there is no such window."""
        with self._database.reading() as connection:
            return _find(connection, number)

    def since(self, moment: datetime) -> tuple[MaintenanceWindow, ...]:
        """Windows that end after ``moment``, oldest first."""
        query = select(MAINTENANCE_WINDOW).where(_W.ends_at > moment).order_by(_W.number)
        with self._database.reading() as connection:
            return tuple(_window(row) for row in connection.execute(query))


def _utc(field: str, moment: datetime) -> datetime:
    try:
        if moment.tzinfo is not None:
            return moment.astimezone(UTC)
    except OverflowError:  # the first or the last day of the calendar, in another zone
        pass
    raise InputError(field, "expected a time with its zone, such as 2013-01-02T08:00:00-05:00")


def _subject(text: str) -> str:
    if text != EVERYTHING and not _SUBJECT.fullmatch(text):
        raise InputError("subject", "expected * for everything, ds://zone/name, or the name of a team")
    return text


def _check(starts_at: datetime, ends_at: datetime, now: datetime) -> None:
    if starts_at >= ends_at:
        raise InputError("ends_at", "the window ends before it starts; give a later time")
    if ends_at <= now:
        raise InputError("ends_at", "the window is over already; give a time in the future")
    if ends_at - starts_at > LONGEST:
        raise InputError(
            "ends_at", f"the window takes more than {LONGEST // timedelta(days=1)} days; give an earlier time"
        )


def _reason(text: str) -> str:
    if not text.strip() or len(text) > _LONGEST_TEXT or not text.isprintable():
        raise InputError("reason", f"expected one line of 1 to {_LONGEST_TEXT} characters")
    return redacted(text.strip())


def _find(connection: Connection, number: int) -> MaintenanceWindow:
    query = select(MAINTENANCE_WINDOW).where(_W.number == number)
    row = connection.execute(query).one_or_none() if 0 < number < 2**63 else None
    if row is None:
        raise NotFoundError(f"there is no maintenance window {number}: data-platform maintenance list shows them")
    return _window(row)


def _audited(connection: Connection, number: int, verb: str, by: Actor, now: datetime) -> MaintenanceWindow:
    window = _find(connection, number)
    detail = {"window": number, "from": window.starts_at, "to": window.ends_at, "reason": window.reason}
    add_audit(
        connection, actor=by.name, role=by.role, action=f"maintenance.{verb}", subject=window.subject, detail=detail,
        now=now,
    )  # fmt: skip
    return window


def _window(row: Row[Any]) -> MaintenanceWindow:
    return MaintenanceWindow(**row._mapping)
