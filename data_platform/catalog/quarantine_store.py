"""``catalog.quarantine``: the batches and rows that failed a gate, and what people decided about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog import quarantine, quarantine_page
from data_platform.catalog import quarantine_action as actions
from data_platform.catalog import quarantine_decision as decisions

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.model.dataset import Stage
    from data_platform.model.page import Page
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.quarantine import QuarantineEntry
    from data_platform.model.quarantine_decision import Decision, DecisionStatus, QuarantineAction
    from data_platform.model.quarantine_filter import OwnedEntry, QuarantineFilter, QuarantineOwner
    from data_platform.model.registration import Actor


class Quarantine:
    def __init__(self, database: Database) -> None:
        self._database = database

    def entries(self, urn: str | None = None, *, include_closed: bool = False) -> tuple[QuarantineEntry, ...]:
        """Newest first; only OPEN ones, unless ``include_closed``."""
        with self._database.reading() as connection:
            return quarantine.find_entries(connection, urn, include_closed=include_closed)

    def page(
        self, wanted: QuarantineFilter, *, oldest_first: bool = False, cursor: str | None = None, limit: int = 100
    ) -> Page[OwnedEntry]:
        """Newest first by default. Raises: InputError, for a name in ``cursor`` that no entry has."""
        with self._database.reading() as connection:
            return quarantine_page.find_page(connection, wanted, oldest_first=oldest_first, cursor=cursor, limit=limit)

    def owners(self, *, stale_before: datetime) -> tuple[QuarantineOwner, ...]:
        """Who has open entries, the one with the oldest entry first."""
        with self._database.reading() as connection:
            return quarantine_page.find_owners(connection, stale_before=stale_before)

    def entry(self, name: str) -> QuarantineEntry | None:
        with self._database.reading() as connection:
            return quarantine.find_entry(connection, name)

    def supersede(self, urn: str, stage: Stage, partition: PartitionKey | None, *, by_run: str, now: datetime) -> int:
        """Close OPEN entries of earlier runs of the partition that ``by_run`` judged again; returns their number."""
        with self._database.writing() as connection:
            return quarantine.supersede(connection, urn, stage, partition, by_run=by_run, now=now)

    def assign(self, name: str, to: str, *, by: Actor, now: datetime) -> QuarantineEntry:
        """Raises: NotFoundError, ConflictError, InputError: no such entry, it is closed, or ``to`` is no name."""
        with self._database.writing() as connection:
            return actions.assign(connection, name, to, by=by, now=now)

    def discard(self, name: str, reason: str, *, by: Actor, now: datetime) -> QuarantineEntry:
        """Closes the entry; its open rows count as discarded, also in later runs of the same delivery.

        Raises:
            NotFoundError, ConflictError, InputError: No such entry, it is closed, or there is no reason.
        """
        with self._database.writing() as connection:
            return actions.discard(connection, name, reason, by=by, now=now)

    def request_release(
        self, name: str, reason: str, *, rules: Sequence[str] = (), by: Actor, now: datetime
    ) -> Decision:
        """Requests that rows are let through although they break ``rules``; all rules of the entry if empty.

        Raises:
            NotFoundError, ConflictError, InputError, UsageError: No such entry, it is closed or has a release
                already, there is no reason, or a rule cannot be released.
        """
        with self._database.writing() as connection:
            return decisions.request_release(connection, name, reason, rules=rules, by=by, now=now)

    def approve_release(self, name: str, *, by: Actor, now: datetime) -> Decision:
        """Approves the requested release; the next run of the day applies it.

        Raises:
            NotFoundError, ConflictError, UsageError: None is requested, the entry is closed, or it is one's own.
        """
        with self._database.writing() as connection:
            return decisions.approve_release(connection, name, by=by, now=now)

    def release(
        self, name: str, reason: str, *, rules: Sequence[str] = (), by: Actor, approver: Actor, now: datetime
    ) -> Decision:
        """A request and its approval at once, or neither. Raises the errors of both."""
        with self._database.writing() as connection:
            decisions.request_release(connection, name, reason, rules=rules, by=by, now=now)
            return decisions.approve_release(connection, name, by=approver, now=now)

    def withdraw_release(self, name: str, *, by: Actor, now: datetime) -> Decision:
        """The next run of the day judges the rows without it. Raises: NotFoundError, if there is none."""
        with self._database.writing() as connection:
            return decisions.withdraw_release(connection, name, by=by, now=now)

    def decisions(self, name: str) -> tuple[Decision, ...]:
        """All decisions about an entry, oldest first."""
        with self._database.reading() as connection:
            return decisions.find_decisions_of(connection, name)

    def effective(
        self, urn: str, stage: Stage, partition: PartitionKey | None, delivery_id: str
    ) -> tuple[Decision, ...]:
        """The approved decisions about rows of exactly this delivery, oldest first."""
        with self._database.reading() as connection:
            return decisions.find_effective(connection, urn, stage, partition, delivery_id)

    def releases(self, status: DecisionStatus, *, limit: int) -> tuple[Decision, ...]:
        """Releases of all datasets, newest first."""
        with self._database.reading() as connection:
            return decisions.find_releases(connection, status, limit)

    def withdrawn(self, numbers: Collection[int]) -> tuple[str, ...]:
        """The entries of those of the releases that are not approved any more."""
        with self._database.reading() as connection:
            return decisions.find_withdrawn(connection, numbers)

    def applied(self, urn: str) -> tuple[Decision, ...]:
        """Releases of the dataset that a run has applied to at least one row, oldest first."""
        with self._database.reading() as connection:
            return decisions.find_applied(connection, urn)

    def request_replay(self, name: str, *, by: Actor, now: datetime) -> QuarantineEntry:
        """Asks for a replay; a sensor of the platform starts it. Raises: NotFoundError, if there is no such entry."""
        with self._database.writing() as connection:
            return actions.request_replay(connection, name, by=by, now=now)

    def requested_replays(self, *, after: int, limit: int) -> tuple[QuarantineAction, ...]:
        """Requests with a greater number than ``after``, oldest first."""
        with self._database.reading() as connection:
            return actions.find_requested_replays(connection, after=after, limit=limit)

    def actions(self, name: str) -> tuple[QuarantineAction, ...]:
        """What people did with an entry, oldest first."""
        with self._database.reading() as connection:
            return actions.find_actions(connection, name)
