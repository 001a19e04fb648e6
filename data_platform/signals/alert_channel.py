"""Sends one message to the URL of a channel, through apprise, and says whether it has arrived.

apprise is imported when a message is sent, by this module alone. It logs URLs and answers: its log goes nowhere, and
is read here only to tell a refusal from a missing answer.
"""

from __future__ import annotations

import logging
import re
import socket
import threading
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from data_platform.signals.alert_text import AlertText

LIMIT_SECONDS = 20.0
CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 15.0
_WITHOUT_ANSWER = {"408", "502", "504"}
"""HTTP statuses of a proxy that may have passed the request on."""
_STATUS = re.compile(r"\berror[=:]\s?(\d{3})\b")
_SMTP_STATUS = re.compile(r"^Socket Exception: (?:\(|\{.*: \()(\d{3}),")
_NOT_CONNECTED = re.compile(r"NewConnectionError|ConnectTimeout|NameResolution|getaddrinfo|Connection refused|Name or ")


class Arrival(StrEnum):
    """UNKNOWN: the request was sent, and no answer came."""

    ACCEPTED = "ACCEPTED"
    REFUSED = "REFUSED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, kw_only=True)
class Answer:
    """``error`` has no part of the URL; ACCEPTED may have one too, if a recipient refused.

    ``thread`` is what a channel needs for replies to the message.
    """

    arrival: Arrival
    error: str = ""
    thread: str | None = None


@dataclass(frozen=True, kw_only=True)
class Envelope:
    """``id`` is that of the message; ``root`` is the id of its thread, if it is about one incident.

    ``thread`` is what the channel returned for the first message of that thread.
    """

    id: str
    text: AlertText
    root: str | None = None
    thread: str | None = None
    is_repeat: bool = False


def send(url: str, envelope: Envelope, *, limit_seconds: float = LIMIT_SECONDS) -> Answer:
    """Never takes much longer than ``limit_seconds``, and never raises."""
    answers: list[Answer] = []
    # a daemon thread, because an answer that arrives byte by byte has no other end
    worker = threading.Thread(target=lambda: answers.append(_guarded(url, envelope)), daemon=True, name="alert")
    worker.start()
    worker.join(limit_seconds)
    return answers[0] if answers else Answer(arrival=Arrival.UNKNOWN, error=f"no answer in {limit_seconds:g} seconds")


def _guarded(url: str, envelope: Envelope) -> Answer:
    heard = _hear()
    step = Arrival.REFUSED
    try:  # a library's error must not stop the alerts of other channels
        opened = _open(url, envelope)
        if isinstance(opened, Answer):
            return opened
        plugin, threads = opened
        step = Arrival.UNKNOWN
        arrived = plugin.notify(body=envelope.text.body, title=envelope.text.title, notify_type="warning")
        answer = Answer(arrival=Arrival.ACCEPTED, thread=next(iter(threads), None))
        return answer if arrived else _judge(heard)
    except Exception as error:
        return Answer(arrival=step, error=f"unexpected {type(error).__name__} while sending")


def _open(url: str, envelope: Envelope) -> Answer | tuple[Any, list[str]]:
    """The channel and a list for its thread; or why it cannot be used."""
    import apprise

    plugin = apprise.Apprise.instantiate(url, suppress_exceptions=True)
    if plugin is None:
        return Answer(arrival=Arrival.REFUSED, error="its URL is none that apprise knows")
    if (problem := _unreachable(plugin)) is not None:
        return Answer(arrival=Arrival.REFUSED, error=problem)
    return plugin, _prepare(plugin, envelope)


_HEARD = threading.local()


def _hear() -> list[str]:
    """The lines that apprise logs in this thread from now on. They go nowhere else, since they contain URLs.

    Neither does what the HTTP client logs in this thread.
    """
    log = logging.getLogger("apprise")
    log.setLevel(logging.DEBUG)
    log.addFilter(_keep)
    logging.getLogger("urllib3.connectionpool").addFilter(_is_of_others)
    _HEARD.lines = []
    lines: list[str] = _HEARD.lines
    return lines


