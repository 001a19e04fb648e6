"""An onboarding is one row a dataset; its policy counts once somebody else has approved that very fingerprint."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import ConflictError, InputError, UsageError
from data_platform.model.onboarding import Onboarding, OnboardingState
from data_platform.model.registration import Actor, RegistrationRequest, RegistrationStatus

NOW = datetime(2025, 1, 7, 3, 0, tzinfo=UTC)
URN = "ds://sales/orders"
ANN, BOB = Actor(name="ann", role="PLATFORM_ADMIN"), Actor(name="bob", role="PLATFORM_ADMIN")
FIRST, SECOND = "a" * 16, "b" * 16


def onboarding(**more: object) -> Onboarding:
    entry = Onboarding(
        dataset_urn=URN,
        state=OnboardingState.PROPOSED,
        source="orders",
        author="ann",
        policy_fingerprint=FIRST,
        document={"rules": []},
        created_at=NOW,
        updated_at=NOW,
    )
    return replace(entry, **more)  # type: ignore[arg-type]


def wanted(fingerprint: str) -> RegistrationRequest:
    return RegistrationRequest(
        namespace="ds://sales", name="orders", owner_team="sales", policy_fingerprint=fingerprint
    )


def request(catalog: Catalog, fingerprint: str, by: Actor = ANN) -> int:
    return catalog.onboardings.request_approval(wanted(fingerprint), by=by, now=NOW).id


def declare(catalog: Catalog) -> None:
    catalog.registry.save_dataset(
        URN, table="orders", owner_team="sales", tier="TIER_3", description="", policy_fingerprint="f", now=NOW
    )


def test_saving_again_replaces_the_row_and_keeps_when_it_began(catalog: Catalog) -> None:
    catalog.onboardings.save(onboarding(), now=NOW)
    later = NOW + timedelta(hours=1)
    catalog.onboardings.save(onboarding(state=OnboardingState.TRIED, created_at=later), now=later)

    [entry] = catalog.onboardings.all()

    assert (entry.state, entry.created_at, entry.updated_at) == (OnboardingState.TRIED, NOW, later)
    assert catalog.onboardings.find("ds://sales/none") is None


def test_a_submitted_onboarding_has_the_state_of_its_request(catalog: Catalog) -> None:
    number = request(catalog, FIRST)
    catalog.onboardings.save(onboarding(state=OnboardingState.PENDING, registration=number), now=NOW)
    assert catalog.onboardings.all()[0].state is OnboardingState.PENDING

    catalog.registry.approve_registration(number, by=BOB, now=NOW)

    assert catalog.onboardings.all()[0].state is OnboardingState.APPROVED


def test_an_approval_is_bound_to_its_fingerprint(catalog: Catalog) -> None:
    assert catalog.onboardings.approval(URN) is None
    number = request(catalog, FIRST)
    waiting = catalog.onboardings.approval(URN)
    assert waiting is not None
    assert (waiting.approved, waiting.pending) == (frozenset(), {FIRST: number})

    catalog.registry.approve_registration(number, by=BOB, now=NOW)
    catalog.registry.reject_registration(request(catalog, SECOND), by=BOB, now=NOW)

    decided = catalog.onboardings.approval(URN)
    assert decided is not None
    assert (decided.approved, decided.pending) == (frozenset({FIRST}), {})


def test_the_author_does_not_approve(catalog: Catalog) -> None:
    number = request(catalog, FIRST)

    with pytest.raises(UsageError, match="somebody else has to approve it"):
        catalog.registry.approve_registration(number, by=Actor(name=" ANN ", role="PLATFORM_ADMIN"), now=NOW)


def test_an_approved_policy_that_is_rejected_later_counts_no_more(catalog: Catalog) -> None:
    catalog.registry.approve_registration(request(catalog, FIRST), by=BOB, now=NOW)
    later = catalog.registry.request_registration(wanted(FIRST), by=ANN, now=NOW)
    catalog.registry.reject_registration(later.id, by=BOB, now=NOW)

    approval = catalog.onboardings.approval(URN)

    assert approval is not None
    assert approval.approved == frozenset()


def test_a_repeated_request_is_the_same_and_an_edit_replaces_it(catalog: Catalog) -> None:
    first = request(catalog, FIRST)
    assert request(catalog, FIRST) == first

    second = request(catalog, SECOND)

    assert catalog.registry.registration(first).status is RegistrationStatus.REJECTED
    assert catalog.registry.registration(second).status is RegistrationStatus.PENDING


def test_an_approved_policy_needs_no_second_request(catalog: Catalog) -> None:
    first = request(catalog, FIRST)
    catalog.registry.approve_registration(first, by=BOB, now=NOW)

    assert request(catalog, FIRST) == first


def test_another_persons_request_is_not_replaced(catalog: Catalog) -> None:
    request(catalog, FIRST)

    with pytest.raises(ConflictError, match="is pending"):
        request(catalog, SECOND, by=BOB)


def test_the_policy_of_a_declared_dataset_is_approved_without_changing_its_fields(catalog: Catalog) -> None:
    declare(catalog)

    catalog.registry.approve_registration(request(catalog, FIRST), by=BOB, now=NOW)

    [declared] = catalog.registry.datasets()
    assert (declared.owner_team, declared.policy_fingerprint) == ("sales", "f")


def test_a_fingerprint_is_16_digits(catalog: Catalog) -> None:
    with pytest.raises(InputError, match="policy_fingerprint"):
        request(catalog, "no")
