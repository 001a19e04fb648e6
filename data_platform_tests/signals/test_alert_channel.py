"""Whether a message has arrived, by what real servers answer, and what mail programs and webhooks receive."""

import json
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email import message_from_bytes
from typing import Any

import pytest

from data_platform.signals import alert_channel
from data_platform.signals.alert_channel import Arrival, Envelope, send
from data_platform.signals.alert_text import REPEATED, AlertText

pytestmark = [
    pytest.mark.slow,  # starts servers
    pytest.mark.filterwarnings("ignore:'\\w+' is deprecated and slated for removal:DeprecationWarning"),  # in apprise
]
ENVELOPE = Envelope(
    id="m1", text=AlertText(title="[incident 1] late", body="first line\nsecond"), root="incident-1.shop"
)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"
Serve = Callable[[socket.socket], None]


@contextmanager
def server(serve: Serve) -> Iterator[int]:
    """Gives each connection to ``serve``; yields the port."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        stop = threading.Event()

        def accept() -> None:
            while not stop.is_set():
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    try:
                        serve(connection)
                    except OSError:
                        continue

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            stop.set()
            listening.shutdown(socket.SHUT_RDWR)
            thread.join(5)


def request_of(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0] or 0)
    while len(body) < length:
        body += connection.recv(65536)
    return body


def answering(status: str) -> Serve:
    def serve(connection: socket.socket) -> None:
        request_of(connection)
        connection.sendall(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n".encode())

    return serve


def reset(connection: socket.socket) -> None:
    request_of(connection)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")


def hang(connection: socket.socket) -> None:
    request_of(connection)
    connection.settimeout(10)
    connection.recv(1)  # until the client gives up


def trickle(connection: socket.socket) -> None:
    request_of(connection)
    for byte in OK[:-1]:
        connection.sendall(bytes([byte]))
        threading.Event().wait(0.05)


@pytest.mark.parametrize(
    ("serve", "arrival"),
    [
        pytest.param(answering("200 OK"), Arrival.ACCEPTED, id="200"),
        pytest.param(answering("500 Broken"), Arrival.REFUSED, id="500"),
        pytest.param(answering("403 No"), Arrival.REFUSED, id="403"),
        pytest.param(answering("504 Late"), Arrival.UNKNOWN, id="504, from a proxy"),
        pytest.param(reset, Arrival.UNKNOWN, id="a reset after the request"),
        pytest.param(hang, Arrival.UNKNOWN, id="no answer"),
        pytest.param(trickle, Arrival.UNKNOWN, id="an answer that never ends"),
    ],
)
def test_what_a_webhook_answers(
    serve: Serve, arrival: Arrival, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    hangs = serve in (hang, trickle)  # a busy machine may need long for an answer that does come
    monkeypatch.setattr(alert_channel, "ANSWER_SECONDS", 0.5 if hangs else 20)
    with caplog.at_level(logging.DEBUG), server(serve) as port:
        limit = 1.5 if hangs else 60
        answer = send(f"json://user:secret@127.0.0.1:{port}/hook/secret", ENVELOPE, limit_seconds=limit)

    assert answer.arrival is arrival
    assert "secret" not in answer.error + caplog.text
    assert bool(answer.error) is (arrival is not Arrival.ACCEPTED)


def test_a_server_that_is_not_there_refuses() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    assert send(f"json://127.0.0.1:{port}/", ENVELOPE).arrival is Arrival.REFUSED
    assert send(f"mailto://127.0.0.1:{port}?from=a@example.com&to=b@example.com", ENVELOPE).arrival is Arrival.REFUSED


def test_a_url_that_is_none_refuses_and_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        answer = send("nothing://secret", ENVELOPE)

    assert (answer.arrival, answer.error) == (Arrival.REFUSED, "its URL is none that apprise knows")
    assert "secret" not in caplog.text


def test_a_webhook_receives_plain_fields() -> None:
    bodies: list[dict[str, Any]] = []

    def serve(connection: socket.socket) -> None:
        bodies.append(json.loads(request_of(connection)))
        connection.sendall(OK)

    with server(serve) as port:
        send(f"json://127.0.0.1:{port}/", ENVELOPE)

    [body] = bodies
    assert (body["title"], body["message"]) == ("[incident 1] late", "first line\nsecond")
    assert (body["message_id"], body["thread"], body["short"]) == ("m1", "incident-1.shop", "first line")
    assert body["repeat"] == "false"


def smtp(received: list[bytes], *, after_data: bytes | None, unknown: bytes = b"<nobody") -> Serve:
    """A mail server; ``after_data`` is its last answer, None for a connection that is closed instead.

    It refuses recipients that begin with ``unknown``.
    """

    def serve(connection: socket.socket) -> None:
        lines = connection.makefile("rb")
        connection.sendall(b"220 here\r\n")
        for line in lines:
            command = line[:4].upper()
            if command == b"DATA":
                connection.sendall(b"354 go on\r\n")
                received.append(b"".join(iter(lines.readline, b".\r\n")))
                if after_data is None:
                    return
                connection.sendall(after_data)
            elif command == b"RCPT" and unknown in line:
                connection.sendall(b"550 unknown\r\n")
            elif command == b"QUIT":
                connection.sendall(b"221 bye\r\n")
                return
            else:
                connection.sendall(b"250 ok\r\n")

    return serve


@pytest.mark.parametrize(
    ("after_data", "arrival"),
    [
        pytest.param(b"250 ok\r\n", Arrival.ACCEPTED, id="accepted"),
        pytest.param(b"451 later\r\n", Arrival.REFUSED, id="refused"),
        pytest.param(None, Arrival.UNKNOWN, id="closed after the text was sent"),
    ],
)
def test_what_a_mail_server_answers(after_data: bytes | None, arrival: Arrival) -> None:
    received: list[bytes] = []
    with server(smtp(received, after_data=after_data)) as port:
        url = f"mailto://127.0.0.1:{port}?from=a@example.com&to=b@example.com&mode=insecure&format=text"
        answer = send(url, ENVELOPE)

    assert answer.arrival is arrival
    assert len(received) == 1


def test_a_mail_that_one_of_two_recipients_has_is_not_sent_again() -> None:
    received: list[bytes] = []
    with server(smtp(received, after_data=b"250 ok\r\n")) as port:
        people = "ann@example.com,nobody@example.com"
        url = f"mailto://127.0.0.1:{port}?from=a@example.com&to={people}&mode=insecure&format=text"
        answer = send(url, ENVELOPE)
        refused = send(url.replace("ann@", "nobody.else@"), ENVELOPE)

    assert (answer.arrival, answer.error) == (Arrival.ACCEPTED, "not every recipient of the channel accepted it")
    assert refused.arrival is Arrival.REFUSED
    assert len(received) == 1


def test_mails_of_one_incident_are_one_thread() -> None:
    received: list[bytes] = []
    with server(smtp(received, after_data=b"250 ok\r\n")) as port:
        url = f"mailto://127.0.0.1:{port}?from=a@example.com&to=b@example.com&mode=insecure&format=text"
        for _ in range(2):
            send(url, ENVELOPE)

    first, second = (message_from_bytes(one) for one in received)
    assert first["References"] == second["References"] == first["In-Reply-To"] == "<incident-1.shop@data-platform>"
    assert first["Subject"] == second["Subject"] == "[incident 1] late"
    assert first["Message-ID"] != second["Message-ID"]


def test_slack_with_a_bot_token_replies_in_the_thread_of_the_first_message(monkeypatch: pytest.MonkeyPatch) -> None:
    from apprise.plugins.slack import NotifySlack

    bodies: list[dict[str, Any]] = []

    def serve(connection: socket.socket) -> None:
        bodies.append(json.loads(request_of(connection)))
        answer = json.dumps({"ok": True, "channel": "C1", "ts": f"17.{len(bodies)}"}).encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(answer)}\r\n\r\n"
        connection.sendall(head.encode() + answer)

    with server(serve) as port:
        monkeypatch.setattr(NotifySlack, "api_url", f"http://127.0.0.1:{port}/{{}}")
        url = "slack://xoxb-1234-1234-abc124/alerts"
        first = send(url, ENVELOPE)
        reply = send(url, Envelope(id="m2", text=ENVELOPE.text, root=ENVELOPE.root, thread=first.thread))

    assert (first.arrival, first.thread, reply.thread) == (Arrival.ACCEPTED, "17.1", "17.1")
    assert ["thread_ts" in body for body in bodies] == [False, True]
    assert bodies[1]["thread_ts"] == "17.1"


def test_a_repeat_says_so() -> None:
    from data_platform.signals.alert_text import incident_text
    from data_platform_tests.signals.alert_case import delivery

    assert REPEATED in incident_text([delivery(is_repeat=True)], service_url=None).body
    assert REPEATED not in incident_text([delivery()], service_url=None).body
