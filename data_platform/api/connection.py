"""uvicorn's protocol with limits for idle connections, so that they cannot block other callers.

uvicorn closes an idle connection only after its first request, and answers 503 to all callers while too many
connections are open. Here the headers of a request have to arrive within ``HEAD_SECONDS`` and ``HEAD_BYTES``. If more
connections are open than the process can hold, the one that has waited longest without a request is closed, never one
whose request is being processed. The minimum rate of a body is in ``body``.
"""

from __future__ import annotations

import resource
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

if TYPE_CHECKING:
    import asyncio
    from typing import Any

HEAD_SECONDS = 10.0
"""Time for a request's headers, from the start of the connection, or from the first byte on a kept-alive one."""

HEAD_BYTES = 131_072
MOST_REQUESTS = 1_000
"""Concurrent requests of the service; more are answered with 503."""

MOST_CONNECTIONS = 10_000
_OWN_HANDLES = 128
"""Open files that the process needs besides connections: the catalog, its pool, log files."""

_TOO_SLOW = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


def connection_room() -> int:
    """How many connections the process can hold. Raises its limit of open files as far as possible first."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + _OWN_HANDLES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        raised = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with suppress(OSError, ValueError):  # the limit stays as it is
            resource.setrlimit(resource.RLIMIT_NOFILE, (raised, hard))
            soft = raised
    return MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else max(1, min(MOST_CONNECTIONS, soft - _OWN_HANDLES))


class BoundedConnection(HttpToolsProtocol):
    """One connection. ``with_room`` creates the class for one server; servers do not share their connections."""

    room: ClassVar[int] = MOST_CONNECTIONS
    waiting: ClassVar[dict[BoundedConnection, None]] = {}
    """Connections without a request in progress, the one that has waited longest first."""

    @classmethod
    def with_room(cls, room: int) -> type[BoundedConnection]:
        return type(cls.__name__, (cls,), {"room": room, "waiting": {}})

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._head_bytes = 0
        self._in_message = False
        self._head_timer: asyncio.TimerHandle | None = None
        self.waiting[self] = None
        self._start_head_timer()
        if len(self.connections) > self.room:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self in self.waiting and not self._in_message:
            self._head_bytes += len(data)
            self._start_head_timer()
        super().data_received(data)
        if self in self.waiting and self._head_bytes > HEAD_BYTES:
            self._refuse(_TOO_LARGE)

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        self._in_message = True
        self.limit_concurrency = None if len(self.tasks) < MOST_REQUESTS else 0  # 0: uvicorn answers 503
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        self._in_message = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.cycle.response_complete and not self.transport.is_closing():
            self.waiting[self] = None

    def _make_room(self) -> None:
        oldest = next((one for one in self.waiting if one is not self), None)
        if oldest is not None:
            oldest._stop_waiting()
            oldest.transport.abort()

    def _stop_waiting(self) -> None:
        self.waiting.pop(self, None)
        self._head_bytes = 0
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _start_head_timer(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self._refuse, _TOO_SLOW)

    def _refuse(self, answer: bytes) -> None:
        if self not in self.waiting or self.transport.is_closing():
            return
        sent: Any = answer if self._head_bytes else b""  # a caller that sent nothing expects no response
        self._stop_waiting()
        self.transport.write(sent)
        self.transport.close()
