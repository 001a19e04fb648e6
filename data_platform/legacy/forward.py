"""Sends the spool's events to the service: in order, within the time limit, in batches where many wait.

An event leaves the spool after the service has acknowledged it. If a process dies in between, the next one sends the
event again, and the service stores it once, for the same content is the same event.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from data_platform.errors import UsageError
from data_platform.legacy.batch import FEWEST_EVENTS, MOST_BYTES, MOST_EVENTS, answers, joined
from data_platform.legacy.post import Address
from data_platform.legacy.running import settle

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from data_platform.legacy.post import Answer
    from data_platform.legacy.spool import Spool

WAIT_SECONDS = 5.0
HURRY_SECONDS = 1.0
"""The time limit after a timeout in the last minute: a job of a thousand calls must not wait a thousand times."""


class _NeedsPersonError(ConnectionError):
    """A person must act: a retry does not help."""


class Service(NamedTuple):
    """``url`` is empty if it is not configured. ``token`` is a secret."""

    url: str
    token: str
    spool: Spool


class Kept:
    """An event's place: a ``name`` in the spool, or a ``problem`` and an entry in ``loose``, to be sent now or lost."""

    def __init__(self) -> None:
        self.name = ""
        self.problem = ""
        self.loose: list[bytes] = []


class Forwarded:
    """The result so far. ``refused`` maps each name to a reason; ``loose`` are events that are on no disk."""

    def __init__(self, loose: Iterable[bytes] = ()) -> None:
        self.sent = 0
        self.refused: dict[str, str] = {}
        self.loose = list(loose)
        self.problem = ""
        self.needs_person = False


def keep_within(spool: Spool, body: bytes, seconds: float) -> Kept:
    """Writes ``body`` to the spool, waiting at most ``seconds`` for the disk."""
    kept = Kept()
    problem = [f"the disk did not answer within {seconds:g} s"]

    def keep() -> None:
        try:
            kept.name = spool.keep(body)
        except OSError as error:
            problem[0] = _message(error)

    bounded(keep, seconds, or_here=True)
    if not kept.name:
        kept.problem, kept.loose = problem[0], [body]
    return kept


def forward_within(service: Service, seconds: float, kept: Kept | None = None, *, hurry: bool = True) -> Forwarded:
    """Forwards for at most ``seconds``, whatever hangs: name resolution, a service that sends a byte a minute, a disk.

    What is not done by then continues in the background while this process is alive, or waits in the spool.
    """
    if hurry and service.spool.was_away():
        seconds = min(seconds, HURRY_SECONDS)
    result = Forwarded(kept.loose if kept else ())
    deadline = time.monotonic() + seconds
    if not bounded(lambda: forward(service, deadline, result), seconds):
        late = Forwarded(result.loose)
        late.sent, late.refused = result.sent, dict(result.refused)
        late.problem = f"the service did not answer within {seconds:g} s"
        result = late
    if result.problem and time.monotonic() >= deadline:
        bounded(lambda: service.spool.mark_away(away=True), HURRY_SECONDS)
    return result


