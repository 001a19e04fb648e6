"""Onboardings, and the approvals of their policies.

An approval is a registration that names the fingerprint of a policy. A dataset with such a registration is onboarded:
its policy counts only while its fingerprint is one that somebody else has approved.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import insert, select, update

from data_platform.catalog import registration_request as registrations
from data_platform.catalog.dataset_row import is_named, name_of_urn
from data_platform.catalog.onboarding_table import ONBOARDING
from data_platform.catalog.registration_field import POLICY
from data_platform.catalog.registry_table import DATASET, DATASET_REGISTRATION
from data_platform.model.onboarding import Onboarding, OnboardingState, PolicyApproval
from data_platform.model.registration import RegistrationStatus

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.model.registration import Actor, RegistrationEntry, RegistrationRequest

_DECIDED = {
    RegistrationStatus.APPROVED: OnboardingState.APPROVED,
    RegistrationStatus.REJECTED: OnboardingState.REJECTED,
}


def save_onboarding(connection: Connection, entry: Onboarding, *, now: datetime) -> None:
    """Inserts the onboarding of a dataset, or replaces it by the newer one."""
    values = {
        "state": entry.state,
        "source": entry.source,
        "author": entry.author,
        "policy_fingerprint": entry.policy_fingerprint,
        "document": entry.document,
        "registration": entry.registration,
        "review": entry.review,
        "updated_at": now,
    }
    same = ONBOARDING.c.dataset_urn == entry.dataset_urn
    if connection.execute(update(ONBOARDING).where(same).values(**values)).rowcount:
        return
    connection.execute(insert(ONBOARDING).values(dataset_urn=entry.dataset_urn, created_at=entry.created_at, **values))


def find_onboardings(connection: Connection, urn: str | None = None) -> tuple[Onboarding, ...]:
    """Newest first. A submitted one has the state of its registration."""
    joined = ONBOARDING.outerjoin(DATASET_REGISTRATION, DATASET_REGISTRATION.c.reg_id == ONBOARDING.c.registration)
    query = select(ONBOARDING, DATASET_REGISTRATION.c.status).select_from(joined)
    if urn is not None:
        query = query.where(ONBOARDING.c.dataset_urn == urn)
    rows = connection.execute(query.order_by(ONBOARDING.c.updated_at.desc(), ONBOARDING.c.dataset_urn))
    return tuple(_entry(row) for row in rows)


def request_approval(
    connection: Connection, request: RegistrationRequest, *, by: Actor, now: datetime
) -> RegistrationEntry:
    """Requests the approval of a policy, unless it is approved; a person's own request for another one is withdrawn.

    Raises:
        ConflictError: Another person's request for the dataset is pending.
    """
    if (decided := _approved(connection, request)) is not None:
        return decided
    for number in _own_pending(connection, request, by):
        registrations.reject(connection, number, by=by, comment="replaced by a newer policy", now=now)
    return registrations.request_registration(connection, request, by=by, now=now)


def find_approval(connection: Connection, urn: str) -> PolicyApproval | None:
    """None for a dataset that was never onboarded, whose policy needs no approval here."""
    requests = [(number, requested[POLICY], status) for number, requested, status in _requests(connection, urn)]
    if not requests:
        return None
    last = {fingerprint: status for _, fingerprint, status in requests if status != RegistrationStatus.PENDING}
    pending = {fingerprint: number for number, fingerprint, status in requests if status == RegistrationStatus.PENDING}
    approved = {fingerprint for fingerprint, status in last.items() if status == RegistrationStatus.APPROVED}
    return PolicyApproval(approved=frozenset(approved), pending=pending)


def _requests(connection: Connection, urn: str) -> list[tuple[int, dict[str, Any], str]]:
    """The requests about a policy of the dataset, oldest first: number, requested values, status."""
    table = DATASET_REGISTRATION
    query = select(table.c.reg_id, table.c.requested, table.c.status).join(
        DATASET, DATASET.c.dataset_id == table.c.dataset_id
    )
    rows = connection.execute(query.where(is_named(name_of_urn(urn))).order_by(table.c.reg_id))
    return [(row.reg_id, row.requested, row.status) for row in rows if POLICY in row.requested]


def _approved(connection: Connection, request: RegistrationRequest) -> RegistrationEntry | None:
    """The request that was approved last for the same fingerprint, if it was not rejected since."""
    urn, fingerprint = f"{request.namespace}/{request.name}", request.policy_fingerprint
    requests = [(n, status) for n, requested, status in _requests(connection, urn) if requested[POLICY] == fingerprint]
    if not requests or requests[-1][1] != RegistrationStatus.APPROVED:
        return None
    return registrations.find_registration(connection, requests[-1][0])


def _own_pending(connection: Connection, request: RegistrationRequest, by: Actor) -> list[int]:
    urn = f"{request.namespace}/{request.name}"
    pending = [
        number
        for number, requested, status in _requests(connection, urn)
        if status == RegistrationStatus.PENDING and requested[POLICY] != request.policy_fingerprint
    ]
    return [one for one in pending if registrations.find_registration(connection, one).submitted_by == by.name]


def _entry(row: Any) -> Onboarding:
    state = OnboardingState(row.state)
    if state is OnboardingState.PENDING and row.status is not None:
        state = _DECIDED.get(RegistrationStatus(row.status), state)
    return Onboarding(
        dataset_urn=row.dataset_urn,
        state=state,
        source=row.source,
        author=row.author,
        policy_fingerprint=row.policy_fingerprint,
        document=row.document,
        registration=row.registration,
        review=row.review,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
