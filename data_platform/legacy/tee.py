"""Copies a command's standard error byte for byte and keeps its last bytes.

A separate process does it, forked before anything else starts, and not the wrapper: if the wrapper is killed, the
command must not die of a pipe without a reader. The process blocks all signals but KILL, and ends when the last writer
has closed the pipe. It answers one request with the last bytes, after it has copied all that was written before the
request. If standard error is closed at the other end it closes the pipe, so that the command gets the same error.
"""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress

REMEMBERED_BYTES = 65_536
_CHUNK_BYTES = 65_536
_PIPE_BYTES = 1_048_576  # the largest size of a pipe: not more was written before the request


class Tee:
    """The command writes to ``inlet``. Raises ``OSError`` if no process can be started for it."""

    def __init__(self) -> None:
        ends: list[int] = []
        try:
            for _ in range(3):
                ends += os.pipe()
            child = os.fork()
        except OSError:
            for end in ends:
                os.close(end)
            raise
        source, self.inlet, request, self._ask, self._answer, reply = ends
        if child == 0:
            try:
                _close_all_but(2, source, request, reply)
                signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
                _Pump(source, request, reply).run()
            finally:
                os._exit(0)
        for end in (source, request, reply):
            os.close(end)

    def started(self) -> None:
        """Closes the wrapper's copy of the inlet: only the command holds it now."""
        os.close(self.inlet)

    def tail(self) -> bytes:
        """Returns the last bytes written, at most ``REMEMBERED_BYTES``; waits until all of it has been copied."""
        parts = []
        with suppress(OSError):
            os.close(self._ask)
            while part := os.read(self._answer, _CHUNK_BYTES):
                parts.append(part)
            os.close(self._answer)
        return b"".join(parts)


class _Pump:
    def __init__(self, source: int, request: int, reply: int) -> None:
        self._source, self._request, self._reply = source, request, reply
        self._last_bytes = bytearray()
        self._open = True

    def run(self) -> None:
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        poll.register(self._request, select.POLLIN)
        answered = False
        while self._open or not answered:
            ready = {handle for handle, _ in poll.poll()}
            if self._request in ready:
                poll.unregister(self._request)
                self._drain()
                self._reply_once()
                answered = True
            elif self._source in ready:
                self._copy_chunk()
            if not self._open:
                with suppress(KeyError, ValueError):
                    poll.unregister(self._source)

    def _drain(self) -> None:
        """Copies all that is in the pipe now; other processes may still write to it."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        copied = 0
        while self._open and copied <= _PIPE_BYTES and poll.poll(0):
            copied += self._copy_chunk()

    def _copy_chunk(self) -> int:
        data = os.read(self._source, _CHUNK_BYTES)
        if not data or not _write_all(2, data):
            self._open = False
            os.close(self._source)
            return 0
        self._last_bytes += data
        if len(self._last_bytes) > 2 * REMEMBERED_BYTES:
            del self._last_bytes[:-REMEMBERED_BYTES]
        return len(data)

    def _reply_once(self) -> None:
        _write_all(self._reply, self._last_bytes[-REMEMBERED_BYTES:])
        os.close(self._reply)
        self._last_bytes.clear()


def _write_all(handle: int, data: bytes | bytearray) -> bool:
    """Writes all of it, also to a non-blocking handle; returns whether that succeeded."""
    rest = memoryview(bytes(data))
    while rest:
        try:
            rest = rest[os.write(handle, rest) :]
        except BlockingIOError:
            poll = select.poll()
            poll.register(handle, select.POLLOUT)
            poll.poll()
        except OSError:
            return False
    return True


def _close_all_but(*kept: int) -> None:
    """A reader of the command's output must see its end when the command ends, not when this process ends."""
    low = 0
    for handle in sorted(kept):
        os.closerange(low, handle)
        low = handle + 1
    os.closerange(low, max(low, os.sysconf("SC_OPEN_MAX")))
