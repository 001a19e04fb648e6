"""A service for tests that answers as it is told to, and remembers each event that it acknowledged, like the real one:
the same bytes are the same event."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

HANG, DROP, PAGE = 0, -1, -2
"""Instead of a status: never answer; close the line in the middle; answer as a login page does."""


class FarService:
    """``answers`` is what the next events are answered with; 201 when they are used up, or ``always``."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []
        self.kept: dict[bytes, dict[str, Any]] = {}
        self.heads: list[str] = []
        self.answers: list[int] = []
        self.always = 201
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self._held: list[socket.socket] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    @property
    def types(self) -> list[str]:
        """Of the events that it has, each once, in the order of their coming."""
        return [event.get("eventType", "DATASET") for event in self.kept.values()]

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()
        for line in self._held:
            line.close()

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._listening.accept()
            except OSError:
                return
            line.settimeout(30)
            if self._answer(line) == HANG:
                self._held.append(line)
            else:
                line.close()

    def _answer(self, line: socket.socket) -> int:
        got = b""
        while b"\r\n\r\n" not in got:
            part = line.recv(65_536)
            if not part:
                return DROP
            got += part
        head, _, body = got.partition(b"\r\n\r\n")
        self.heads.append(head.decode())
        length = int(head.lower().partition(b"content-length:")[2].split()[0])
        while len(body) < length and (part := line.recv(65_536)):
            body += part
        status = self.answers.pop(0) if self.answers else self.always
        self.received.append(json.loads(body))
        if status == 201:
            self.kept.setdefault(body, json.loads(body))
        if status > 0:
            said = json.dumps({"detail": f"said {status}"}).encode()
            line.sendall(
                b"HTTP/1.1 %d Said\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                % (status, len(said))
            )
            line.sendall(said)
        elif status == PAGE:
            line.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Log in</h1>")
        elif status == DROP:
            line.sendall(b"HTTP/1.1 20")
        return status


@contextmanager
def far_service() -> Iterator[FarService]:
    service = FarService()
    try:
        yield service
    finally:
        service.close()
