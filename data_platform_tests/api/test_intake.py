"""Events of many requests are committed together: none is lost, none is kept twice, and a bad one fails alone."""

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import pytest

from data_platform.api import intake as module
from data_platform.api import lane
from data_platform.api.intake import Intake
from data_platform.api.metric import Metrics
from data_platform.api.problem import ProblemError
from data_platform.catalog import Catalog, open_catalog
from data_platform.catalog.lineage.ingest import Receipt
from data_platform.errors import SourceUnavailableError, UsageError
from data_platform.model.lineage import LineageEvent
from data_platform.openlineage.event import read_event
from data_platform_tests.api.service_client import NOW, event

SECONDS = 60


def told(number: int, **changes: Any) -> LineageEvent:
    return read_event(event(run={"runId": f"00000000-0000-4000-8000-{number:012d}"}, **changes))


class Recorded:
    """A fake of the catalog and its events: records each group, may be delayed, and fails on request."""

    def __init__(self) -> None:
        self.groups: list[list[str]] = []
        self.go = threading.Event()
        self.go.set()
        self.entered = threading.Event()
        self.errors: dict[str, Exception] = {}
        self.events = self

    def ingest(self, events: Sequence[LineageEvent], *, now: datetime) -> tuple[Receipt, ...]:
        assert now == NOW
        self.groups.append([one.run_uuid or "" for one in events])
        self.entered.set()
        self.go.wait(SECONDS)
        for one in events:
            if (error := self.errors.get(one.run_uuid or "")) is not None:
                raise error
        return tuple(Receipt(digest=one.digest, run_uuid=one.run_uuid, stored=True) for one in events)


@contextmanager
def started(catalog: Any) -> Iterator[Intake]:
    intake = Intake(catalog, Metrics(), now=lambda: NOW)
    intake.start()
    try:
        yield intake
    finally:
        intake.close()


def results(futures: list[Future[Any]]) -> list[Any]:
    return [future.result(SECONDS) for future in futures]


def test_what_arrives_during_a_commit_is_one_group_after_it() -> None:
    catalog = Recorded()
    catalog.go.clear()
    with started(catalog) as intake:
        first = intake.submit([told(0)])
        assert catalog.entered.wait(SECONDS)
        rest = [intake.submit([told(number)]) for number in range(1, 6)]
        assert not first[0].done()

        catalog.go.set()

        assert [result.run_uuid for one in (first, *rest) for result in results(one)] == [
            told(number).run_uuid for number in range(6)
        ]
    assert [len(group) for group in catalog.groups] == [1, 5]


def test_those_who_were_answered_together_are_waited_for_a_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GATHER_SECONDS", SECONDS)
    monkeypatch.setattr(module, "GATHER_MOST_SECONDS", SECONDS)
    catalog = Recorded()
    catalog.go.clear()
    with started(catalog) as intake:
        alone = intake.submit([told(0), told(1)])  # one request: the next one is not kept waiting
        assert catalog.entered.wait(SECONDS)
        together = intake.submit([told(2)]) + intake.submit([told(3)])
        catalog.go.set()
        results(alone + together)

        again = intake.submit([told(4)])
        assert not again[0].done()
        results(again + intake.submit([told(5)]))

    assert [len(group) for group in catalog.groups] == [2, 2, 2]


def answer_two_together(catalog: Recorded, intake: Intake) -> None:
    """Events 1 and 2, sent while 0 is written: two requests are expected from then on."""
    catalog.go.clear()
    first = intake.submit([told(0)])
    assert catalog.entered.wait(SECONDS)
    both = intake.submit([told(1)]) + intake.submit([told(2)])
    catalog.go.set()
    results(first + both)


def test_a_single_request_waits_only_a_moment_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GATHER_SECONDS", 0.0)
    catalog = Recorded()
    with started(catalog) as intake:
        answer_two_together(catalog, intake)
        results(intake.submit([told(3)]))
        monkeypatch.setattr(module, "GATHER_SECONDS", SECONDS)
        results(intake.submit([told(4)]))

    assert [len(group) for group in catalog.groups] == [1, 2, 1, 1]


