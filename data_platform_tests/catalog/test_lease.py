"""One writer per dataset: a lease has one owner, expires, and is released only by its owner."""

from datetime import timedelta

import pytest

from data_platform.catalog import Catalog, open_catalog
from data_platform.errors import LeaseHeldError
from data_platform_tests.catalog.concurrency import run_concurrently
from data_platform_tests.catalog.example import NOW, ORDERS, later

HOUR = timedelta(hours=1)


def test_the_error_of_a_taken_lease_names_its_owner_and_its_end(catalog: Catalog) -> None:
    catalog.leases.take(ORDERS, owner="run_1", now=NOW, ttl=HOUR)

    with pytest.raises(LeaseHeldError, match="is being written by run_1 until 2026-02-15 08:15:32 UTC"):
        catalog.leases.take(ORDERS, owner="run_2", now=later(59), ttl=HOUR)
    assert catalog.leases.owner(ORDERS) == "run_1"


def test_another_dataset_has_a_lease_of_its_own(catalog: Catalog) -> None:
    catalog.leases.take(ORDERS, owner="run_1", now=NOW, ttl=HOUR)

    catalog.leases.take("ds://curated/items", owner="run_2", now=NOW, ttl=HOUR)

    assert catalog.leases.owner("ds://curated/items") == "run_2"


def test_a_lease_is_taken_over_in_the_moment_it_ends(catalog: Catalog) -> None:
    catalog.leases.take(ORDERS, owner="run_1", now=NOW, ttl=HOUR)

    catalog.leases.take(ORDERS, owner="run_2", now=later(60), ttl=HOUR)

    assert catalog.leases.owner(ORDERS) == "run_2"
    with pytest.raises(LeaseHeldError, match="run_2"):
        catalog.leases.take(ORDERS, owner="run_1", now=later(60), ttl=HOUR)


def test_the_owner_may_take_it_again_which_extends_it(catalog: Catalog) -> None:
    catalog.leases.take(ORDERS, owner="run_1", now=NOW, ttl=HOUR)

    catalog.leases.take(ORDERS, owner="run_1", now=later(30), ttl=HOUR)

    with pytest.raises(LeaseHeldError, match="until 2026-02-15 08:45:32"):
        catalog.leases.take(ORDERS, owner="run_2", now=later(61), ttl=HOUR)


def test_only_the_owner_releases_a_lease(catalog: Catalog) -> None:
    catalog.leases.take(ORDERS, owner="run_1", now=NOW, ttl=HOUR)

    catalog.leases.release(ORDERS, owner="run_2")
    assert catalog.leases.owner(ORDERS) == "run_1"
    catalog.leases.release(ORDERS, owner="run_1")
    assert catalog.leases.owner(ORDERS) is None
    catalog.leases.release(ORDERS, owner="run_1")  # nothing is held: nothing happens


def _take(url: str, owner: str) -> str:
    with open_catalog(url) as catalog:
        try:
            catalog.leases.take(ORDERS, owner=owner, now=NOW, ttl=HOUR)
        except LeaseHeldError:
            return "refused"
        return owner


def test_of_processes_that_ask_at_once_one_gets_it(catalog: Catalog, catalog_url: str) -> None:
    answers = run_concurrently(_take, [(catalog_url, f"run_{i}") for i in range(3)])

    assert answers.count("refused") == 2
    assert catalog.leases.owner(ORDERS) in answers
