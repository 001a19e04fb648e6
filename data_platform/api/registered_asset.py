"""Which assets can be reported: those of the policies, which are read again when one of their files has changed."""

from __future__ import annotations

import logging
import os
import threading
import time
from typing import TYPE_CHECKING

from data_platform.api.problem import unavailable
from data_platform.errors import PolicyError

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.policies.external import ExternalAssets

LOOK_SECONDS = 10
"""The delay until a newly declared asset can be reported."""

_LOG = logging.getLogger("data_platform.api")


class ReportableAssets:
    """The assets of a policy folder; none if there is no folder. Thread-safe."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._assets: ExternalAssets | None = None
        self._loaded_stamps: object = None
        self._checked_at = float("-inf")

    def fresh(self) -> ExternalAssets | None:
        """The assets if they were checked in the last seconds, without I/O; None if they have to be reloaded."""
        return self._assets if time.monotonic() - self._checked_at <= LOOK_SECONDS else None

    def current(self) -> ExternalAssets:
        """The assets of the last valid policies; policies that became invalid are ignored.

        Raises:
            ProblemError: 503, the policies have not been valid since the service started.
        """
        with self._lock:
            if self._assets is None or time.monotonic() - self._checked_at > LOOK_SECONDS:
                self._reload()
            if self._assets is None:
                raise unavailable("the policies have problems, so no asset can be reported: run data-platform validate")
            return self._assets

    def _reload(self) -> None:
        # not imported when the service starts: most callers never report
        from data_platform.policies import PlatformPolicy, Policies, load_policies
        from data_platform.policies.external import ExternalAssets

        self._checked_at = time.monotonic()
        stamps = stamps_of(self._folder)
        if stamps == self._loaded_stamps:
            return
        self._loaded_stamps = stamps
        try:
            none = Policies((), (), PlatformPolicy())
            policies = load_policies(self._folder, check_rules=False) if self._folder and stamps else none
            self._assets = ExternalAssets(policies)
        except PolicyError as error:
            _LOG.warning(
                "the policies have %d problems, and are not loaded: %s", len(error.problems), error.problems[0]
            )


def stamps_of(folder: Path | None) -> tuple[tuple[str, int, int], ...]:
    """The time and size of each file below ``folder``: different when a policy may have changed."""
    stamps = []
    for place, _, names in os.walk(folder) if folder else ():
        for name in names:
            path = os.path.join(place, name)
            try:
                stat = os.stat(path)
            except FileNotFoundError:
                continue
            stamps.append((path, stat.st_mtime_ns, stat.st_size))
    return tuple(sorted(stamps))
