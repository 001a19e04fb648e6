"""One user requests a dataset, another decides, once; the audit log records each step."""

from typing import Any

import pytest
from sqlalchemy import select

from data_platform.catalog import Catalog
from data_platform.catalog.access_table import AUDIT
from data_platform.catalog.database import open_database
from data_platform.catalog.registry_table import DATASET, SLA
from data_platform.errors import ConflictError, InputError, UsageError
from data_platform.model.registration import Actor, RegistrationRequest, RegistrationStatus
from data_platform.model.search import SearchRequest
from data_platform_tests.catalog.example import NOW, later
from data_platform_tests.catalog.search.shop import dataset, tell

ANN = Actor(name="ann", role="DATA_OWNER")
BOB = Actor(name="bob", role="DATA_STEWARD")
FLIGHTS = "ds://ops/flights"


def asked(**changes: Any) -> RegistrationRequest:
    return RegistrationRequest(**{"namespace": "ds://ops", "name": "flights", "description": "Departures", **changes})


def rows(url: str, table: Any) -> list[Any]:
    database = open_database(url)
    with database.reading() as connection:
        found = list(connection.execute(select(table)).all())
    database.close()
    return found


def status(url: str) -> str:
    (row,) = rows(url, DATASET)
    return str(row.status)


def test_a_request_makes_a_draft_and_waits(catalog: Catalog, catalog_url: str) -> None:
    entry = catalog.registry.request_registration(asked(tags=("daily",)), by=ANN, now=NOW)

    assert (entry.full_name, entry.submitted_by, entry.submitted_at) == (FLIGHTS, "ann", NOW)
    assert (entry.status, entry.requested) == ("PENDING", {"description": "Departures", "tags": ["daily"]})
    assert catalog.registry.registrations().entries == (entry,)
    (row,) = rows(catalog_url, DATASET)
    assert (row.status, row.description, row.created_by) == ("DRAFT", "", "ann")


def test_approval_gives_the_dataset_what_was_asked_for(catalog: Catalog, catalog_url: str) -> None:
    fields = {"category": "travel", "tags": ("daily", "daily", " "), "format": "parquet", "partitioning": "day"}
    owner = {"owner_team": "air", "owner_email": "air@example.com", "sla_window_seconds": 3600}
    number = catalog.registry.request_registration(asked(**fields, **owner), by=ANN, now=NOW).id

    entry = catalog.registry.approve_registration(number, by=BOB, comment="fine", now=later(5))

    assert (entry.status, entry.reviewer, entry.reviewed_at) == (RegistrationStatus.APPROVED, "bob", later(5))
    (row,) = rows(catalog_url, DATASET)
    assert (row.status, row.description, row.category, row.tags) == ("ACTIVE", "Departures", "travel", ["daily"])
    assert (row.default_format, row.partitioning, row.updated_at) == ("PARQUET", "day", later(5))
    assert (row.owner_team, row.owner_email) == ("air", "air@example.com")
    (sla,) = rows(catalog_url, SLA)
    assert (row.default_sla_id, sla.sla_window_sec) == (sla.sla_id, 3600)
    assert [hit.full_name for hit in catalog.registry.search(SearchRequest(text="departures", team="AIR")).hits] == [
        FLIGHTS
    ]


def test_what_was_not_asked_for_stays(catalog: Catalog, catalog_url: str) -> None:
    first = catalog.registry.request_registration(asked(category="travel", sla_window_seconds=60), by=ANN, now=NOW).id
    catalog.registry.approve_registration(first, by=BOB, now=NOW)

    second = catalog.registry.request_registration(asked(description=" ", sla_window_seconds=90), by=ANN, now=NOW).id
    catalog.registry.approve_registration(second, by=BOB, now=NOW)

    (row,) = rows(catalog_url, DATASET)
    assert (row.description, row.category) == ("Departures", "travel")
    assert [sla.sla_window_sec for sla in rows(catalog_url, SLA)] == [90]


