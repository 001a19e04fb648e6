"""Posts events to the catalog's service with a minimal HTTP/1.1 client, one connection each. No proxies or redirects.

``http.client`` takes longer to import than everything else that a job waits for; ``socket`` is imported at the first
event, ``ssl`` only for an address that needs it.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from data_platform.errors import UsageError

if TYPE_CHECKING:
    from socket import socket

PATH = "/api/v1/lineage"
BATCH = "/batch"
_PORTS = {"http": 80, "https": 443}
_MOST_BYTES = 65_536  # of a response; a receipt has a few hundred
_TRY_AGAIN = frozenset({401, 403, 404, 405, 407, 408, 421, 425, 429})
"""The 4xx that a new token, the right address or a retry fixes. The event itself is not at fault."""

_HINTS = {401: "check DATA_PLATFORM_TOKEN", 403: "the token may not send events", 404: "check DATA_PLATFORM_URL"}


class Answer(NamedTuple):
    """A response. ``kind`` is its content type; ``text`` is truncated after about 64 KB."""

    status: int
    kind: str
    text: str

    @property
    def taken(self) -> bool:
        """Accepted. The HTML page of a proxy or a login is not a receipt."""
        return 200 <= self.status < 300 and "html" not in self.kind

    @property
    def refused(self) -> bool:
        """Permanently rejected: the service would reject the same event again."""
        return 400 <= self.status < 500 and self.status not in _TRY_AGAIN

    @property
    def needs_person(self) -> bool:
        return self.status in _HINTS

    @property
    def problem(self) -> str:
        hint = _HINTS.get(self.status, "")
        return f"the service answered {self.status}" + (f": {hint}" if hint else "")


class Address:
    """The service's address and token. ``seconds`` is the time limit of connecting, and of each read or write."""

    def __init__(self, url: str, token: str, seconds: float) -> None:
        """Raises: UsageError, if ``url`` is not a valid address, or ``token`` not a valid token."""
        scheme, mark, rest = url.strip().partition("://")
        place, _, path = rest.partition("/")
        host, port = _split(place)
        self._secure = scheme.lower() == "https"
        if not mark or scheme.lower() not in _PORTS or not _is_plain(place + path) or not host or port == "0":
            raise UsageError("DATA_PLATFORM_URL is not an address: expected one such as https://catalog.example:8080")
        if not _is_plain(token.strip()):
            raise UsageError(
                "DATA_PLATFORM_TOKEN is not a token: it has blanks or characters that a header cannot have"
            )
        self._host, self._port, self._seconds = host, int(port or _PORTS[scheme.lower()]), seconds
        self._path = f"/{path}".rstrip("/").removesuffix(PATH) + PATH
        lines = [f"Host: {place}", "User-Agent: data-platform-legacy", "Connection: close"]
        lines += ["Accept: application/json", "Content-Type: application/json"]
        lines += [f"Authorization: Bearer {token.strip()}"] if token.strip() else []
        self._head = "\r\n".join(lines)

    def send(self, body: bytes, *, batch: bool = False) -> Answer:
        """Sends one event, or with ``batch`` an array of events.

        Raises:
            OSError: There is no response, or it is not HTTP.
        """
        path = self._path + (BATCH if batch else "")
        head = f"POST {path} HTTP/1.1\r\n{self._head}\r\nContent-Length: {len(body)}\r\n\r\n"
        connection = self._connect()
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # a response may arrive before all is sent
                connection.sendall(head.encode("ascii") + body)
            return _read(connection)
        finally:
            connection.close()

    def _connect(self) -> socket:
        import socket

        connection = socket.create_connection((self._host, self._port), self._seconds)
        if not self._secure:
            return connection
        try:
            import ssl

            return ssl.create_default_context().wrap_socket(connection, server_hostname=self._host)
        except BaseException:
            connection.close()
            raise


def _split(place: str) -> tuple[str, str]:
    """Returns host and port of ``host``, ``host:80`` or ``[::1]:80``; an invalid port is ``0``."""
    host, _, port = place.rpartition(":")
    if not host or place.endswith("]"):
        host, port = place, ""
    is_port = port.isascii() and port.isdigit() and int(port) < 65_536
    return host.strip("[]"), port if is_port else "0" if port else ""


def _is_plain(text: str) -> bool:
    return all("!" <= letter <= "~" and letter != "@" for letter in text)


def _read(connection: socket) -> Answer:
    """Raises: ConnectionError, if the connection ends before the response, or the response is not HTTP."""
    received = b""
    while True:
        head, end, rest = received.partition(b"\r\n\r\n")
        if end and not head.startswith((b"HTTP/1.1 1", b"HTTP/1.0 1")):
            break
        if end:  # 1xx: the final response follows
            received = rest
            continue
        part = connection.recv(_MOST_BYTES)
        if not part or len(received) > _MOST_BYTES:
            raise ConnectionError("the connection was cut" if not part else "its answer is not HTTP")
        received += part
    status, headers = _parsed(head)
    return Answer(status, headers.get("content-type", "").lower(), _text(connection, rest, headers))


def _parsed(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    version, _, status = first.partition(" ")
    if not version.startswith("HTTP/1.") or not status[:3].isdigit():
        raise ConnectionError("its answer is not HTTP")
    pairs = (line.partition(":") for line in lines)
    return int(status[:3]), {name.strip().lower(): value.strip() for name, _, value in pairs}


def _text(connection: socket, received: bytes, headers: dict[str, str]) -> str:
    """Reads the rest of the body. The status decides the outcome, so a truncated body is no error."""
    length = headers.get("content-length", "")
    whole = int(length) if length.isdigit() else _MOST_BYTES
    chunked = "chunked" in headers.get("transfer-encoding", "").lower()
    with suppress(OSError):
        while len(received) < min(whole, _MOST_BYTES) and not (chunked and received.endswith(b"0\r\n\r\n")):
            part = connection.recv(_MOST_BYTES)
            if not part:
                break
            received += part
    return (_joined(received) if chunked else received).decode(errors="replace")


def _joined(chunks: bytes) -> bytes:
    parts = []
    while chunks:
        size, _, rest = chunks.partition(b"\r\n")
        try:
            length = int(size.partition(b";")[0], 16)
        except ValueError:
            break
        parts.append(rest[:length])
        chunks = rest[length + 2 :] if length else b""
    return b"".join(parts)