def bounded(call: Callable[[], object], seconds: float, *, or_here: bool = False) -> bool:
    """Returns whether ``call`` finished within ``seconds``. ``call`` must not raise.

    If no thread can start, because the interpreter ends or the machine has none left, ``call`` is skipped, or with
    ``or_here`` runs without a limit.
    """
    thread = threading.Thread(target=call, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        if or_here:
            call()
        return or_here
    thread.join(seconds)
    return not thread.is_alive()


def forward(service: Service, deadline: float, result: Forwarded) -> None:
    """Forwards the spool, records the outcome in ``result`` and never raises."""
    spool = service.spool
    try:
        with spool.lock(max(0.0, deadline - time.monotonic())) as locked:
            if not locked:
                result.problem = "another process is forwarding"
                return
            _settle(spool, result)
            spool.sweep()
            _forward_all(service, deadline, result)
    except _NeedsPersonError as error:
        result.problem, result.needs_person = str(error), True
    except (OSError, UsageError) as error:
        result.problem = _message(error)


def _settle(spool: Spool, result: Forwarded) -> None:
    try:
        settle(spool)
    except OSError as error:
        result.problem = _message(error)


def _forward_all(service: Service, deadline: float, result: Forwarded) -> None:
    """Sends also events that arrive meanwhile: a process that finds the spool locked relies on it."""
    if not service.url:
        result.problem = "DATA_PLATFORM_URL is not set"
        return
    address = Address(service.url, service.token, min(WAIT_SECONDS, max(0.1, deadline - time.monotonic())))
    _forward_loose(address, result)
    sender = _Sender(service.spool, address, result)
    seen: set[str] = set()
    while names := [name for name in service.spool.waiting() if name not in seen]:
        while names:
            if time.monotonic() >= deadline:
                result.problem = "there was no time for all of it"
                return
            done = sender.send_first(names)
            seen.update(names[:done])
            del names[:done]
    service.spool.mark_away(away=False)


def _forward_loose(address: Address, result: Forwarded) -> None:
    """Sends these first, out of order: no disk has them for a second try, and the spool may not even be readable."""
    while result.loose:
        answer = _sent(address, result.loose[0])
        if not answer.taken:
            result.refused["an event that is on no disk"] = _reason(answer)
            return
        result.loose.pop(0)
        result.sent += 1


class _Sender:
    """Sends events from the spool in order and records the outcome of each in ``result``."""

    def __init__(self, spool: Spool, address: Address, result: Forwarded) -> None:
        self._spool, self._address, self._result = spool, address, result
        self._in_batches = True

    def send_first(self, names: Sequence[str]) -> int:
        """Sends as many of ``names`` as fit in one request; returns 0 if they must be sent one by one from now on.

        Raises:
            ConnectionError: An event was neither accepted nor permanently rejected. The others are recorded as usual.
        """
        most = MOST_EVENTS if self._in_batches and len(names) >= FEWEST_EVENTS else 1
        bodies = self._read(names[:most])
        waiting = {name: body for name, body in bodies.items() if body is not None}
        if len(waiting) > 1:
            results = answers(_answer(self._address, joined(list(waiting.values())), batch=True), len(waiting))
            if results is None:
                self._in_batches = False
                return 0
        else:
            results = [_answer(self._address, body) for body in waiting.values()]
        for name, answer in zip(waiting, results, strict=True):
            self._record(name, answer)
        for answer in results:
            _check(answer)
        return len(bodies)

    def _read(self, names: Sequence[str]) -> dict[str, bytes | None]:
        """Reads as many events as one request may hold, and at least one."""
        bodies: dict[str, bytes | None] = {}
        size = 0
        for name in names:
            body = self._spool.read(name)
            size += len(body or b"")
            if bodies and size > MOST_BYTES:
                break
            bodies[name] = body
        return bodies

    def _record(self, name: str, answer: Answer) -> None:
        if answer.taken:
            self._spool.drop(name)
            self._result.sent += 1
        elif answer.refused:
            self._spool.refuse(name, f"{answer.status}\n{answer.text}\n")
            self._result.refused[name] = _reason(answer)


def _sent(address: Address, body: bytes) -> Answer:
    """Raises: ConnectionError, if the event was neither accepted nor permanently rejected."""
    answer = _answer(address, body)
    _check(answer)
    return answer


def _answer(address: Address, body: bytes, *, batch: bool = False) -> Answer:
    try:
        return address.send(body, batch=batch)
    except OSError as error:
        raise ConnectionError(f"the service does not answer ({_message(error)})") from None


def _check(answer: Answer) -> None:
    """Raises: ConnectionError, if the event was neither accepted nor permanently rejected."""
    if not (answer.taken or answer.refused):
        raise _NeedsPersonError(answer.problem) if answer.needs_person else ConnectionError(answer.problem)


def _reason(answer: Answer) -> str:
    import json

    try:
        detail = str(json.loads(answer.text)["detail"])
    except (ValueError, KeyError, TypeError):
        detail = ""
    return f"{answer.status} {' '.join(detail.split())[:300]}".strip()


def _message(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) and error.strerror else str(error)) or type(error).__name__
