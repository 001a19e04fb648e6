"""``catalog.registry``: registered datasets and processes, their search, registration requests and archive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog import registration, retention
from data_platform.catalog import registration_request as registrations
from data_platform.catalog.search import Vocabulary, search
from data_platform.model.registration import RegistrationStatus

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date, datetime, timedelta
    from pathlib import Path
    from typing import Any

    from data_platform.catalog.database import Database
    from data_platform.catalog.retention import ArchiveReport
    from data_platform.catalog.retention.archive import Progress
    from data_platform.model.registration import (
        Actor,
        Registration,
        RegistrationEntry,
        RegistrationPage,
        RegistrationRequest,
    )
    from data_platform.model.search import SearchPage, SearchRequest


class Registry:
    def __init__(self, database: Database) -> None:
        self._database = database
        self._vocabulary = Vocabulary()

    def save_dataset(
        self,
        urn: str,
        *,
        table: str,
        owner_team: str,
        tier: str,
        description: str,
        policy_fingerprint: str,
        now: datetime,
        owner_email: str | None = None,
        tags: Sequence[str] = (),
        partitioning: str | None = None,
        category: str | None = None,
        status: str = "ACTIVE",
        sla: tuple[str, timedelta] | None = None,
    ) -> None:
        """``sla`` is a name and the allowed age of the latest version."""
        values: dict[str, Any] = {
            "table_name": table,
            "owner_team": owner_team,
            "tier": tier,
            "description": description,
            "policy_fingerprint": policy_fingerprint,
            "owner_email": owner_email,
            "tags": list(tags),
            "partitioning": partitioning,
            "category": category,
            "status": status,
            "default_format": "DELTA",
        }
        with self._database.writing() as connection:
            if sla is not None:
                name, window = sla
                values["default_sla_id"] = registration.save_sla(connection, name, int(window.total_seconds()), now=now)
            registration.save_dataset(connection, urn, values, now=now)

    def save_process(
        self, key: str, *, description: str, team: str, technology: str, trigger_mode: str, now: datetime
    ) -> None:
        values = {"description": description, "team": team, "technology": technology, "trigger_mode": trigger_mode}
        with self._database.writing() as connection:
            registration.save_process(connection, key, values, now=now)

    def datasets(self) -> tuple[Registration, ...]:
        with self._database.reading() as connection:
            return registration.find_datasets(connection)

    def search(self, request: SearchRequest) -> SearchPage:
        """Finds datasets and processes by words and filters, best first; a mistyped word is corrected.

        Raises:
            InputError: The request is empty or too long, or the cursor is another request's.
        """
        with self._database.reading() as connection:
            return search(connection, request, self._vocabulary)

    def request_registration(self, request: RegistrationRequest, *, by: Actor, now: datetime) -> RegistrationEntry:
        """A dataset without a row becomes a DRAFT. A person who repeats a pending request gets that request back.

        Raises:
            InputError: A field is invalid.
            UsageError: A policy file declares the dataset.
            ConflictError: Another request for the dataset is pending.
        """
        with self._database.writing() as connection:
            return registrations.request_registration(connection, request, by=by, now=now)

    def registration(self, number: int) -> RegistrationEntry:
        """Raises: UsageError, if the request does not exist."""
        with self._database.reading() as connection:
            return registrations.find_registration(connection, number)

    def registrations(
        self,
        status: RegistrationStatus | None = RegistrationStatus.PENDING,
        *,
        cursor: str | None = None,
        limit: int = 50,
        newest_first: bool = False,
    ) -> RegistrationPage:
        """Oldest first by default; pending requests by default.

        Raises:
            InputError: The cursor is invalid, or the limit out of range.
        """
        with self._database.reading() as connection:
            return registrations.find_registrations(
                connection, status, cursor=cursor, limit=limit, newest_first=newest_first
            )

    def approve_registration(self, number: int, *, by: Actor, comment: str = "", now: datetime) -> RegistrationEntry:
        """Makes the dataset ACTIVE, with the requested fields.

        Raises:
            UsageError: One's own request, a policy file declares the dataset by now, or there is no such request.
            ConflictError: The request is already decided.
        """
        with self._database.writing() as connection:
            return registrations.approve(connection, number, by=by, comment=comment, now=now)

    def reject_registration(self, number: int, *, by: Actor, comment: str = "", now: datetime) -> RegistrationEntry:
        """Rejects the request; the dataset does not change.

        Raises:
            UsageError: The request does not exist.
            ConflictError: The request is already decided.
        """
        with self._database.writing() as connection:
            return registrations.reject(connection, number, by=by, comment=comment, now=now)

    def deprecate_dataset(self, full_name: str, *, by: Actor, comment: str = "", now: datetime) -> None:
        """Marks the dataset DEPRECATED, which asks consumers to move away; nothing is removed.

        Raises:
            UsageError: There is no such dataset, or a policy file declares it.
        """
        with self._database.writing() as connection:
            registrations.deprecate(connection, full_name, by=by, comment=comment, now=now)

    def archive(
        self, *, older_than: timedelta, folder: Path, now: datetime, progress: Progress | None = None
    ) -> ArchiveReport:
        """Moves older runs and events into Parquet files in ``folder``, in many transactions. It can be repeated.

        Raises:
            UsageError: ``older_than`` is less than a day, or the folder's name is too long.
            ConflictError: Another archiving is running in the folder.
            EnvironmentProblem: The folder cannot be written, or a registered file is missing.
        """
        return retention.archive(self._database, older_than=older_than, folder=folder, now=now, progress=progress)

    def archived_run(self, run_uuid: str) -> dict[str, Any] | None:
        """Columns of ``process_run``, from the newest row of the run, archived or created by a late event."""
        with self._database.reading() as connection:
            return retention.find_archived_run(connection, run_uuid)

    def archived_runs(
        self, *, first: date, last: date, process: str | None = None, dataset: str | None = None, limit: int = 1_000
    ) -> list[dict[str, Any]]:
        """Runs that began from ``first`` to ``last``, both days included, in UTC; newest first.

        Raises:
            InputError: ``limit`` is out of range, or ``last`` is before ``first``.
            UsageError: There is no such process or dataset.
            EnvironmentProblem: A file of the archive is missing.
        """
        names = {"process": process, "dataset": dataset}
        with self._database.reading() as connection:
            return retention.find_archived_runs(connection, first=first, last=last, limit=limit, **names)

    def archived_events(self, run_uuid: str) -> list[dict[str, Any]]:
        """Columns of ``run_event``, ordered by event time."""
        with self._database.reading() as connection:
            return retention.find_archived_events(connection, run_uuid)