def test_a_dataset_that_an_event_named_is_taken_as_it_is(catalog: Catalog, catalog_url: str) -> None:
    tell(catalog, dataset("flights", description="from an event"))

    number = catalog.registry.request_registration(asked(description=None), by=ANN, now=NOW).id
    catalog.registry.approve_registration(number, by=BOB, now=NOW)

    (row,) = rows(catalog_url, DATASET)
    assert (row.status, row.description) == ("ACTIVE", "from an event")


def test_rejection_leaves_the_draft(catalog: Catalog, catalog_url: str) -> None:
    number = catalog.registry.request_registration(asked(), by=ANN, now=NOW).id

    entry = catalog.registry.reject_registration(number, by=BOB, comment="no owner", now=NOW)

    assert (entry.status, entry.comment, status(catalog_url)) == ("REJECTED", "no owner", "DRAFT")
    assert catalog.registry.registrations().entries == ()
    assert catalog.registry.request_registration(asked(), by=ANN, now=NOW).id > number


@pytest.mark.parametrize("first", ["approve_registration", "reject_registration"])
@pytest.mark.parametrize("second", ["approve_registration", "reject_registration"])
def test_a_request_is_decided_once(catalog: Catalog, catalog_url: str, first: str, second: str) -> None:
    number = catalog.registry.request_registration(asked(), by=ANN, now=NOW).id
    getattr(catalog.registry, first)(number, by=BOB, now=NOW)
    before = catalog.registry.registration(number), status(catalog_url), len(rows(catalog_url, AUDIT))

    with pytest.raises(ConflictError, match="already, by bob"):
        getattr(catalog.registry, second)(number, by=BOB, now=later(1))
    assert (catalog.registry.registration(number), status(catalog_url), len(rows(catalog_url, AUDIT))) == before


def test_a_requester_may_withdraw_but_not_approve_the_request(catalog: Catalog, catalog_url: str) -> None:
    number = catalog.registry.request_registration(asked(), by=BOB, now=NOW).id

    with pytest.raises(UsageError, match="own request: somebody else"):
        catalog.registry.approve_registration(number, by=BOB, now=NOW)
    assert (catalog.registry.registration(number).status, status(catalog_url)) == ("PENDING", "DRAFT")
    assert catalog.registry.reject_registration(number, by=BOB, now=NOW).status == "REJECTED"


def test_the_same_request_again_is_the_one_that_waits(catalog: Catalog, catalog_url: str) -> None:
    first = catalog.registry.request_registration(asked(), by=ANN, now=NOW)

    assert catalog.registry.request_registration(asked(), by=ANN, now=later(5)) == first
    assert len(rows(catalog_url, AUDIT)) == 1
    for by, request in ((ANN, asked(description="Arrivals")), (BOB, asked())):
        with pytest.raises(ConflictError, match=f"registration {first.id} of {FLIGHTS} is pending"):
            catalog.registry.request_registration(request, by=by, now=NOW)


def declare(catalog: Catalog) -> None:
    said = {"table": "flights", "owner_team": "air", "tier": "TIER_1", "description": "d", "policy_fingerprint": "f"}
    catalog.registry.save_dataset(FLIGHTS, now=NOW, **said)  # type: ignore[arg-type]


def test_a_policy_s_dataset_is_its_file_s(catalog: Catalog, catalog_url: str) -> None:
    waiting = catalog.registry.request_registration(asked(), by=ANN, now=NOW).id
    declare(catalog)

    with pytest.raises(UsageError, match="declared by a policy file: change it there"):
        catalog.registry.request_registration(asked(), by=ANN, now=NOW)
    with pytest.raises(UsageError, match="declared by a policy file"):
        catalog.registry.approve_registration(waiting, by=BOB, now=NOW)
    with pytest.raises(UsageError, match="declared by a policy file"):
        catalog.registry.deprecate_dataset(FLIGHTS, by=BOB, now=NOW)
    assert catalog.registry.registration(waiting).status == "PENDING"
    assert [row.action for row in rows(catalog_url, AUDIT)] == ["registration.request"]
    assert catalog.registry.reject_registration(waiting, by=BOB, now=NOW).status == "REJECTED"


