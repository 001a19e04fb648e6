"""``catalog.leases``: which run may write a dataset, and until when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog import lease

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime, timedelta

    from data_platform.catalog.database import Database
    from data_platform.model.lease import Lease


class Leases:
    def __init__(self, database: Database) -> None:
        self._database = database

    def take(self, urn: str, *, owner: str, now: datetime, ttl: timedelta) -> None:
        """Take the lease, extend one's own, or take over an expired one.

        Raises:
            LeaseHeldError: Another owner has it; the message has the owner and the expiry.
        """
        self.take_all([urn], owner=owner, now=now, ttl=ttl)

    def renew(self, urn: str, *, owner: str, now: datetime, ttl: timedelta) -> bool:
        """False if ``owner`` no longer owns the lease: then another may be writing already."""
        return self.renew_all([urn], owner=owner, now=now, ttl=ttl)

    def take_all(self, urns: Sequence[str], *, owner: str, now: datetime, ttl: timedelta) -> None:
        """Take several leases, all or none.

        Raises:
            LeaseHeldError: Another owner has one of them.
        """
        with self._database.writing() as connection:
            lease.take_leases(connection, urns, owner=owner, now=now, ttl=ttl)

    def renew_all(self, urns: Sequence[str], *, owner: str, now: datetime, ttl: timedelta) -> bool:
        """False if ``owner`` no longer owns one of the leases."""
        with self._database.writing() as connection:
            return lease.renew_leases(connection, urns, owner=owner, now=now, ttl=ttl)

    def release_all(self, urns: Sequence[str], *, owner: str) -> None:
        with self._database.writing() as connection:
            lease.release_leases(connection, urns, owner=owner)

    def release(self, urn: str, *, owner: str) -> None:
        """Does nothing if ``owner`` does not own the lease."""
        self.release_all([urn], owner=owner)

    def get(self, urn: str) -> Lease | None:
        """The lease as it was last taken or renewed; it may have expired."""
        with self._database.reading() as connection:
            return lease.find_lease(connection, urn)

    def all(self) -> tuple[Lease, ...]:
        with self._database.reading() as connection:
            return lease.find_leases(connection)

    def owner(self, urn: str) -> str | None:
        """The current owner, or the last one if it never released the lease."""
        current = self.get(urn)
        return None if current is None else current.owner
