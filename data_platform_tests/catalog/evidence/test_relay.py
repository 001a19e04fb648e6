"""The catalog notes for each topic what was sent, and who may send; the number never moves back."""

from datetime import timedelta

from data_platform.catalog import Catalog
from data_platform_tests.catalog.concurrency import run_concurrently
from data_platform_tests.catalog.evidence.test_chain import add
from data_platform_tests.catalog.example import NOW, evidence, later

TTL = timedelta(seconds=30)


def test_records_wait_in_the_order_of_their_commit_until_they_are_confirmed(catalog: Catalog) -> None:
    relay = catalog.evidence_relay
    catalog.evidence.add([evidence(f"run_{n}", timestamp=later(n)) for n in range(4)])
    first, second = relay.unsent("a", 2)
    assert relay.claim("a", "me", now=NOW, ttl=TTL)

    relay.confirm("a", "me", second[0], now=NOW, release=False)
    relay.confirm("a", "me", first[0], now=NOW, release=True)  # late, and so without effect

    assert [record.run_id for _, record in relay.unsent("a", 10)] == ["run_2", "run_3"]
    assert (relay.waiting("a").records, relay.waiting("a").oldest) == (2, later(2))
    assert (relay.waiting("b").records, relay.waiting("b").oldest) == (4, later(0))
    assert all(record.evidence_id for _, record in relay.unsent("b", 10))


def test_one_may_send_until_it_releases_or_its_time_is_over(catalog: Catalog) -> None:
    relay = catalog.evidence_relay

    assert relay.claim("a", "first", now=NOW, ttl=TTL)
    assert relay.claim("a", "first", now=NOW, ttl=TTL)
    assert not relay.claim("a", "second", now=NOW + TTL, ttl=TTL)
    assert relay.claim("b", "second", now=NOW, ttl=TTL)
    assert relay.claim("a", "second", now=NOW + 2 * TTL, ttl=TTL)
    relay.confirm("a", "first", 0, now=NOW, release=True)  # it is not the first's any more
    assert not relay.claim("a", "third", now=NOW + 2 * TTL, ttl=TTL)
    relay.confirm("a", "second", 0, now=NOW, release=True)
    assert relay.claim("a", "third", now=NOW + 2 * TTL, ttl=TTL)


def test_what_several_processes_add_is_read_in_steps_without_a_gap(catalog: Catalog, catalog_url: str) -> None:
    run_concurrently(add, [(catalog_url, f"run_{n}", 6) for n in range(2)])
    read, relay = [], catalog.evidence_relay
    assert relay.claim("a", "me", now=NOW, ttl=TTL)

    while batch := relay.unsent("a", 5):
        read += [record.evidence_id for _, record in batch]
        relay.confirm("a", "me", batch[-1][0], now=NOW, release=False)

    assert read == [record.evidence_id for record in reversed(catalog.evidence.find())]
    assert len(read) == 24
