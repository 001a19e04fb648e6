"""Caches the owners of tokens for a second, since a lookup costs as much as storing a small event.

A token revoked through this service is refused from the next request on; one revoked elsewhere, a second later. The
cache holds only valid tokens, by their hash.
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

CACHED_SECONDS = 1.0
_MOST = 1_000


class Callers:
    """For the event loop's thread; only ``forget`` may be called from any thread."""

    def __init__(self, catalog: Catalog, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._catalog, self._clock = catalog, clock
        self._cache: dict[bytes, tuple[AccessToken, float]] = {}

    async def find(self, token: str, *, now: datetime) -> AccessToken | None:
        """The token's owner; None if the token is unknown, has expired, or was revoked."""
        key, cache = hashlib.sha256(token.encode(errors="surrogatepass")).digest(), self._cache
        caller, until = cache.get(key, (None, 0.0))
        if caller is not None and self._clock() < until:
            return caller if caller.is_valid(now) else None
        until = self._clock() + CACHED_SECONDS
        caller = await run_in_threadpool(self._catalog.access.token, token, now=now)
        if caller is not None:
            if len(cache) >= _MOST:
                cache.clear()
            cache[key] = (caller, until)  # not self._cache: entries that were dropped meanwhile stay dropped
        return caller

    def forget(self) -> None:
        """Empties the cache, after a token was revoked."""
        self._cache = {}
