"""Values that take longer to compute than a page may: one thread computes each, and pages get the last one.

A value is kept for some seconds. Then a page still gets it, while a thread computes a newer one, unless pages are to
wait for the newer one. After ``forget`` the next page waits for one too, but never for longer than its limit.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

from data_platform.api.problem import ProblemError

if TYPE_CHECKING:
    from collections.abc import Callable

K = TypeVar("K")
V = TypeVar("V")

WAIT_SECONDS = 0.8
"""A page waits for its first value for so long, and then says that it is not ready."""
MOST_KEPT = 4
_LOG = logging.getLogger("data_platform.portal")


def not_ready() -> ProblemError:
    """503: the page is asked for again after a second, by a browser by itself."""
    detail = "the state of the datasets is being read, which takes some seconds after a start: ask again"
    return ProblemError(503, "not-ready", detail, headers={"Retry-After": "1"})


@dataclass
class _Entry(Generic[V]):
    """``change`` counts what ``forget`` was called before the value was read."""

    value: V | None = None
    error: Exception | None = None
    read_at: float = float("-inf")
    change: int = -1
    is_reading: bool = False
    done: threading.Event = field(default_factory=threading.Event)


class Kept(Generic[K, V]):
    """Thread-safe. With ``kept_seconds`` of 0 every page computes its own value, as tests want it."""

    def __init__(
        self,
        read: Callable[[K], V],
        *,
        kept_seconds: float,
        wait_seconds: float = WAIT_SECONDS,
        serves_old: bool = True,
        most_kept: int = MOST_KEPT,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read, self._kept_seconds, self._wait_seconds, self._clock = read, kept_seconds, wait_seconds, clock
        self._serves_old, self._most_kept = serves_old, most_kept
        self._lock = threading.Lock()
        self._entries: OrderedDict[K, _Entry[V]] = OrderedDict()
        self._changes = 0

    def get(self, key: K) -> V:
        """The value, at most some seconds old, or the last one if that takes longer than the limit.

        Raises:
            ProblemError: 503, it was never read, and is not within the limit.
        """
        if self._kept_seconds <= 0:
            return self._read(key)
        with self._lock:
            entry = self._entry(key)
            is_changed = entry.change < self._changes
            is_old = self._clock() - entry.read_at > self._kept_seconds
            if (is_changed or is_old) and not entry.is_reading:
                self._begin(key, entry)
            done = entry.done
        if entry.value is None or is_changed or (is_old and not self._serves_old):
            done.wait(self._wait_seconds)
        if entry.value is not None:
            return entry.value
        if entry.error is not None:
            raise entry.error
        raise not_ready()

    def begin(self, key: K, *, wait_seconds: float = 0) -> None:
        """Reads the value in the background, before anybody asks for it; waits for it at most ``wait_seconds``."""
        if self._kept_seconds <= 0:
            return
        with self._lock:
            entry = self._entry(key)
            if not entry.is_reading:
                self._begin(key, entry)
            done = entry.done
        done.wait(wait_seconds)

    def forget(self) -> None:
        """The next page waits for a newer value, since somebody changed something."""
        with self._lock:
            self._changes += 1

    def _entry(self, key: K) -> _Entry[V]:
        entry = self._entries.setdefault(key, _Entry())
        self._entries.move_to_end(key)
        while len(self._entries) > self._most_kept:
            self._entries.popitem(last=False)
        return entry

    def _begin(self, key: K, entry: _Entry[V]) -> None:
        entry.is_reading, entry.done = True, threading.Event()
        threading.Thread(target=self._run, args=(key, entry, self._changes), name="kept", daemon=True).start()

    def _run(self, key: K, entry: _Entry[V], change: int) -> None:
        try:
            value, error = self._read(key), None
        except Exception as found:  # the last value is still shown; the next page tries again
            _LOG.warning("the state of the datasets could not be read: %s", type(found).__name__)
            value, error = None, found
        with self._lock:
            if value is not None:
                entry.value, entry.read_at, entry.change = value, self._clock(), change
            entry.error = error
            entry.is_reading = False
            entry.done.set()
