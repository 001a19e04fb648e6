"""Callers that are silent, slow or endless do not block others."""

import json
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from data_platform.api import body, connection
from data_platform.catalog import Catalog
from data_platform.model.access import Role
from data_platform_tests.api.served import served
from data_platform_tests.api.service_client import NOW, event
from data_platform_tests.catalog.template import new_catalog

SECONDS = 60
ROOM = 20


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with new_catalog(tmp_path / "catalog.db") as opened:
        yield opened


@pytest.fixture
def url(catalog: Catalog) -> Iterator[str]:
    with served(catalog, room=ROOM) as address:
        yield address


def token(catalog: Catalog) -> str:
    return catalog.access.create_token("sender", Role.PLATFORM_ADMIN, actor="test", actor_role="LOCAL", now=NOW)[1]


def connected(url: str) -> socket.socket:
    place = urlsplit(url)
    made = socket.create_connection((str(place.hostname), int(place.port or 0)), timeout=SECONDS)
    made.settimeout(SECONDS)
    return made


def until_closed(made: socket.socket) -> bytes:
    received = b""
    try:
        while part := made.recv(65_536):
            received += part
    except ConnectionResetError:
        pass
    return received


def head(token: str, *lines: str) -> bytes:
    first = ("POST /api/v1/lineage HTTP/1.1", "Host: here", f"Authorization: Bearer {token}", *lines)
    return "\r\n".join((*first, "", "")).encode()


def test_many_silent_connections_do_not_block_others(url: str) -> None:
    with ExitStack() as silent:
        made = [silent.enter_context(connected(url)) for _ in range(5 * ROOM)]

        assert [httpx.get(f"{url}/healthz", timeout=SECONDS).status_code for _ in range(5)] == [200] * 5
        assert until_closed(made[0]) == b""  # the one that has been silent longest made room


def test_a_connection_that_is_being_answered_is_never_closed_for_another(url: str, catalog: Catalog) -> None:
    raw = json.dumps(event()).encode()
    with ExitStack() as stack:
        busy = stack.enter_context(connected(url))
        busy.sendall(head(token(catalog), f"Content-Length: {len(raw)}") + raw[:10])
        for _ in range(3 * ROOM):
            stack.enter_context(connected(url))
        assert httpx.get(f"{url}/healthz", timeout=SECONDS).status_code == 200

        busy.sendall(raw[10:])

        assert busy.recv(65_536).startswith(b"HTTP/1.1 201")


@pytest.mark.parametrize("sent", [b"", b"GET /healthz HTTP/1.1\r\nHost: "], ids=["nothing", "half a head"])
def test_a_head_that_does_not_arrive_in_time_ends_its_connection(
    url: str, sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "HEAD_SECONDS", 0.2)
    with connected(url) as made:
        made.sendall(sent)

        answer = until_closed(made)

    assert answer.startswith(b"HTTP/1.1 408") if sent else answer == b""


def test_an_endless_head_is_refused(url: str) -> None:
    with connected(url) as made:
        made.sendall(b"GET /healthz HTTP/1.1\r\n")
        try:
            for number in range(3_000):
                made.sendall(f"X-{number}: {'x' * 90}\r\n".encode())
        except (BrokenPipeError, ConnectionResetError):
            return  # it was refused before all was sent
        assert until_closed(made).startswith(b"HTTP/1.1 431") or not made.recv(1)


def test_a_kept_connection_serves_one_request_after_the_other(url: str) -> None:
    with httpx.Client(base_url=url, timeout=SECONDS) as client:
        assert [client.get("/healthz").status_code for _ in range(20)] == [200] * 20


def slow_bodies(stack: ExitStack, url: str, secret: str, count: int) -> list[socket.socket]:
    """Connections that have sent the first byte of a body, half of them without a length."""
    lengths = ("Transfer-Encoding: chunked", "Content-Length: 1000000")
    made = [stack.enter_context(connected(url)) for _ in range(count)]
    for number, one in enumerate(made):
        first = head(secret, lengths[number % 2], "Content-Type: application/json")
        one.sendall(first + (b"{" if number % 2 else b"1\r\n{\r\n"))
    return made


def test_bodies_that_come_slowly_delay_no_small_event(url: str, catalog: Catalog) -> None:
    secret = token(catalog)
    with ExitStack() as stack:
        slow = slow_bodies(stack, url, secret, 12)

        sent = httpx.post(
            f"{url}/api/v1/lineage",
            content=iter([json.dumps(event()).encode()]),  # chunked as well: no length is promised
            headers={"Authorization": f"Bearer {secret}", "Content-Type": "application/json"},
            timeout=SECONDS,
        )

        assert sent.status_code == 201
        for one in slow:  # nobody has ended yet: the small one did not wait for them
            one.setblocking(False)
            with pytest.raises(BlockingIOError):
                one.recv(1)


def test_a_body_that_comes_too_slowly_is_refused(url: str, catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body, "PATIENCE_SECONDS", 0.3)
    with ExitStack() as stack:
        answers = [until_closed(one) for one in slow_bodies(stack, url, token(catalog), 2)]

    assert all(answer.startswith(b"HTTP/1.1 408") and b"arrived too slowly" in answer for answer in answers)
