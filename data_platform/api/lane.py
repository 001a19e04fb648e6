"""The queue of requests for the writer of events: small ones first, large ones in turns beside them.

A batch of thousands of events occupies the writer for a minute. A small request must not wait for that, so each group
has every waiting small request, and as much of the large ones as fits the time of a group. Large requests take turns,
so that a huge batch does not delay a forwarder's fifty events either. The events of one request keep their order. A
full lane refuses only requests of its own kind.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.catalog.lineage.ingest import Receipt
    from data_platform.model.lineage import LineageEvent

Result: TypeAlias = "Receipt | Exception"

SMALL_EVENTS, SMALL_BYTES = 10, 262_144
"""A request up to this size is small."""

QUEUE_EVENTS, QUEUE_BYTES = 5_000, 64 * 1_048_576
"""Limits of a lane. A request is refused if its lane has reached them, so one request at most goes over them."""

TURN_EVENTS = 20
"""Events of one large request before the next one has its turn."""


@dataclass
class Waiting:
    """An event and its result, which is set once."""

    event: LineageEvent
    done: Future[Result] = field(default_factory=Future)

    @property
    def size(self) -> int:
        return len(self.event.payload)


@dataclass(frozen=True)
class Allowance:
    """Limits of one group. ``large_events`` and ``large_bytes`` limit the share of large requests in it."""

    events: int
    bytes: int
    large_events: int
    large_bytes: int


@dataclass
class Group:
    """The events of one transaction; ``ended`` counts the requests that are complete after it."""

    events: list[Waiting] = field(default_factory=list)
    size: int = 0
    ended: int = 0

    def add(self, one: Waiting) -> None:
        self.events.append(one)
        self.size += one.size


class _Lane:
    def __init__(self) -> None:
        self.requests: deque[deque[Waiting]] = deque()
        self.events = self.bytes = 0

    @property
    def is_full(self) -> bool:
        return self.events >= QUEUE_EVENTS or self.bytes >= QUEUE_BYTES

    def add(self, request: deque[Waiting]) -> None:
        self.requests.append(request)
        self.events += len(request)
        self.bytes += sum(one.size for one in request)

    def move_turn(self, group: Group, *, most_events: int, most_bytes: int) -> None:
        """Moves one turn of events from the first request to ``group``; the rest of the request goes to the end."""
        request = self.requests.popleft()
        for _ in range(min(TURN_EVENTS, len(request))):
            if len(group.events) >= most_events or group.size >= most_bytes:
                break
            one = request.popleft()
            self.events -= 1
            self.bytes -= one.size
            group.add(one)
        if request:
            self.requests.append(request)
        else:
            group.ended += 1


class Lanes:
    """Not thread-safe: the intake holds its lock during calls."""

    def __init__(self) -> None:
        self._small, self._large = _Lane(), _Lane()

    @property
    def events(self) -> int:
        return self._small.events + self._large.events

    @property
    def requests(self) -> int:
        return len(self._small.requests) + len(self._large.requests)

    def add(self, events: Sequence[LineageEvent]) -> list[Future[Result]] | None:
        """Adds a request, and returns a result for each event, in order. If the lane is full, adds nothing: None."""
        if not events:
            return []
        lane = self._small if _is_small(events) else self._large
        if lane.is_full:
            return None
        request = deque(Waiting(event) for event in events)
        lane.add(request)
        return [one.done for one in request]

    def next_group(self, allowed: Allowance) -> Group:
        """The next group: empty if nothing waits, otherwise at least one event of any size."""
        group = Group()
        while self._small.requests and len(group.events) < allowed.events and group.size < allowed.bytes:
            self._small.move_turn(group, most_events=allowed.events, most_bytes=allowed.bytes)
        most_events = len(group.events) + allowed.large_events
        most_bytes = group.size + allowed.large_bytes
        while self._large.requests and len(group.events) < most_events and group.size < most_bytes:
            self._large.move_turn(group, most_events=most_events, most_bytes=most_bytes)
        return group


def _is_small(events: Sequence[LineageEvent]) -> bool:
    return len(events) <= SMALL_EVENTS and sum(len(event.payload) for event in events) <= SMALL_BYTES
