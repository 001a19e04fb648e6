"""A TCP proxy in front of a server of a test, which delays, cuts, resets or swallows what passes, as a network does."""

from __future__ import annotations

import socket
import struct
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

CHUNK = 65_536
RESET = struct.pack("ii", 1, 0)
"""SO_LINGER with no time: to close the socket sends a reset."""


class Fault(Enum):
    NONE = "everything passes"
    RESET = "the connection is reset as soon as the client sends something"
    CUT = "half of the server's answer passes, then the connection is reset"
    REQUEST_LOST = "the client's next message does not reach the server, and the connection is reset"
    REPLY_LOST = "the server answers, and the connection is reset before its answer passes"
    BLACK_HOLE = "nothing passes any more, and no connection is closed"


@dataclass
class FaultyProxy:
    """A fault is of the client's next message with the bytes ``only_after``, or of the answer to it.

    It happens once, except for a black hole, and is then NONE. ``happened`` counts them.
    """

    target: tuple[str, int]
    fault: Fault = Fault.NONE
    only_after: bytes = b""
    latency_seconds: float = 0
    happened: int = 0
    _is_asked: bool = False
    _listener: socket.socket = field(default_factory=socket.socket, repr=False)
    _open: list[socket.socket] = field(default_factory=list, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def port(self) -> int:
        return int(self._listener.getsockname()[1])

    def break_next(self, fault: Fault, only_after: bytes = b"") -> None:
        self.only_after, self.fault, self._is_asked = only_after, fault, False

    def restore(self) -> None:
        """Ends a fault. Connections that have lost bytes are reset; new ones work."""
        self.fault, lost, self._open = Fault.NONE, self._open, []
        for opened in lost:
            _shut(opened)

    def close(self) -> None:
        for opened in [self._listener, *self._open]:
            _shut(opened)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self.target)
                self._open += [client, server]
                for one, other, is_client in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._pass_on, args=(one, other, is_client), daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, is_client: bool) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK):
                time.sleep(self.latency_seconds)
                if not self._deliver(data, source, sink, is_client):
                    break
        _shut(source)
        _shut(sink)

    def _deliver(self, data: bytes, source: socket.socket, sink: socket.socket, is_client: bool) -> bool:
        """Sends ``data`` on as the fault allows; False if the connection is to end."""
        match self._due(data, is_client):
            case Fault.BLACK_HOLE:
                return True
            case Fault.CUT:
                sink.sendall(data[: len(data) // 2])
            case Fault.NONE:
                sink.sendall(data)
                return True
        for end in (source, sink):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        return False

    def _due(self, data: bytes, is_client: bool) -> Fault:
        with self._lock:
            if self.fault in (Fault.NONE, Fault.BLACK_HOLE):
                return self.fault
            self._is_asked = self._is_asked or (is_client and self.only_after in data)
            if not self._is_asked or is_client is (self.fault in (Fault.CUT, Fault.REPLY_LOST)):
                return Fault.NONE
            due, self.fault = self.fault, Fault.NONE
            self.happened += 1
            return due


def _shut(opened: socket.socket) -> None:
    with suppress(OSError):
        opened.shutdown(socket.SHUT_RDWR)
    opened.close()


@contextmanager
def proxied(host: str, port: int) -> Iterator[FaultyProxy]:
    proxy = FaultyProxy((host, port))
    try:
        yield proxy
    finally:
        proxy.close()
