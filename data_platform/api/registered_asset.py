"""Which assets may be reported: those of the policies, read anew when a file of them has changed."""

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
"""So long an asset that was just declared may not be known yet."""

_LOG = logging.getLogger("data_platform.api")


class KnownAssets:
    """Of no folder, or one that is not there, none. May be asked from several threads."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._found: ExternalAssets | None = None
        self._seen: object = None
        self._looked = float("-inf")

    def fresh(self) -> ExternalAssets | None:
        """What was found in the last seconds, at no cost; None if somebody has to look."""
        return self._found if time.monotonic() - self._looked <= LOOK_SECONDS else None

    def current(self) -> ExternalAssets:
        """Policies that have become wrong do not count, and the last ones that were right do.

        Raises:
            ProblemError: 503, they were never right since the service started.
        """
        with self._lock:
            if self._found is None or time.monotonic() - self._looked > LOOK_SECONDS:
                self._look()
            if self._found is None:
                raise unavailable("the policies have problems, so no asset is known: data-platform validate shows them")
            return self._found

    def _look(self) -> None:
        # the service starts without them: most of its callers never ask
        from data_platform.policies import PlatformPolicy, Policies, load_policies
        from data_platform.policies.external import ExternalAssets

        self._looked = time.monotonic()
        seen = _stamps(self._folder)
        if seen == self._seen:
            return
        self._seen = seen
        try:
            none = Policies((), (), PlatformPolicy())
            policies = load_policies(self._folder, check_rules=False) if self._folder and seen else none
            self._found = ExternalAssets(policies)
        except PolicyError as error:
            _LOG.warning("the policies have %d problems, and are not read: %s", len(error.problems), error.problems[0])


def _stamps(folder: Path | None) -> tuple[tuple[str, int, int], ...]:
    found = []
    for place, _, names in os.walk(folder) if folder else ():
        for name in names:
            path = os.path.join(place, name)
            try:
                stat = os.stat(path)
            except FileNotFoundError:
                continue
            found.append((path, stat.st_mtime_ns, stat.st_size))
    return tuple(sorted(found))