def test_closing_does_not_wait_for_those_who_may_come(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GATHER_SECONDS", 2 * SECONDS)
    monkeypatch.setattr(module, "GATHER_MOST_SECONDS", 2 * SECONDS)
    catalog = Recorded()
    with started(catalog) as intake:
        answer_two_together(catalog, intake)
        last = intake.submit([told(3)])

    assert isinstance(results(last)[0], Receipt)


def test_a_group_has_a_bound_of_events_and_of_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    catalog = Recorded()
    with started(catalog) as intake:
        results(intake.submit([told(number) for number in range(900)]))
    assert max(len(group) for group in catalog.groups) <= 200
    assert [one for group in catalog.groups for one in group] == [told(number).run_uuid for number in range(900)]
    catalog.groups.clear()
    monkeypatch.setattr(module, "GROUP_BYTES", 1)
    with started(catalog) as intake:
        results(intake.submit([told(0), told(1)]))

    assert [len(group) for group in catalog.groups] == [1, 1]


def test_a_small_request_waits_for_one_group_of_a_huge_one() -> None:
    catalog = Recorded()
    with started(catalog) as intake:
        catalog.go.clear()
        huge = intake.submit([told(number) for number in range(4_000)])
        assert catalog.entered.wait(SECONDS)
        small = intake.submit([told(5_000)])
        catalog.go.set()
        results(small)
        groups_before = next(place for place, group in enumerate(catalog.groups) if told(5_000).run_uuid in group)

        results(huge)

    assert groups_before == 1


def test_an_event_that_cannot_be_kept_takes_no_other_with_it() -> None:
    catalog = Recorded()
    bad = told(2).run_uuid or ""
    catalog.errors[bad] = UsageError("refused by a constraint")
    with started(catalog) as intake:
        found = results(intake.submit([told(number) for number in range(4)]))

    assert [isinstance(result, Receipt) for result in found] == [True, True, False, True]
    assert found[2] is catalog.errors[bad]


def test_without_the_catalog_no_event_is_acknowledged_and_it_is_tried_once() -> None:
    catalog = Recorded()
    catalog.errors[told(0).run_uuid or ""] = SourceUnavailableError("away")
    with started(catalog) as intake:
        found = results(intake.submit([told(0), told(1), told(2)]))

    assert [type(result) for result in found] == [SourceUnavailableError] * 3
    assert len(catalog.groups) == 1


def test_when_it_goes_away_while_events_are_tried_one_by_one_those_kept_are_acknowledged() -> None:
    catalog = Recorded()
    catalog.errors[told(1).run_uuid or ""] = KeyError("a mistake of ours")
    catalog.errors[told(2).run_uuid or ""] = SourceUnavailableError("away")
    with started(catalog) as intake:
        found = results(intake.submit([told(number) for number in range(5)]))

    assert [type(result) for result in found] == [Receipt, KeyError, *[SourceUnavailableError] * 3]


@pytest.mark.parametrize("bound", ["QUEUE_EVENTS", "QUEUE_BYTES"])
def test_a_full_queue_rejects_until_it_has_capacity(monkeypatch: pytest.MonkeyPatch, bound: str) -> None:
    catalog = Recorded()
    catalog.go.clear()
    monkeypatch.setattr(lane, bound, 1)
    with started(catalog) as intake:
        first = intake.submit([told(0)])
        assert catalog.entered.wait(SECONDS)
        second = intake.submit([told(1)])

        with pytest.raises(ProblemError, match="too many events wait") as refused:
            intake.submit([told(2)])
        catalog.go.set()
        results(first + second)
        third = results(intake.submit([told(2)]))

    assert (refused.value.status, refused.value.headers) == (503, {"Retry-After": "5"})
    assert [result.run_uuid for result in third] == [told(2).run_uuid]


def test_closing_writes_what_waits_and_takes_nothing_more() -> None:
    catalog = Recorded()
    catalog.go.clear()
    with started(catalog) as intake:
        waiting = intake.submit([told(0)])
        assert catalog.entered.wait(SECONDS)
        waiting += intake.submit([told(1), told(2)])
        catalog.go.set()
    assert all(isinstance(result, Receipt) for result in results(waiting))
    with pytest.raises(ProblemError, match="is shutting down"):
        intake.submit([told(3)])


def test_eight_threads_lose_nothing_and_double_nothing(catalog_url: str) -> None:
    events = [told(number, job={"namespace": "etl", "name": f"j{number % 5}"}) for number in range(160)]
    acknowledged: list[Receipt] = []

    def send(intake: Intake, worker: int) -> None:
        # its own share, one by one, and the first twenty of everybody's
        for one in (*events[worker::8], *events[:20]):
            acknowledged.extend(results(intake.submit([one])))

    with open_catalog(catalog_url) as catalog, started(catalog) as intake:
        threads = [threading.Thread(target=send, args=(intake, worker)) for worker in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(SECONDS)
        kept = _runs(catalog)

    assert len(acknowledged) == 160 + 8 * 20
    assert sum(receipt.stored for receipt in acknowledged) == 160
    assert sorted(kept) == sorted(one.run_uuid or "" for one in events)


def _runs(catalog: Catalog) -> list[str]:
    with catalog._database.reading() as connection:
        return list(connection.exec_driver_sql("SELECT run_uuid FROM run_event").scalars())
