"""The policies that pages show: read once, and again in the background when one of their files has changed.

Reading the files of 10,000 datasets takes many seconds, and no page waits for it: the first reading begins with the
service, and until a later one is complete, pages show what was valid before. Files with problems are not loaded.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from data_platform.api.registered_asset import stamps_of
from data_platform.errors import PolicyError
from data_platform.policies import PlatformPolicy, Policies, load_policies
from data_platform.portal.kept import WAIT_SECONDS, not_ready
from data_platform.portal.long_lived import MANY_DATASETS, settle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LOOK_SECONDS = 10
_NONE = Policies((), (), PlatformPolicy())
_LOG = logging.getLogger("data_platform.portal")


class PolicySource:
    """Thread-safe. ``problems`` is the number of problems in files that were not loaded."""

    def __init__(self, folder: Path | None, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder = folder
        self.problems = 0
        self._clock = clock
        self._lock = threading.Lock()
        self._policies: Policies | None = None
        self._stamps: object = None
        self._looked_at = float("-inf")
        self._is_looking = False

    def current(self) -> Policies:
        """The last valid policies; none if there is no folder, or it was never valid.

        Raises:
            ProblemError: 503, another thread reads them for the first time.
        """
        if not self._lock.acquire(timeout=WAIT_SECONDS):
            raise not_ready()
        try:
            return self._current()
        finally:
            self._lock.release()

    def wait(self) -> Policies:
        """The same, for a thread that nobody waits for."""
        with self._lock:
            return self._current()

    def _current(self) -> Policies:
        if self._policies is None:
            self._look()
        elif not self._is_looking and self._clock() - self._looked_at > LOOK_SECONDS:
            self._is_looking = True
            threading.Thread(target=self._look_again, name="policies", daemon=True).start()
        return self._policies or _NONE

    def _look_again(self) -> None:
        try:
            self._look()
        finally:
            self._is_looking = False

    def _look(self) -> None:
        stamps = stamps_of(self.folder)
        if stamps != self._stamps or self._policies is None:
            self._policies = self._load(stamps) or self._policies or _NONE
            self._stamps = stamps
            if len(self._policies.datasets) >= MANY_DATASETS:
                settle()
        self._looked_at = self._clock()

    def _load(self, stamps: object) -> Policies | None:
        if self.folder is None or not stamps:
            return _NONE
        try:
            found = load_policies(self.folder, check_rules=False)
        except PolicyError as error:
            self.problems = len(error.problems)
            _LOG.warning("the policies have %d problems, and are not loaded: %s", self.problems, error.problems[0])
            return None
        self.problems = 0
        return found
