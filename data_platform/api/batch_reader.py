"""Questions to the catalog that come at the same time, asked together: one transaction costs the same for all."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Generic, TypeVar

from starlette.concurrency import run_in_threadpool

if TYPE_CHECKING:
    from collections.abc import Callable, Set

Asked = TypeVar("Asked")

MOST = 100
"""Of one transaction: an answer may grow with the square of it, where many datasets have versions of the same name."""


class Together(Generic[Asked]):
    """``ask`` says of which of many something is so. For the event loop's thread; nobody who is alone waits for it."""

    def __init__(self, ask: Callable[[list[Asked]], Set[Asked]]) -> None:
        self._ask = ask
        self._waiting: list[tuple[Asked, asyncio.Future[bool]]] = []
        self._asking: asyncio.Task[None] | None = None

    async def is_so(self, asked: Asked) -> bool:
        """Raises: what ``ask`` raises, for all whom it was asked for."""
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((asked, answer))
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask_all())
        return await answer

    async def _ask_all(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            try:
                found = await run_in_threadpool(self._ask, [asked for asked, _ in group])
            except Exception as error:  # it is for those who wait, whatever it is
                for _, answer in group:
                    if not answer.done():
                        answer.set_exception(error)
            else:
                for asked, answer in group:
                    if not answer.done():  # its client may have gone
                        answer.set_result(asked in found)
        self._asking = None
