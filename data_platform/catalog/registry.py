"""The part of the catalog that people ask and decide in: search, registrations. ``Catalog`` in ``store`` has it all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog import registration_request as registrations
from data_platform.catalog.search import Vocabulary, search
from data_platform.model.registration import RegistrationStatus

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.model.registration import Actor, RegistrationEntry, RegistrationPage, RegistrationRequest
    from data_platform.model.search import SearchPage, SearchRequest


class Registry:
    """One method, one transaction, as in ``Catalog``."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._vocabulary = Vocabulary()

    def search(self, request: SearchRequest) -> SearchPage:
        """Datasets and processes by words and filters, best first; a mistyped word is read as what it may mean.

        Raises:
            InputError: There is nothing to look for, too much, or the cursor is another request's.
        """
        with self._database.reading() as connection:
            return search(connection, request, self._vocabulary)

    def request_registration(self, request: RegistrationRequest, *, by: Actor, now: datetime) -> RegistrationEntry:
        """A dataset that is not known becomes a DRAFT. The same request by the same person again is the one that waits.

        Raises:
            InputError: A field cannot be kept.
            UsageError: A policy file declares the dataset.
            ConflictError: Another request for it waits for its decision.
        """
        with self._database.writing() as connection:
            return registrations.request_registration(connection, request, by=by, now=now)

    def registration(self, number: int) -> RegistrationEntry:
        """Raises: UsageError, if there is none."""
        with self._database.reading() as connection:
            return registrations.find_registration(connection, number)

    def registrations(
        self,
        status: RegistrationStatus | None = RegistrationStatus.PENDING,
        *,
        cursor: str | None = None,
        limit: int = 50,
    ) -> RegistrationPage:
        """Oldest first; those that wait for a decision, if not asked for others.

        Raises:
            InputError: The cursor is none, or the limit out of range.
        """
        with self._database.reading() as connection:
            return registrations.find_registrations(connection, status, cursor=cursor, limit=limit)

    def approve_registration(self, number: int, *, by: Actor, comment: str = "", now: datetime) -> RegistrationEntry:
        """The dataset is ACTIVE from now on, with the fields that were asked for.

        Raises:
            UsageError: It is one's own request, a policy file declares the dataset by now, or there is none.
            ConflictError: It was decided before.
        """
        with self._database.writing() as connection:
            return registrations.approve(connection, number, by=by, comment=comment, now=now)

    def reject_registration(self, number: int, *, by: Actor, comment: str = "", now: datetime) -> RegistrationEntry:
        """The dataset stays as it is.

        Raises:
            UsageError: There is none.
            ConflictError: It was decided before.
        """
        with self._database.writing() as connection:
            return registrations.reject(connection, number, by=by, comment=comment, now=now)

    def deprecate_dataset(self, full_name: str, *, by: Actor, comment: str = "", now: datetime) -> None:
        """Consumers are told to leave it; nothing of it is removed.

        Raises:
            UsageError: There is no such dataset, or a policy file declares it.
        """
        with self._database.writing() as connection:
            registrations.deprecate(connection, full_name, by=by, comment=comment, now=now)
