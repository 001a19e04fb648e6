"""Tells the catalog of one command, beside it: the command never waits for a service, and hardly for a disk.

Start and end are on disk before the command starts and before the wrapper ends, within ``DISK_SECONDS``; a thread sends
them. A heartbeat is sent or forgotten, since a late one says nothing.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from data_platform.legacy.client import tell, troubles
from data_platform.legacy.forward import WAIT_SECONDS, Kept, bounded, forward_within, keep_within
from data_platform.openlineage.legacy_event import body_of

if TYPE_CHECKING:
    from data_platform.legacy.forward import Service
    from data_platform.legacy.running import Mark

DISK_SECONDS = 0.25


class Telling:
    def __init__(self, service: Service, mark: Mark) -> None:
        self._service, self._mark = service, mark
        self._unkept = Kept()
        self._pulse: bytes | None = None
        self._turn = threading.Lock()
        self._wake, self._idle = threading.Event(), threading.Event()
        self._told: set[str] = set()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._works = True
        try:
            self._thread.start()
        except RuntimeError:  # no threads left: everything waits in the spool
            self._works = False

    def tell(self, document: dict[str, Any]) -> None:
        kept = keep_within(self._service.spool, body_of(document), DISK_SECONDS)
        if kept.problem:
            with self._turn:
                self._unkept.problem = kept.problem
                self._unkept.loose += kept.loose
        self._go()

    def beat(self, document: dict[str, Any]) -> None:
        self._pulse = body_of(document)
        self._go()

    def finish(self, seconds: float) -> None:
        """Give the thread ``seconds`` for what is left. The rest waits in the spool."""
        if self._works:
            self._idle.wait(seconds)

    def _go(self) -> None:
        self._idle.clear()
        self._wake.set()

    def _work(self) -> None:
        while self._wake.wait():
            self._wake.clear()
            self._send()
            if not self._wake.is_set():
                self._idle.set()

    def _send(self) -> None:
        with self._turn:
            batch, self._unkept = self._unkept, Kept()
            pulse, self._pulse = self._pulse, None
        own = len(batch.loose)
        if pulse is not None:
            bounded(self._mark.touch, DISK_SECONDS)
            batch.loose = [*batch.loose, pulse]
        result = forward_within(self._service, WAIT_SECONDS, batch)
        result.loose = result.loose[: max(0, own - (len(batch.loose) - len(result.loose)))]
        for line in troubles(self._service, batch, result):
            if line not in self._told:
                self._told.add(line)
                tell(line)
