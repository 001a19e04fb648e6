"""The one writer of events: what arrives at the same time is committed together, and answered after its commit.

A commit costs the same for one event and for a hundred, and writers go one at a time anyway. So requests put their
events into a queue and wait; one thread takes what is there, in one call of ``Catalog.ingest``. Clients that were
answered together are likely to send again together, so the writer gives as many requests as it answered last a moment
to come; a client that is alone never waits for that. If a group fails, its events are tried one by one, so that one
that cannot be kept takes no other with it. The queue is bounded.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from data_platform.api.problem import unavailable
from data_platform.errors import DataPlatformError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from data_platform.api.metric import Metrics
    from data_platform.catalog import Catalog
    from data_platform.catalog.lineage.ingest import Receipt
    from data_platform.model.lineage import LineageEvent

Result: TypeAlias = "Receipt | Exception"

GROUP_EVENTS, GROUP_BYTES = 200, 8 * 1_048_576
"""Of one transaction: longer ones hardly go faster, and keep other writers waiting."""

GATHER_SECONDS, GATHER_MOST_SECONDS = 0.002, 0.02
"""How long the writer waits for the next of the requests that it expects, and for all of them."""

QUEUE_EVENTS, QUEUE_BYTES = 5_000, 64 * 1_048_576
"""What may wait. A request is refused when the queue is over it, so it is passed by one request at most."""

CLOSE_SECONDS = 30

_LOG = logging.getLogger("data_platform.api")


@dataclass(frozen=True)
class _Waiting:
    event: LineageEvent
    ends_request: bool
    done: Future[Result] = field(default_factory=Future)


class Intake:
    """``submit`` from any thread; each event's result is a receipt, or why it is not kept."""

    def __init__(self, catalog: Catalog, metrics: Metrics, *, now: Callable[[], datetime]) -> None:
        self._catalog, self._metrics, self._now = catalog, metrics, now
        self._queue: deque[_Waiting] = deque()
        self._bytes = 0
        self._requests = self._expected = 0  # in the queue; and answered last
        self._open = False
        self._changed = threading.Condition()
        self._writer = threading.Thread(target=self._write, name="intake", daemon=True)

    def start(self) -> None:
        self._open = True
        self._writer.start()

    def close(self) -> None:
        """Take nothing more, write what waits, and end."""
        with self._changed:
            self._open = False
            self._changed.notify_all()
        if self._writer.is_alive():
            self._writer.join(CLOSE_SECONDS)

    def submit(self, events: Sequence[LineageEvent]) -> list[Future[Result]]:
        """All of them or none are queued.

        Raises:
            ProblemError: 503, the queue is full, or the service ends.
        """
        waiting = [_Waiting(event, place == len(events)) for place, event in enumerate(events, 1)]
        with self._changed:
            if not self._open:
                raise unavailable("the service is ending: send it again")
            if len(self._queue) >= QUEUE_EVENTS or self._bytes >= QUEUE_BYTES:
                raise unavailable("too many events wait to be written: send it again later")
            self._queue.extend(waiting)
            self._bytes += sum(len(event.payload) for event in events)
            self._requests += 1 if events else 0
            self._metrics.queue.set(len(self._queue))
            self._changed.notify_all()
        return [one.done for one in waiting]

    def _write(self) -> None:
        while group := self._next_group():
            try:
                results = self._ingest([one.event for one in group])
            except BaseException as error:  # a request must not wait for ever for a writer that died
                _LOG.exception("the writer of events failed")
                results = [error if isinstance(error, Exception) else unavailable("the service is ending")] * len(group)
            for one, result in zip(group, results, strict=True):
                one.done.set_result(result)

    def _next_group(self) -> list[_Waiting]:
        """Waits for some; empty when the intake is closed and nothing waits any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._queue or not self._open)
            self._gather()
            group: list[_Waiting] = []
            size = 0
            while self._queue and len(group) < GROUP_EVENTS and size < GROUP_BYTES:
                group.append(self._queue.popleft())
                size += len(group[-1].event.payload)
            self._bytes -= size
            self._expected = sum(one.ends_request for one in group)
            self._requests -= self._expected
            self._metrics.queue.set(len(self._queue))
            return group

    def _gather(self) -> None:
        latest = time.monotonic() + GATHER_MOST_SECONDS
        while self._open and self._requests < self._expected and len(self._queue) < GROUP_EVENTS:
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
            ):  # the catalog is away: it is for all the others too
                return results + [last] * (len(events) - place - 1)
        return results

    def _commit(self, events: list[LineageEvent]) -> tuple[Receipt, ...]:
        started = time.perf_counter()
        receipts = self._catalog.ingest(events, now=self._now())
        self._metrics.ingest_seconds.observe(time.perf_counter() - started)
        return receipts
