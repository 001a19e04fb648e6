"""The search finds what is meant, best first, and the next page has exactly the remaining hits."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from sqlalchemy import delete, insert, update

from data_platform.catalog import Catalog
from data_platform.catalog.database import Database, open_database
from data_platform.catalog.registry_table import DATASET
from data_platform.catalog.search import rebuild, reindex
from data_platform.errors import InputError
from data_platform.model.lineage import NodeType
from data_platform.model.search import SearchRequest
from data_platform_tests.catalog.example import NOW
from data_platform_tests.catalog.search.shop import dataset, tell

MANY = " ".join(f"word{n}" for n in range(41))


def names(catalog: Catalog, text: str = "", **asked: object) -> list[str]:
    return [hit.name for hit in catalog.registry.search(SearchRequest(text=text, **asked)).hits]  # type: ignore[arg-type]


@pytest.fixture
def database(catalog: Catalog, catalog_url: str) -> Iterator[Database]:  # noqa: ARG001 - it makes the tables
    opened = open_database(catalog_url)
    yield opened
    opened.close()


def test_better_places_come_before_worse_ones(catalog: Catalog) -> None:
    told = "Every flight; flights flights flights"
    tell(
        catalog,
        dataset("airports", description=told),
        dataset("planes", columns=("flights",)),
        dataset("gates", namespace="ds://flights"),
        dataset("flightsheet"),
        dataset("daily_flights"),
        dataset("flights"),
    )

    found = catalog.registry.search(SearchRequest(text="flights")).hits
    assert [hit.name for hit in found] == ["flights", "daily_flights", "flightsheet", "gates", "planes", "airports"]
    assert [hit.found_in for hit in found] == ["exact", "name", "name", "label", "column", "description"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("ds://ops/customer_orders", id="the URN"),
        pytest.param("DS://Ops/Customer_Orders", id="the URN in another case"),
        pytest.param("customer_orders", id="the name"),
        pytest.param("customerOrders", id="camel case"),
        pytest.param("customer.orders", id="with a dot"),
        pytest.param("orders customer", id="its words in another order"),
        pytest.param("cust ord", id="beginnings"),
        pytest.param("customerorders", id="without a gap"),
        pytest.param("custmer_orders", id="a letter left out"),
        pytest.param("cutsomer", id="letters swapped"),
        pytest.param("çustomer", id="an accent"),
    ],
)
def test_a_name_is_found_however_it_is_written(catalog: Catalog, text: str) -> None:
    tell(catalog, dataset("customer_orders"), dataset("flights"))

    assert names(catalog, text) == ["customer_orders"]


def test_a_camel_case_name_is_found_by_its_parts(catalog: Catalog) -> None:
    tell(catalog, dataset("dailyFXRates"), dataset("flights"))

    assert names(catalog, "fx") == names(catalog, "daily rates") == names(catalog, "dailyfxrates") == ["dailyFXRates"]


def test_a_mistyped_term_matches_similar_terms(catalog: Catalog) -> None:
    tell(catalog, dataset("flights"), dataset("orders", columns=("customer_id", "total")))

    slip = catalog.registry.search(SearchRequest(text="fligths"))
    assert ([hit.name for hit in slip.hits], slip.read_as) == (["flights"], {"fligths": ("flights",)})
    assert slip.hits[0].found_in == "similar"
    column = catalog.registry.search(SearchRequest(text="custmer_id"))
    assert [(hit.name, hit.columns) for hit in column.hits] == [("orders", ("customer_id",))]


def test_a_term_with_enough_hits_is_not_corrected(catalog: Catalog) -> None:
    tell(catalog, *(dataset(name) for name in ("order_a", "order_b", "order_c", "older")))

    page = catalog.registry.search(SearchRequest(text="order"))
    assert ({hit.name for hit in page.hits}, page.read_as) == ({"order_a", "order_b", "order_c"}, {})


def test_processes_are_found_too(catalog: Catalog) -> None:
    tell(catalog, dataset("flights"), job="NIGHT_BOX/LOAD_FLIGHTS", description="Loads what flew")

    (hit, *_) = catalog.registry.search(SearchRequest(text="night", kind=NodeType.PROCESS)).hits
    assert (hit.full_name, hit.description, hit.status) == ("AUTOSYS/NIGHT_BOX/LOAD_FLIGHTS", "Loads what flew", None)
    assert names(catalog, "flights", kind=NodeType.DATASET) == ["flights"]
    assert names(catalog, "AUTOSYS/NIGHT_BOX/LOAD_FLIGHTS") == ["NIGHT_BOX/LOAD_FLIGHTS"]


def test_filters_narrow_a_search_and_work_without_text(catalog: Catalog, database: Database) -> None:
    tell(catalog, dataset("flights", team="Air", columns=("Origin", "dest")), dataset("orders", columns=("dest",)))
    with database.writing() as connection:
        flights = DATASET.c.name == "flights"
        statement = update(DATASET).where(flights).values(tags=["PII", "daily"], category="Travel", status="ACTIVE")
        number = connection.execute(statement.returning(DATASET.c.dataset_id)).scalar_one()
        reindex(connection, [(NodeType.DATASET, number)])

    for asked in (
        {"team": "air"},
        {"category": "TRAVEL"},
        {"status": "active"},
        {"tags": ("pii", "daily")},
        {"columns": ("origin", "DEST")},
    ):
        assert names(catalog, **asked) == names(catalog, "ops", **asked) == ["flights"]
    assert names(catalog, columns=("dest",)) == ["orders", "flights"]
    assert names(catalog, tags=("pii", "weekly")) == []
    assert names(catalog, "travel") == names(catalog, "pii") == names(catalog, "air") == ["flights"]


def test_a_changed_dataset_is_found_by_what_it_is_now(catalog: Catalog, database: Database) -> None:
    tell(catalog, dataset("flights", description="aircraft"))
    with database.writing() as connection:
        statement = update(DATASET).values(description="vessels", tags=["sea"]).returning(DATASET.c.dataset_id)
        reindex(connection, [(NodeType.DATASET, number) for number in connection.execute(statement).scalars()])

    assert names(catalog, "vessels") == names(catalog, tags=("sea",)) == ["flights"]
    assert names(catalog, "aircraft") == []


def test_a_policy_s_dataset_is_found(catalog: Catalog) -> None:
    said = {"table": "flights", "owner_team": "air", "tier": "TIER_1", "policy_fingerprint": "f"}
    catalog.registry.save_dataset("ds://ops/flights", description="departures", now=NOW, **said)
    assert names(catalog, "departures") == ["flights"]

    catalog.registry.save_dataset("ds://ops/flights", description="arrivals", now=NOW, **said)
    assert names(catalog, "arrivals") == ["flights"]
    assert names(catalog, "departures") == []


def test_a_column_of_an_older_schema_is_still_found(catalog: Catalog) -> None:
    tell(catalog, dataset("flights", columns=("tail_number",)))
    tell(catalog, dataset("flights", columns=("aircraft",)))

    assert (
        names(catalog, "tail") == names(catalog, columns=("tail_number",)) == names(catalog, "aircraft") == ["flights"]
    )


def test_pages_go_through_all_hits_once_while_rows_are_added(catalog: Catalog) -> None:
    first = [f"orders_{n:02}" for n in range(25)]
    tell(catalog, *(dataset(name) for name in first))
    request, seen = SearchRequest(text="orders", limit=4), []
    while True:
        page = catalog.registry.search(request)
        seen += [hit.name for hit in page.hits]
        if page.cursor is None:
            break
        request = replace(request, cursor=page.cursor)
        # some before the page, some after it; and descriptions that change how common the word is
        new = len(seen)
        tell(catalog, dataset(f"orders_0{new}x", description="orders"), dataset(f"a{new}", description="orders"))

    assert [name for name in seen if name in first] == first
    assert len(seen) == len(set(seen))


def test_a_cursor_keeps_what_a_slip_was_read_as(catalog: Catalog) -> None:
    tell(catalog, *(dataset(f"flights_{n}") for n in range(5)))
    page = catalog.registry.search(SearchRequest(text="fligths", limit=3))
    tell(catalog, dataset("fligths"), dataset("fligths_2"), dataset("fligths_3"))

    rest = catalog.registry.search(SearchRequest(text="fligths", limit=3, cursor=page.cursor))
    assert [hit.name for hit in (*page.hits, *rest.hits)] == [f"flights_{n}" for n in range(5)]
    assert rest.cursor is None


@pytest.mark.parametrize("cursor", ["x", "", "é", "W10", "eyJhIjoxfQ", "bnVsbA", "🦊", "A" * 30_000, "WyIiLFtdLHt9XQ"])
def test_a_cursor_that_is_none_is_refused(catalog: Catalog, cursor: str) -> None:
    with pytest.raises(InputError, match="cursor: not a cursor of this search"):
        catalog.registry.search(SearchRequest(text="orders", cursor=cursor))


def test_a_cursor_of_another_search_is_refused(catalog: Catalog) -> None:
    tell(catalog, *(dataset(f"orders_{n}") for n in range(3)))
    cursor = catalog.registry.search(SearchRequest(text="orders", limit=1)).cursor

    with pytest.raises(InputError, match="cursor"):
        catalog.registry.search(SearchRequest(text="orders", kind=NodeType.DATASET, limit=1, cursor=cursor))


@pytest.mark.parametrize(
    ("request_", "said"),
    [
        pytest.param(SearchRequest(), "q: empty", id="nothing"),
        pytest.param(SearchRequest(text=" \t\n"), "q: empty", id="blanks"),
        pytest.param(SearchRequest(text="🦊 !!"), "q: no letter and no digit", id="signs only"),
        pytest.param(SearchRequest(text="a" * 5000), "q: 5000 characters", id="a book"),
        pytest.param(SearchRequest(text=MANY), "more than 40 words", id="many words"),
        pytest.param(SearchRequest(text="a", limit=0), "limit", id="no hits"),
        pytest.param(SearchRequest(text="a", limit=101), "limit", id="too many hits"),
        pytest.param(SearchRequest(status="GONE"), "status: unknown", id="no such status"),
        pytest.param(SearchRequest(tags=("a",) * 21), "tag: 21 values", id="many tags"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_with_its_field(catalog: Catalog, request_: SearchRequest, said: str) -> None:
    with pytest.raises(InputError, match=said):
        catalog.registry.search(request_)


def test_the_index_can_be_rebuilt(catalog: Catalog, database: Database) -> None:
    tell(catalog, dataset("flights", columns=("origin",)))
    with database.writing() as connection:
        number = connection.execute(insert(DATASET).values(_orders()).returning(DATASET.c.dataset_id)).scalar_one()
    assert names(catalog, "orders") == []

    with database.writing() as connection:
        assert rebuild(connection) == 3  # with the process
    assert names(catalog, "orders") == ["orders"]
    assert names(catalog, "origin") == ["flights"]
    with database.writing() as connection:
        connection.execute(delete(DATASET).where(DATASET.c.dataset_id == number))
        rebuild(connection)
    assert names(catalog, "orders") == []


def test_names_at_the_limit_and_beyond_what_an_index_takes_are_kept(catalog: Catalog) -> None:
    grows = "ﷺ" * 600  # folded, each becomes 18 letters
    tell(catalog, dataset(grows), dataset("x" * 1900), dataset("w", columns=tuple(f"c{n}" for n in range(9000))))

    assert names(catalog, grows) == [grows]
    assert names(catalog, "x" * 1900) == ["x" * 1900]
    assert names(catalog, columns=("c4000",)) == ["w"]


def _orders() -> dict[str, object]:
    return {
        "namespace": "ds://ops",
        "name": "orders",
        "full_name": "ds://ops/orders",
        "description": "",
        "tags": [],
        "status": "DRAFT",
        "created_by": "test",
        "created_at": NOW,
        "updated_at": NOW,
    }
