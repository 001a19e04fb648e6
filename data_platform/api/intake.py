"""The single writer of events: it commits events that arrive at the same time in one batch, and then answers them.

A commit costs the same for one event and for a hundred, and only one writer can commit at a time. So requests put
their events into a queue and wait; one thread writes the queue with one call of ``catalog.events.ingest``. Clients
that were answered at the same time are likely to send again at the same time, so the writer waits a moment for as many
requests as it answered last; a single client never waits for that. If a group fails, its events are written one by
one, so that an invalid event does not affect the others. The queue is bounded, and a small request does not wait for
a large one (see ``lane``).
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from data_platform.api.lane import Allowance, Group, Lanes, Result
from data_platform.api.problem import unavailable
from data_platform.errors import DataPlatformError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Future
    from datetime import datetime

    from data_platform.api.metric import Metrics
    from data_platform.catalog import Catalog
    from data_platform.catalog.lineage.ingest import Receipt
    from data_platform.model.lineage import LineageEvent

GROUP_EVENTS, GROUP_BYTES = 200, 8 * 1_048_576
"""Limits of one transaction: larger ones are hardly faster, and block other writers."""

GATHER_SECONDS, GATHER_MOST_SECONDS = 0.002, 0.02
"""How long the writer waits for the next expected request, and for all of them."""

LARGE_SECONDS = 0.2
"""How long the large requests in a group may take: small ones that arrive meanwhile wait for the group's end."""

CLOSE_SECONDS = 30

_LOG = logging.getLogger("data_platform.api")


class _Pace:
    """Measures how long events take to write, by number and by size; recent groups count most."""

    def __init__(self) -> None:
        self._seconds_per_event, self._seconds_per_byte = (
            0.005,
            2e-7,
        )  # values of a slow disk, until a group was measured

    def measure(self, group: Group, seconds: float) -> None:
        self._seconds_per_event = (self._seconds_per_event + seconds / len(group.events)) / 2
        self._seconds_per_byte = (self._seconds_per_byte + seconds / max(1, group.size)) / 2

    def allowance(self) -> Allowance:
        events = int(LARGE_SECONDS / max(self._seconds_per_event, 1e-6))
        size = int(LARGE_SECONDS / max(self._seconds_per_byte, 1e-9))
        return Allowance(
            events=GROUP_EVENTS,
            bytes=GROUP_BYTES,
            large_events=min(max(events, 1), GROUP_EVENTS),
            large_bytes=min(max(size, 1), GROUP_BYTES),
        )


class Intake:
    """``submit`` may be called from any thread; each event's result is a receipt, or the error."""

    def __init__(self, catalog: Catalog, metrics: Metrics, *, now: Callable[[], datetime]) -> None:
        self._catalog, self._metrics, self._now = catalog, metrics, now
        self._lanes, self._pace = Lanes(), _Pace()
        self._expected = 0  # requests that were answered last
        self._open = False
        self._changed = threading.Condition()
        self._writer = threading.Thread(target=self._write, name="intake", daemon=True)

    def start(self) -> None:
        self._open = True
        self._writer.start()

    def close(self) -> None:
        """Accepts no more events, writes those in the queue, and ends the writer."""
        with self._changed:
            self._open = False
            self._changed.notify_all()
        if self._writer.is_alive():
            self._writer.join(CLOSE_SECONDS)

    def submit(self, events: Sequence[LineageEvent]) -> list[Future[Result]]:
        """Queues all of the events, or none.

        Raises:
            ProblemError: 503, the queue is full, or the service is shutting down.
        """
        with self._changed:
            if not self._open:
                raise unavailable("the service is shutting down: send it again")
            results = self._lanes.add(events)
            if results is None:
                raise unavailable("too many events wait to be written: send it again later")
            self._metrics.queue.set(self._lanes.events)
            self._changed.notify_all()
        return results

    def _write(self) -> None:
        while (group := self._next_group()).events:
            started = time.perf_counter()
            try:
                results = self._ingest([one.event for one in group.events])
            except BaseException as error:  # a request must not wait for ever for a writer that died
                _LOG.exception("the writer of events failed")
                failed = error if isinstance(error, Exception) else unavailable("the service is shutting down")
                results = [failed] * len(group.events)
            self._pace.measure(group, time.perf_counter() - started)
            for one, result in zip(group.events, results, strict=True):
                one.done.set_result(result)

    def _next_group(self) -> Group:
        """Waits for events and returns a group; an empty one when the intake is closed and the queue is empty."""
        with self._changed:
            self._changed.wait_for(lambda: self._lanes.events or not self._open)
            self._gather()
            group = self._lanes.next_group(self._pace.allowance())
            self._expected = group.ended
            self._metrics.queue.set(self._lanes.events)
            return group

    def _gather(self) -> None:
        latest = time.monotonic() + GATHER_MOST_SECONDS
        while self._open and self._lanes.requests < self._expected and self._lanes.events < GROUP_EVENTS:
            if not self._changed.wait(GATHER_SECONDS) or time.monotonic() >= latest:
                return

    def _ingest(self, events: list[LineageEvent]) -> list[Result]:
        try:
            return list(self._commit(events))
        except Exception as error:
            if len(events) == 1 or (isinstance(error, DataPlatformError) and error.retryable):
                return [error] * len(events)
            _LOG.warning("a group of %d events failed with %s: one by one", len(events), type(error).__name__)
        return self._ingest_one_by_one(events)

    def _ingest_one_by_one(self, events: list[LineageEvent]) -> list[Result]:
        results: list[Result] = []
        for place, event in enumerate(events):
            results += self._ingest([event])
            last = results[-1]
            if (
                isinstance(last, DataPlatformError) and last.retryable
            ):  # the catalog is unavailable: the others would fail too
                return results + [last] * (len(events) - place - 1)
        return results

    def _commit(self, events: list[LineageEvent]) -> tuple[Receipt, ...]:
        started = time.perf_counter()
        receipts = self._catalog.events.ingest(events, now=self._now())
        self._metrics.ingest_seconds.observe(time.perf_counter() - started)
        return receipts