def test_a_dataset_is_deprecated_once(catalog: Catalog, catalog_url: str) -> None:
    tell(catalog, dataset("flights"))

    for _ in range(2):
        catalog.registry.deprecate_dataset(FLIGHTS, by=BOB, comment="replaced", now=NOW)

    assert status(catalog_url) == "DEPRECATED"
    (row,) = rows(catalog_url, AUDIT)
    assert (row.actor, row.role, row.action, row.subject) == ("bob", "DATA_STEWARD", "dataset.deprecate", FLIGHTS)
    assert row.detail == {"comment": "replaced", "before": "DRAFT"}
    assert [hit.status for hit in catalog.registry.search(SearchRequest(status="DEPRECATED")).hits] == ["DEPRECATED"]


def test_each_step_is_in_the_audit_log(catalog: Catalog, catalog_url: str) -> None:
    first = catalog.registry.request_registration(asked(), by=ANN, now=NOW).id
    catalog.registry.reject_registration(first, by=BOB, comment="no", now=NOW)
    second = catalog.registry.request_registration(asked(), by=ANN, now=NOW).id
    catalog.registry.approve_registration(second, by=BOB, comment="yes", now=NOW)

    log = [
        (row.actor, row.action, row.detail.get("comment"), row.detail["registration"])
        for row in rows(catalog_url, AUDIT)
    ]
    assert log == [
        ("ann", "registration.request", None, first),
        ("bob", "registration.reject", "no", first),
        ("ann", "registration.request", None, second),
        ("bob", "registration.approve", "yes", second),
    ]


def test_registrations_come_in_pages(catalog: Catalog) -> None:
    numbers = [catalog.registry.request_registration(asked(name=f"d{n}"), by=ANN, now=NOW).id for n in range(5)]
    catalog.registry.approve_registration(numbers[0], by=BOB, now=NOW)

    first = catalog.registry.registrations(limit=3)
    rest = catalog.registry.registrations(limit=3, cursor=first.cursor)

    assert [entry.id for entry in (*first.entries, *rest.entries)] == numbers[1:]
    assert rest.cursor is None
    assert [entry.id for entry in catalog.registry.registrations(None).entries] == numbers
    assert [entry.id for entry in catalog.registry.registrations(RegistrationStatus.APPROVED).entries] == numbers[:1]


@pytest.mark.parametrize("cursor", ["", "x", "-1", "٣", "9" * 30])
def test_a_cursor_that_is_none_is_refused(catalog: Catalog, cursor: str) -> None:
    with pytest.raises(InputError, match="cursor: not a cursor of registrations"):
        catalog.registry.registrations(cursor=cursor)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        pytest.param({"namespace": ""}, "dataset.namespace", id="no namespace"),
        pytest.param({"name": "a\0b"}, "dataset.name", id="a control character in the name"),
        pytest.param({"name": "n" * 3000}, "dataset.name", id="a name too long"),
        pytest.param({"description": "x" * 10_001}, "description", id="a book"),
        pytest.param({"category": "\ud800"}, "category", id="half a surrogate pair"),
        pytest.param({"owner_email": "air"}, "owner_email", id="no address"),
        pytest.param({"tags": ("a",) * 51}, "tags", id="many tags"),
        pytest.param({"tags": ("a", "b" * 101)}, "tags[1]", id="a long tag"),
        pytest.param({"sla_window_seconds": 0}, "sla_window_seconds", id="no window"),
        pytest.param({"sla_window_seconds": 10**10}, "sla_window_seconds", id="a window of centuries"),
    ],
)
def test_a_field_that_cannot_be_kept_is_named_and_nothing_is_made(
    catalog: Catalog, catalog_url: str, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(InputError) as told:
        catalog.registry.request_registration(asked(**changes), by=ANN, now=NOW)
    assert told.value.field == field
    assert rows(catalog_url, DATASET) == []


@pytest.mark.parametrize("number", [0, 7, -1, 2**70])
def test_a_registration_that_is_not_there_cannot_be_decided(catalog: Catalog, number: int) -> None:
    with pytest.raises(UsageError, match="there is no registration"):
        catalog.registry.approve_registration(number, by=BOB, now=NOW)
