"""Batches concurrent lookups in the catalog: one transaction for all of them costs as much as for one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

from starlette.concurrency import run_in_threadpool

if TYPE_CHECKING:
    from collections.abc import Callable, Set

Key = TypeVar("Key")

MOST = 100
"""Keys in one transaction: the result may grow with their square, if many datasets have versions of the same name."""


class BatchReader(Generic[Key]):
    """Calls ``select``, which returns the keys that match, for several keys at once. A single lookup does not wait.

    It is for the event loop's thread only.
    """

    def __init__(self, select: Callable[[list[Key]], Set[Key]]) -> None:
        self._select = select
        self._pending: list[tuple[Key, asyncio.Future[bool]]] = []
        self._reader: asyncio.Task[None] | None = None

    async def is_member(self, key: Key) -> bool:
        """Whether ``key`` matches. Raises: what ``select`` raises, for every key of the batch."""
        result: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._pending.append((key, result))
        if self._reader is None:
            self._reader = asyncio.create_task(self._read_all())
        return await result

    async def _read_all(self) -> None:
        while self._pending:
            group, self._pending = self._pending[:MOST], self._pending[MOST:]
            try:
                matches = await run_in_threadpool(self._select, [key for key, _ in group])
            except Exception as error:  # any error belongs to the callers that wait
                for _, result in group:
                    if not result.done():
                        result.set_exception(error)
            else:
                for key, result in group:
                    if not result.done():  # the client may have disconnected
                        result.set_result(key in matches)
        self._reader = None
