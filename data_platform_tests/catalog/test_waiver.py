"""One user requests a waiver, another approves it, and it ends; the audit log records each step."""

from datetime import timedelta
from typing import Any

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import ConflictError, InputError, NotFoundError, UsageError
from data_platform.model.partition_key import PartitionKey
from data_platform.model.registration import Actor
from data_platform.model.verdict import Gate
from data_platform.model.waiver import LONGEST, WaiverRequest, WaiverStatus
from data_platform_tests.catalog.example import NOW, later

ANN = Actor(name="ann", role="DATA_OWNER")
BOB = Actor(name="bob", role="DATA_STEWARD")
ORDERS = "ds://sales/orders"
DAY = PartitionKey("2026-02-15")


@pytest.fixture
def declared(catalog: Catalog) -> Catalog:
    """A catalog in which orders have days, and customers none."""
    for name, partitioning in (("orders", "day"), ("customers", None)):
        catalog.registry.save_dataset(
            f"ds://sales/{name}", table=name, owner_team="sales", tier="TIER_1", description="",
            policy_fingerprint="f", partitioning=partitioning, now=NOW,
        )  # fmt: skip
    return catalog


def asked(**changes: Any) -> WaiverRequest:
    values: dict[str, Any] = {
        "dataset_urn": ORDERS, "gate": Gate.DQ, "signature": "EMPTY_BATCH", "first": DAY, "last": DAY,
        "reason": "a holiday", "expires_at": NOW + timedelta(days=30),
    }  # fmt: skip
    return WaiverRequest(**{**values, **changes})


def test_a_waiver_counts_once_somebody_else_has_approved_it(declared: Catalog) -> None:
    requested = declared.waivers.request(asked(), by=ANN, now=NOW)
    again = declared.waivers.request(asked(), by=ANN, now=later(1))

    approved = declared.waivers.approve(requested.number, by=BOB, comment="agreed", now=later(5))

    assert (requested.status, again) == (WaiverStatus.PENDING, requested)
    assert (approved.status, approved.author, approved.approver) == (WaiverStatus.APPROVED, "ann", "bob")
    assert declared.waivers.find(ORDERS, now=later(6)) == (approved,)
    assert declared.waivers.find("ds://sales/customers", now=later(6)) == ()
    actions = [entry.action for entry in declared.access.audit().items]
    assert sorted(actions) == ["waiver.approve", "waiver.request"]


@pytest.mark.parametrize("name", ["ann", "Ann", " ann "])
def test_nobody_approves_their_own_waiver(declared: Catalog, name: str) -> None:
    number = declared.waivers.request(asked(), by=ANN, now=NOW).number

    with pytest.raises(UsageError, match=f"waiver {number} is .*own request: somebody else has to approve it"):
        declared.waivers.approve(number, by=Actor(name=name, role="PLATFORM_ADMIN"), comment="", now=later(5))
    assert declared.waivers.get(number, now=later(6)).status is WaiverStatus.PENDING


def test_a_waiver_expires_and_can_be_revoked_once(declared: Catalog) -> None:
    number = declared.waivers.request(asked(), by=ANN, now=NOW).number
    declared.waivers.approve(number, by=BOB, comment="", now=NOW)
    end = NOW + timedelta(days=30)

    assert declared.waivers.get(number, now=end - timedelta(seconds=1)).status is WaiverStatus.APPROVED
    assert declared.waivers.get(number, now=end).status is WaiverStatus.EXPIRED
    revoked = declared.waivers.revoke(number, by=ANN, comment="not needed", now=later(5))
    assert (revoked.status, revoked.revoked_by) == (WaiverStatus.REVOKED, "ann")
    with pytest.raises(ConflictError, match="revoked already, by ann"):
        declared.waivers.revoke(number, by=BOB, comment="", now=later(6))
    with pytest.raises(ConflictError, match="is REVOKED already: request a new one"):
        declared.waivers.approve(number, by=BOB, comment="", now=later(6))


def test_an_expired_request_cannot_be_approved(declared: Catalog) -> None:
    number = declared.waivers.request(asked(), by=ANN, now=NOW).number

    with pytest.raises(ConflictError, match="is EXPIRED already"):
        declared.waivers.approve(number, by=BOB, comment="", now=NOW + timedelta(days=31))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        pytest.param({"gate": Gate.G5_PII}, "gate", id="personal data is never waived"),
        pytest.param({"gate": Gate.CERTIFICATION}, "gate", id="a certification follows from the gates"),
        pytest.param({"expires_at": NOW}, "expires_at", id="it would never count"),
        pytest.param({"expires_at": NOW + LONGEST + timedelta(seconds=1)}, "expires_at", id="longer than 90 days"),
        pytest.param({"expires_at": NOW.replace(tzinfo=None)}, "expires_at", id="a time without a zone"),
        pytest.param({"first": None, "last": None}, "partition", id="no day of a dataset that has days"),
        pytest.param({"last": DAY.previous}, "partition", id="a range that ends before it begins"),
        pytest.param({"dataset_urn": "ds://sales/customers"}, "partition", id="a day of a dataset that has none"),
        pytest.param({"signature": "RECORD_COUNT:3≠4"}, "signature", id="rows that were lost"),
        pytest.param({"signature": " "}, "signature", id="no signature"),
        pytest.param({"signature": "ENUM:mail:ann@example.com"}, "signature", id="a personal value"),
        pytest.param({"reason": "\n"}, "reason", id="no reason"),
        pytest.param({"reason": "x" * 2001}, "reason", id="too long a reason"),
    ],
)
def test_an_invalid_request_names_its_field_and_stores_nothing(
    declared: Catalog, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(InputError) as caught:
        declared.waivers.request(asked(**changes), by=ANN, now=NOW)

    assert caught.value.field == field
    assert declared.waivers.find(now=NOW) == ()


def test_an_unknown_dataset_or_number_is_not_found(declared: Catalog) -> None:
    with pytest.raises(NotFoundError, match="no policy declares ds://sales/unknown"):
        declared.waivers.request(asked(dataset_urn="ds://sales/unknown"), by=ANN, now=NOW)
    with pytest.raises(NotFoundError, match="there is no waiver 7"):
        declared.waivers.approve(7, by=BOB, comment="", now=NOW)


def test_personal_values_in_a_reason_are_redacted(declared: Catalog) -> None:
    waiver = declared.waivers.request(asked(reason="asked by ann@example.com"), by=ANN, now=NOW)

    assert waiver.reason == "asked by [REDACTED:EMAIL]"


def test_waivers_that_have_ended_are_found_apart(declared: Catalog) -> None:
    numbers = [declared.waivers.request(asked(signature=f"FORMAT:{n}"), by=ANN, now=NOW).number for n in range(3)]
    declared.waivers.revoke(numbers[0], by=BOB, comment="", now=NOW)
    soon = asked(expires_at=NOW + timedelta(days=1))
    numbers.append(declared.waivers.request(soon, by=ANN, now=NOW).number)
    later_on = NOW + timedelta(days=1)

    assert [one.number for one in declared.waivers.find(now=later_on, ended=True)] == [numbers[0], numbers[3]]
    assert [one.number for one in declared.waivers.find(ORDERS, now=later_on, ended=False)] == numbers[1:3]
    assert len(declared.waivers.find(now=later_on)) == 4
