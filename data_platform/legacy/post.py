"""Events to the catalog's service: as much of HTTP/1.1 as that takes, a connection each. No proxies, no redirects.

``http.client`` would do, and takes longer to import than everything else that a job waits for; ``socket`` is imported
at the first event and not before, ``ssl`` only for an address that needs it.
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
_MOST_BYTES = 65_536  # of an answer; a receipt has some hundred
_TRY_AGAIN = frozenset({401, 403, 404, 405, 407, 408, 421, 425, 429})
"""Of the 4xx: what a new token, the right address or more patience puts right. The event itself is not at fault."""

_HINTS = {401: "check DATA_PLATFORM_TOKEN", 403: "the token may not send events", 404: "check DATA_PLATFORM_URL"}


class Answer(NamedTuple):
    """``kind`` is its content type; ``text`` is cut after some 64 KB."""

    status: int
    kind: str
    text: str

    @property
    def taken(self) -> bool:
        """A page that a proxy or a login shows instead is no receipt."""
        return 200 <= self.status < 300 and "html" not in self.kind

    @property
    def refused(self) -> bool:
        """For good: the same event would be refused again."""
        return 400 <= self.status < 500 and self.status not in _TRY_AGAIN

    @property
    def needs_person(self) -> bool:
        return self.status in _HINTS

    @property
    def problem(self) -> str:
        hint = _HINTS.get(self.status, "")
        return f"the service answered {self.status}" + (f": {hint}" if hint else "")


class Address:
    """Where to, and as whom. ``seconds`` are for connecting, and for each wait for the service."""

    def __init__(self, url: str, token: str, seconds: float) -> None:
        """Raises: UsageError, if ``url`` is no address, or ``token`` cannot be one."""
        scheme, mark, rest = url.strip().partition("://")
        place, _, path = rest.partition("/")
        host, port = _split(place)
        self._secure = scheme.lower() == "https"
        if not mark or scheme.lower() not in _PORTS or not _is_plain(place + path) or not host or port == "0":
            raise UsageError("DATA_PLATFORM_URL is no address: expected one such as https://catalog.example:8080")
        if not _is_plain(token.strip()):
            raise UsageError("DATA_PLATFORM_TOKEN is no token: it holds blanks or letters that no header can hold")
        self._host, self._port, self._seconds = host, int(port or _PORTS[scheme.lower()]), seconds
        self._path = f"/{path}".rstrip("/").removesuffix(PATH) + PATH
        lines = [f"Host: {place}", "User-Agent: data-platform-legacy", "Connection: close"]
        lines += ["Accept: application/json", "Content-Type: application/json"]
        lines += [f"Authorization: Bearer {token.strip()}"] if token.strip() else []
        self._head = "\r\n".join(lines)

    def send(self, body: bytes, *, batch: bool = False) -> Answer:
        """One event, or with ``batch`` an array of them.

        Raises:
            OSError: There is no answer, or none in HTTP.
        """
        path = self._path + (BATCH if batch else "")
        head = f"POST {path} HTTP/1.1\r\n{self._head}\r\nContent-Length: {len(body)}\r\n\r\n"
        line = self._connected()
        try:
            with suppress(BrokenPipeError, ConnectionResetError):  # an answer may be there before all is sent
                line.sendall(head.encode("ascii") + body)
            return _read(line)
        finally:
            line.close()

    def _connected(self) -> socket:
        import socket

        line = socket.create_connection((self._host, self._port), self._seconds)
        if not self._secure:
            return line
        try:
            import ssl

            return ssl.create_default_context().wrap_socket(line, server_hostname=self._host)
        except BaseException:
            line.close()
            raise


def _split(place: str) -> tuple[str, str]:
    """Host and port of ``host``, ``host:80``, ``[::1]:80``; a port that is none is ``0``."""
    host, _, port = place.rpartition(":")
    if not host or place.endswith("]"):
        host, port = place, ""
    is_port = port.isascii() and port.isdigit() and int(port) < 65_536
    return host.strip("[]"), port if is_port else "0" if port else ""


def _is_plain(text: str) -> bool:
    return all("!" <= letter <= "~" and letter != "@" for letter in text)


def _read(line: socket) -> Answer:
    """Raises: ConnectionError, if the line ends before the answer does, or it is no HTTP."""
    got = b""
    while True:
        head, end, rest = got.partition(b"\r\n\r\n")
        if end and not head.startswith((b"HTTP/1.1 1", b"HTTP/1.0 1")):
            break
        if end:  # 1xx: the answer is still to come
            got = rest
            continue
        part = line.recv(_MOST_BYTES)
        if not part or len(got) > _MOST_BYTES:
            raise ConnectionError("the line was cut" if not part else "its answer is no HTTP")
        got += part
    status, headers = _parsed(head)
    return Answer(status, headers.get("content-type", "").lower(), _text(line, rest, headers))


def _parsed(head: bytes) -> tuple[int, dict[str, str]]:
    first, *lines = head.decode("latin-1").split("\r\n")
    version, _, said = first.partition(" ")
    if not version.startswith("HTTP/1.") or not said[:3].isdigit():
        raise ConnectionError("its answer is no HTTP")
    pairs = (line.partition(":") for line in lines)
    return int(said[:3]), {name.strip().lower(): value.strip() for name, _, value in pairs}


def _text(line: socket, got: bytes, headers: dict[str, str]) -> str:
    """The status has said it all already, so a body that is cut is no error."""
    length = headers.get("content-length", "")
    whole = int(length) if length.isdigit() else _MOST_BYTES
    chunked = "chunked" in headers.get("transfer-encoding", "").lower()
    with suppress(OSError):
        while len(got) < min(whole, _MOST_BYTES) and not (chunked and got.endswith(b"0\r\n\r\n")):
            part = line.recv(_MOST_BYTES)
            if not part:
                break
            got += part
    return (_joined(got) if chunked else got).decode(errors="replace")


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
