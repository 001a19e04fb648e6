"""``catalog.waivers``: accepted failures, who accepted them, and until when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog import waiver

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.model.registration import Actor
    from data_platform.model.waiver import Waiver, WaiverRequest


class Waivers:
    def __init__(self, database: Database) -> None:
        self._database = database

    def request(self, request: WaiverRequest, *, by: Actor, now: datetime) -> Waiver:
        """A person who repeats a pending request gets that request back.

        Raises:
            InputError: A field is invalid.
            NotFoundError: No policy declares the dataset, or it has not run yet.
        """
        with self._database.writing() as connection:
            return waiver.request_waiver(connection, request, by=by, now=now)

    def approve(self, number: int, *, by: Actor, comment: str, now: datetime) -> Waiver:
        """Let the waiver count from now on.

        Raises:
            UsageError: It is one's own request, or the waiver does not exist.
            ConflictError: The waiver is not pending any more.
        """
        with self._database.writing() as connection:
            return waiver.approve(connection, number, by=by, comment=comment, now=now)

    def revoke(self, number: int, *, by: Actor, comment: str, now: datetime) -> Waiver:
        """End the waiver; what was certified stays certified.

        Raises:
            UsageError: The waiver does not exist.
            ConflictError: It has been revoked before.
        """
        with self._database.writing() as connection:
            return waiver.revoke(connection, number, by=by, comment=comment, now=now)

    def get(self, number: int, *, now: datetime) -> Waiver:
        """Raises: NotFoundError, if the waiver does not exist."""
        with self._database.reading() as connection:
            return waiver.find_waiver(connection, number, now)

    def find(self, urn: str | None = None, *, now: datetime, ended: bool | None = None) -> tuple[Waiver, ...]:
        """Oldest first, with the status as of ``now``. ``ended`` selects expired and revoked ones, or others."""
        with self._database.reading() as connection:
            return waiver.find_waivers(connection, urn, now, ended=ended)
