"""``catalog.onboardings``: proposed policies of new datasets, and which policies of them are approved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.catalog import onboarding

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.catalog.database import Database
    from data_platform.model.onboarding import Onboarding, PolicyApproval
    from data_platform.model.registration import Actor, RegistrationEntry, RegistrationRequest


class Onboardings:
    def __init__(self, database: Database) -> None:
        self._database = database

    def save(self, entry: Onboarding, *, now: datetime) -> None:
        """Inserts the onboarding of a dataset, or replaces it."""
        with self._database.writing() as connection:
            onboarding.save_onboarding(connection, entry, now=now)

    def all(self) -> tuple[Onboarding, ...]:
        """Newest first."""
        with self._database.reading() as connection:
            return onboarding.find_onboardings(connection)

    def find(self, urn: str) -> Onboarding | None:
        """None if nobody has onboarded the dataset."""
        with self._database.reading() as connection:
            found = onboarding.find_onboardings(connection, urn)
        return found[0] if found else None

    def request_approval(self, request: RegistrationRequest, *, by: Actor, now: datetime) -> RegistrationEntry:
        """Requests the approval of the policy whose fingerprint ``request`` names; a repetition changes nothing.

        Raises:
            InputError: A field is invalid.
            ConflictError: Another person's request for the dataset is pending.
        """
        with self._database.writing() as connection:
            return onboarding.request_approval(connection, request, by=by, now=now)

    def approval(self, urn: str) -> PolicyApproval | None:
        """None for a dataset that was never onboarded, whose policy needs no approval."""
        with self._database.reading() as connection:
            return onboarding.find_approval(connection, urn)
