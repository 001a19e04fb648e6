"""One line to the catalog's service, over which events go one after the other. No proxies, no redirects.

The parts of the standard library that speak HTTP are imported at the first event and not before: they take longer to
import than all of the client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from data_platform.errors import UsageError

if TYPE_CHECKING:
    from http.client import HTTPConnection

PATH = "/api/v1/lineage"
_ANSWER_BYTES = 65_536
_TRY_AGAIN = frozenset({401, 403, 404, 405, 407, 408, 421, 425, 429})
"""Of the 4xx: what a new token, the right address or more patience puts right. The event itself is not at fault."""

_HINTS = {401: "check DATA_PLATFORM_TOKEN", 403: "the token may not send events", 404: "check DATA_PLATFORM_URL"}


class Answer(NamedTuple):
    """``text`` is the beginning of it."""

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


class Line:
    """``seconds`` are for connecting, and for each wait for the service."""

    def __init__(self, url: str, token: str, seconds: float) -> None:
        """Raises: UsageError, if ``url`` is no address."""
        from urllib.parse import urlsplit

        try:
            parts = urlsplit(url.strip())
            host, port = parts.hostname, parts.port
        except ValueError:
            host, port = None, None
        if host is None or parts.scheme not in ("http", "https"):
            raise UsageError("DATA_PLATFORM_URL is no address: expected one such as https://catalog.example:8080")
        self._secure, self._host, self._port, self._seconds = parts.scheme == "https", host, port, seconds
        self._path = parts.path.rstrip("/").removesuffix(PATH) + PATH
        self._headers = {"Content-Type": "application/json", "User-Agent": "data-platform-legacy"}
        if token.strip():
            self._headers["Authorization"] = f"Bearer {token.strip()}"
        self._connection: HTTPConnection | None = None

    def send(self, body: bytes) -> Answer:
        """Raises: OSError, if there is no answer."""
        from http.client import HTTPException

        try:
            connection = self._connected()
            connection.request("POST", self._path, body, self._headers)
            answer = connection.getresponse()
            text = answer.read(_ANSWER_BYTES)
            if not answer.isclosed():
                self.close()
        except (HTTPException, ValueError) as error:  # ValueError: a token that no header can hold
            self.close()
            raise ConnectionError(f"no HTTP could be spoken with it ({type(error).__name__})") from None
        except OSError:
            self.close()
            raise
        return Answer(answer.status, answer.headers.get("Content-Type", ""), text.decode(errors="replace"))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _connected(self) -> HTTPConnection:
        from http import client

        if self._connection is None:
            made = client.HTTPSConnection if self._secure else client.HTTPConnection
            self._connection = made(self._host, self._port, timeout=self._seconds)
        return self._connection
