"""Looks at an interval, for as long as a process watches, and records each time that it is alive.

A look that fails is reported and repeated at the next interval, whatever the error is: a watchdog that ends at an
outage of the catalog would not see what happened in it. A look that hangs is reported too, and no second one begins.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.catalog import open_catalog
from data_platform.errors import DataPlatformError, PolicyError
from data_platform.model.watcher import Watcher
from data_platform.policies import load_policies, stamp_of
from data_platform.signals.look import look
from data_platform.signals.notify import send_due

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime, timedelta

    from data_platform.catalog import Catalog
    from data_platform.model.incident_event import IncidentEvent
    from data_platform.policies import Policies
    from data_platform.settings import Settings

LOOK_SECONDS = 60.0
"""After this time a look is reported as hanging; that of ten thousand datasets takes some seconds."""


@dataclass(frozen=True, kw_only=True)
class LookReport:
    """``active`` is the number of open and acknowledged incidents; ``problem`` is why the look failed, or empty."""

    at: datetime
    changes: tuple[IncidentEvent, ...] = ()
    active: int = 0
    problem: str = ""
    seconds: float = 0


@dataclass
class Watch:
    """``name`` is under which it records that it is alive. Its policies are read again when a file has changed."""

    settings: Settings
    name: str
    every: timedelta
    now: Callable[[], datetime]
    look_seconds: float = LOOK_SECONDS
    _catalog: Catalog | None = field(default=None, init=False)
    _policies: Policies | None = field(default=None, init=False)
    _stamp: str = field(default="", init=False)
    _thread: threading.Thread | None = field(default=None, init=False)
    _report: LookReport | None = field(default=None, init=False)
    _sending: threading.Thread | None = field(default=None, init=False)
    _unsent: str = field(default="", init=False)

    def follow(self, stop: threading.Event, report: Callable[[LookReport], None]) -> None:
        """Looks until ``stop`` is set. ``report`` gets each look."""
        while not stop.is_set():
            begun = time.monotonic()
            report(self.look())
            self.send()
            stop.wait(max(0.0, self.every.total_seconds() - (time.monotonic() - begun)))
        self._wait()

    def look(self) -> LookReport:
        """One look, in a thread of its own that is given up after ``look_seconds``."""
        if self._thread is None or not self._thread.is_alive():
            self._report = None
            self._thread = threading.Thread(target=self._run, name="look", daemon=True)
            self._thread.start()
        self._thread.join(self.look_seconds)
        if self._report is None:
            return LookReport(at=self.now(), problem=f"the look has not ended after {self.look_seconds:g} seconds")
        return self._report

    def send(self) -> None:
        """Sends alerts in a thread of its own, so that a channel that does not answer delays no look.

        Does nothing while the thread before it sends, or if no look has opened the catalog.
        """
        if self._policies is not None and (self._sending is None or not self._sending.is_alive()):
            self._sending = threading.Thread(target=self._send, name="alerts", daemon=True)
            self._sending.start()

    def close(self) -> None:
        """Waits for the messages that are being sent, then closes the catalog, unless a look or a message hangs."""
        self._wait()
        threads = [thread for thread in (self._thread, self._sending) if thread is not None]
        if self._catalog is not None and not any(thread.is_alive() for thread in threads):
            self._catalog.close()

    def _wait(self) -> None:
        if self._sending is not None:
            self._sending.join(self.look_seconds)

    def _send(self) -> None:
        assert self._catalog is not None, "the policies are read after it was opened"  # noqa: S101
        assert self._policies is not None, "it is checked before"  # noqa: S101
        try:
            send_due(self._catalog, self.settings, self._policies, self.now())
            self._unsent = ""
        except Exception as error:  # the next look reports it, and then it is tried again
            self._unsent = f"alerts were not sent: {_text_of(error)}"

    def _run(self) -> None:
        at, begun = self.now(), time.monotonic()
        try:
            report = self._attempt(at)
        except Exception as error:  # a watchdog survives every error
            text = _text_of(error)
            report = LookReport(at=at, problem=text)
            self._save(at, text)
        self._report = LookReport(**{**vars(report), "seconds": round(time.monotonic() - begun, 3)})

    def _attempt(self, at: datetime) -> LookReport:
        if self._catalog is None:
            self._catalog = open_catalog(self.settings.catalog_url)
        policies, problem = self._current_policies()
        problem = "; ".join(part for part in (problem, self._unsent) if part)
        changes = look(policies, self._catalog, at)
        self._save(at, problem)
        return LookReport(at=at, changes=changes, active=len(self._catalog.incidents.active()), problem=problem)

    def _current_policies(self) -> tuple[Policies, str]:
        """The policies on disk, or the last ones that were right, with what is wrong now."""
        stamp = stamp_of(self.settings.policies)
        if self._policies is not None and stamp == self._stamp:
            return self._policies, ""
        try:
            self._policies = load_policies(self.settings.policies, check_rules=False)
        except PolicyError as error:
            if self._policies is None:
                raise
            return self._policies, f"the policies are wrong, and those before are used: {error}"
        self._stamp = stamp
        return self._policies, ""

    def _save(self, at: datetime, error: str) -> None:
        """Records that the process is alive; an error of the catalog itself cannot be recorded there."""
        if self._catalog is None:
            return
        watcher = Watcher(name=self.name, looked_at=at, every_seconds=int(self.every.total_seconds()), error=error)
        try:
            self._catalog.incidents.save_watcher(watcher)
        except DataPlatformError:
            return


def _text_of(error: Exception) -> str:
    return str(error) if isinstance(error, DataPlatformError) else f"unexpected {type(error).__name__}"
