"""Reports one command to the catalog in the background: it never waits for the service, and hardly for a disk.

Start and end are written to disk before the command starts and before the wrapper ends, within ``DISK_SECONDS``; a
thread sends them. A heartbeat is sent or dropped, since a late one is useless.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from data_platform.legacy.client import problems, write_message
from data_platform.legacy.forward import WAIT_SECONDS, Kept, bounded, forward_within, keep_within
from data_platform.openlineage.legacy_event import body_of

if TYPE_CHECKING:
    from data_platform.legacy.forward import Service
    from data_platform.legacy.running import Mark

DISK_SECONDS = 0.25


class RunReporter:
    def __init__(self, service: Service, mark: Mark) -> None:
        self._service, self._mark = service, mark
        self._unkept = Kept()
        self._heartbeat: bytes | None = None
        self._lock = threading.Lock()
        self._wake, self._idle = threading.Event(), threading.Event()
        self._reported: set[str] = set()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._has_thread = True
        try:
            self._thread.start()
        except RuntimeError:  # no threads left: everything waits in the spool
            self._has_thread = False

    def emit(self, document: dict[str, Any]) -> None:
        kept = keep_within(self._service.spool, body_of(document), DISK_SECONDS)
        if kept.problem:
            with self._lock:
                self._unkept.problem = kept.problem
                self._unkept.loose += kept.loose
        self._notify()

    def beat(self, document: dict[str, Any]) -> None:
        self._heartbeat = body_of(document)
        self._notify()

    def finish(self, seconds: float) -> None:
        """Gives the thread ``seconds`` to send what is left. The rest waits in the spool."""
        if self._has_thread:
            self._idle.wait(seconds)

    def _notify(self) -> None:
        self._idle.clear()
        self._wake.set()

    def _work(self) -> None:
        while self._wake.wait():
            self._wake.clear()
            self._send()
            if not self._wake.is_set():
                self._idle.set()

    def _send(self) -> None:
        with self._lock:
            batch, self._unkept = self._unkept, Kept()
            pulse, self._heartbeat = self._heartbeat, None
        own = len(batch.loose)
        if pulse is not None:
            bounded(self._mark.touch, DISK_SECONDS)
            batch.loose = [*batch.loose, pulse]
        result = forward_within(self._service, WAIT_SECONDS, batch)
        result.loose = result.loose[: max(0, own - (len(batch.loose) - len(result.loose)))]
        for line in problems(self._service, batch, result):
            if line not in self._reported:
                self._reported.add(line)
                write_message(line)
