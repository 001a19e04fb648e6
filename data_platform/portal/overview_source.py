"""Reads the overview, and keeps it for some seconds: at 10,000 datasets it takes longer than a page may.

The first request waits for it. Later ones get the last overview, while one thread reads a newer one.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from data_platform.portal.overview import Facts, overview_of
from data_platform.signals.at_risk import find_at_risk
from data_platform.signals.due_today import find_due_today
from data_platform.signals.lateness import find_late

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.policies import Policies
    from data_platform.portal.overview import Overview
    from data_platform.portal.policy_source import PolicySource

KEPT_SECONDS = 15
_LOG = logging.getLogger("data_platform.portal")


def read_overview(policies: Policies, catalog: Catalog, now: datetime) -> Overview:
    facts = Facts(
        at=now,
        policies=policies,
        certifications=catalog.certifications.all(),
        late=find_late(policies, catalog, now),
        at_risk=find_at_risk(policies, catalog, now),
        due=find_due_today(policies, catalog, now),
        held=catalog.runs.held(),
        incidents=catalog.incidents.active(),
    )
    return overview_of(facts)


class OverviewSource:
    """Thread-safe."""

    def __init__(
        self,
        catalog: Catalog,
        policies: PolicySource,
        now: Callable[[], datetime],
        *,
        kept_seconds: float = KEPT_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._catalog, self._policies, self._now = catalog, policies, now
        self._kept_seconds, self._clock = kept_seconds, clock
        self._lock = threading.Lock()
        self._kept: Overview | None = None
        self._read_at = float("-inf")
        self._is_reading = False

    def current(self) -> Overview:
        """The overview of now, at most some seconds old once the service is warm."""
        with self._lock:
            is_old = self._clock() - self._read_at > self._kept_seconds
            if self._kept is None or (is_old and self._kept_seconds <= 0):
                self._read()
            elif is_old and not self._is_reading:
                self._is_reading = True
                threading.Thread(target=self._read_again, name="overview", daemon=True).start()
            assert self._kept is not None, "it was read once"  # noqa: S101
            return self._kept

    def as_of(self, moment: datetime) -> Overview:
        """What is known now, judged as if it were ``moment``."""
        return read_overview(self._policies.current(), self._catalog, moment)

    def forget(self) -> None:
        """The next page reads a new overview, since somebody changed something."""
        with self._lock:
            self._read_at = float("-inf")

    def _read_again(self) -> None:
        try:
            self._read()
        except Exception as error:  # the last overview is still shown; the next page tries again
            _LOG.warning("the overview could not be read: %s", type(error).__name__)
        finally:
            self._is_reading = False

    def _read(self) -> None:
        self._kept = read_overview(self._policies.current(), self._catalog, self._now())
        self._read_at = self._clock()
