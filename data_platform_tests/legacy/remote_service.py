"""A service for tests that answers as configured, and stores each event that it acknowledged, like the real one:
the same content is the same event."""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

HANG, DROP, PAGE = 0, -1, -2
"""Instead of a status: never answer; close the line in the middle; answer as a login page does."""


class RemoteService:
    """``answers`` is what the next events are answered with; 201 when they are used up, or ``always``."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []
        self.kept: dict[str, dict[str, Any]] = {}
        self.heads: list[str] = []
        self.answers: list[int] = []
        self.always = 201
        self.takes_batches = True
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
        if head.partition(b" HTTP")[0].endswith(b"/batch"):
            return self._answer_batch(line, json.loads(body))
        status = self._take(json.loads(body))
        self._say(line, status, {"detail": f"said {status}"})
        return status

    def _answer_batch(self, line: socket.socket, events: list[dict[str, Any]]) -> int:
        """Each event has its own answer; one that is no status is that of them all, and comes after what was kept."""
        if not self.takes_batches:
            self._say(line, 404, {"detail": "there is no such path"})
            return 404
        statuses: list[int] = []
        for event in events:
            statuses.append(self._take(event))
            if statuses[-1] <= 0:
                self._say(line, statuses[-1], {})
                return statuses[-1]
        told = [{"index": place, "status": status, "detail": f"said {status}"} for place, status in enumerate(statuses)]
        worst = max(statuses)
        self._say(line, worst if 201 not in statuses else 201 if worst == 201 else 207, {"results": told})
        return worst

    def _take(self, event: dict[str, Any]) -> int:
        status = self.answers.pop(0) if self.answers else self.always
        self.received.append(event)
        if status == 201:
            self.kept.setdefault(json.dumps(event, sort_keys=True), event)
        return status

    def _say(self, line: socket.socket, status: int, document: dict[str, Any]) -> None:
        if status > 0:
            said = json.dumps(document).encode()
            line.sendall(
                b"HTTP/1.1 %d Said\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
                % (status, len(said))
            )
            line.sendall(said)
        elif status == PAGE:
            line.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Log in</h1>")
        elif status == DROP:
            line.sendall(b"HTTP/1.1 20")


@contextmanager
def remote_service() -> Iterator[RemoteService]:
    service = RemoteService()
    try:
        yield service
    finally:
        service.close()
