"""A command's standard error, passed on byte for byte while its end is remembered.

A process of its own does it, forked before anything else is started, and not the wrapper: if the wrapper is killed, the
command must not die of a pipe that nobody reads. It takes no signal but KILL, ends when the last writer has closed the
pipe, and answers once with what it remembers, after all that was written before the question has been passed on. If
standard error is closed at the other end it closes the pipe, so that the command learns of it as it would alone.
"""

from __future__ import annotations

import os
import select
import signal
from contextlib import suppress

REMEMBERED_BYTES = 65_536
_CHUNK_BYTES = 65_536
_PIPE_BYTES = 1_048_576  # the largest that a pipe may be: what was written before the question is no more than that


class Tee:
    """``inlet`` is where the command writes. Raises ``OSError`` if there can be no process for it."""

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
        source, self.inlet, asked, self._ask, self._answer, reply = ends
        if child == 0:
            try:
                _close_all_but(2, source, asked, reply)
                signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
                _Pump(source, asked, reply).run()
            finally:
                os._exit(0)
        for end in (source, asked, reply):
            os.close(end)

    def started(self) -> None:
        """The command has the inlet now, and it alone."""
        os.close(self.inlet)

    def tail(self) -> bytes:
        """The last of what was written, at most ``REMEMBERED_BYTES``; waits until all of it has been passed on."""
        parts = []
        with suppress(OSError):
            os.close(self._ask)
            while part := os.read(self._answer, _CHUNK_BYTES):
                parts.append(part)
            os.close(self._answer)
        return b"".join(parts)


class _Pump:
    def __init__(self, source: int, asked: int, reply: int) -> None:
        self._source, self._asked, self._reply = source, asked, reply
        self._end = bytearray()
        self._open = True

    def run(self) -> None:
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        poll.register(self._asked, select.POLLIN)
        answered = False
        while self._open or not answered:
            ready = {handle for handle, _ in poll.poll()}
            if self._asked in ready:
                poll.unregister(self._asked)
                self._drain()
                self._reply_once()
                answered = True
            elif self._source in ready:
                self._pass_on()
            if not self._open:
                with suppress(KeyError, ValueError):
                    poll.unregister(self._source)

    def _drain(self) -> None:
        """All that is in the pipe now; others may still write to it."""
        poll = select.poll()
        poll.register(self._source, select.POLLIN)
        passed = 0
        while self._open and passed <= _PIPE_BYTES and poll.poll(0):
            passed += self._pass_on()

    def _pass_on(self) -> int:
        data = os.read(self._source, _CHUNK_BYTES)
        if not data or not _written(2, data):
            self._open = False
            os.close(self._source)
            return 0
        self._end += data
        if len(self._end) > 2 * REMEMBERED_BYTES:
            del self._end[:-REMEMBERED_BYTES]
        return len(data)

    def _reply_once(self) -> None:
        _written(self._reply, self._end[-REMEMBERED_BYTES:])
        os.close(self._reply)
        self._end.clear()


def _written(handle: int, data: bytes | bytearray) -> bool:
    """Whether all of it could be written, also where the handle does not wait by itself."""
    rest = memoryview(bytes(data))
    while rest:
        try:
            rest = rest[os.write(handle, rest) :]
        except BlockingIOError:
            waiting = select.poll()
            waiting.register(handle, select.POLLOUT)
            waiting.poll()
        except OSError:
            return False
    return True


def _close_all_but(*kept: int) -> None:
    """Whoever reads the command's output must see its end when the command ends, and not when this does."""
    low = 0
    for handle in sorted(kept):
        os.closerange(low, handle)
        low = handle + 1
    os.closerange(low, max(low, os.sysconf("SC_OPEN_MAX")))
