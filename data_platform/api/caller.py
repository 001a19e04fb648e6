"""Whose token it is, remembered for a second: looking it up costs as much as storing a small event.

A token that is revoked through this service opens nothing from the next request on, one that is revoked elsewhere
nothing a second later. Only valid tokens are remembered, by their hash.
"""

from __future__ import annotations

import hashlib
import time
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.model.access import AccessToken

REMEMBERED_SECONDS = 1.0
_MOST = 1_000


class Callers:
    """For the event loop's thread; ``forget`` is for any."""

    def __init__(self, catalog: Catalog, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._catalog, self._clock = catalog, clock
        self._known: dict[bytes, tuple[AccessToken, float]] = {}

    async def find(self, token: str, *, now: datetime) -> AccessToken | None:
        """None if it is not known, has expired, or was revoked."""
        key, known = hashlib.sha256(token.encode(errors="surrogatepass")).digest(), self._known
        caller, until = known.get(key, (None, 0.0))
        if caller is not None and self._clock() < until:
            return caller if caller.is_valid(now) else None
        until = self._clock() + REMEMBERED_SECONDS
        caller = await run_in_threadpool(self._catalog.access.token, token, now=now)
        if caller is not None:
            if len(known) >= _MOST:
                known.clear()
            known[key] = (caller, until)  # not self._known: what was forgotten meanwhile stays forgotten
        return caller

    def forget(self) -> None:
        """All of them: a token was revoked."""
        self._known = {}