def _keep(record: logging.LogRecord) -> bool:
    if (lines := getattr(_HEARD, "lines", None)) is not None:
        lines.append(record.getMessage())
    return False


def _is_of_others(_: logging.LogRecord) -> bool:
    return not hasattr(_HEARD, "lines")


def _unreachable(plugin: Any) -> str | None:
    """Why a mail server cannot be reached; its errors do not tell whether the connection was ever made."""
    host, port = getattr(plugin, "smtp_host", None), getattr(plugin, "port", None)
    if not host or not port:
        return None
    try:
        socket.create_connection((host, port), timeout=CONNECT_SECONDS).close()
    except OSError:
        return "the mail server cannot be reached"
    return None


def _prepare(plugin: Any, envelope: Envelope) -> list[str]:
    """Sets time limits and the thread. Returns a list to which the channel's own thread is added on success."""
    plugin.socket_connect_timeout, plugin.socket_read_timeout = CONNECT_SECONDS, ANSWER_SECONDS
    threads: list[str] = []
    if hasattr(plugin, "smtp_host"):
        plugin.socket_connect_timeout = ANSWER_SECONDS  # of each step of the dialogue
        plugin.headers |= _headers(envelope)
    elif hasattr(plugin, "payload_extras"):
        plugin.payload_extras |= {"message_id": envelope.id, "thread": envelope.root or envelope.id}
        plugin.payload_extras |= {"short": envelope.text.short, "repeat": str(envelope.is_repeat).lower()}
    elif getattr(plugin, "mode", None) == "bot" and len(getattr(plugin, "channels", ())) == 1:
        _reply(plugin, envelope, threads)
    return threads


def _headers(envelope: Envelope) -> dict[str, str]:
    """Each mail of an incident refers to the same root, so that mail programs show them as one thread."""
    headers = {"X-Message": envelope.id}
    if envelope.root is not None:
        root = f"<{envelope.root}@data-platform>"
        headers |= {"In-Reply-To": root, "References": root}
    return headers


def _reply(plugin: Any, envelope: Envelope, threads: list[str]) -> None:
    """Slack with a bot's token: posts into the thread of the first message, and keeps the id of a new one."""
    post = plugin._send

    def kept(*given: Any, **named: Any) -> Any:
        answer = post(*given, **named)
        if isinstance(answer, dict) and answer.get("ts"):
            threads.append(envelope.thread or str(answer["ts"]))
        return answer

    plugin._send = kept
    if envelope.thread:
        plugin.channels = [f"{plugin.channels[0]}:{envelope.thread}"]


def _judge(lines: list[str]) -> Answer:
    """Whether a message that was not accepted may have arrived, by what apprise logged."""
    if any(line.startswith("Sent ") for line in lines):
        # to try again would send it again to those who have it
        return Answer(arrival=Arrival.ACCEPTED, error="not every recipient of the channel accepted it")
    for pattern in (_SMTP_STATUS, _STATUS):
        for status in (match[1] for line in lines if (match := pattern.search(line))):
            arrival = Arrival.UNKNOWN if status in _WITHOUT_ANSWER else Arrival.REFUSED
            return Answer(arrival=arrival, error=f"the channel answered {status}")
    if any("refused" in line and "recipient" in line for line in lines):
        return Answer(arrival=Arrival.REFUSED, error="the mail server refused a recipient")
    trouble = [line for line in lines if "Socket Exception" in line]
    if trouble and not all(_NOT_CONNECTED.search(line) for line in trouble):
        return Answer(arrival=Arrival.UNKNOWN, error="no answer came")
    why = "the channel's server cannot be reached" if trouble else "the channel cannot be used as its URL is"
    return Answer(arrival=Arrival.REFUSED, error=why)
