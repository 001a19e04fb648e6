"""What waits in the spool, to the service: in order, as far as time allows; many at once where many wait.

An event leaves the spool after the service has acknowledged it. Whoever dies in between has it sent again by the next
one, and the service keeps it once, for the same content is the same event.
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
"""For a service that let somebody wait in the last minute: a job of a thousand calls must not wait a thousand times."""


class _NeedsPersonError(ConnectionError):
    """Waiting does not help."""


class Service(NamedTuple):
    """``url`` is empty if nobody has said where it is. ``token`` is a secret."""

    url: str
    token: str
    spool: Spool


class Kept:
    """What became of an event: it has a ``name`` in the spool, or a ``problem`` and is ``loose``: sent now, or lost."""

    def __init__(self) -> None:
        self.name = ""
        self.problem = ""
        self.loose: list[bytes] = []


class Forwarded:
    """What came of it, so far. ``refused`` has a reason for each name; ``loose`` are events that no disk has."""

    def __init__(self, loose: Iterable[bytes] = ()) -> None:
        self.sent = 0
        self.refused: dict[str, str] = {}
        self.loose = list(loose)
        self.problem = ""
        self.needs_person = False


def keep_within(spool: Spool, body: bytes, seconds: float) -> Kept:
    """``body`` into the spool, waiting at most ``seconds`` for the disk."""
    kept = Kept()
    problem = [f"the disk did not answer within {seconds:g} s"]

    def keep() -> None:
        try:
            kept.name = spool.keep(body)
        except OSError as error:
            problem[0] = _said(error)

    bounded(keep, seconds, or_here=True)
    if not kept.name:
        kept.problem, kept.loose = problem[0], [body]
    return kept


def forward_within(service: Service, seconds: float, kept: Kept | None = None, *, hurry: bool = True) -> Forwarded:
    """At most ``seconds``, whatever hangs: a name that is not resolved, a service that sends a byte a minute, a disk.

    What is not done by then goes on in the background for as long as this process lives, or waits in the spool.
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
        bounded(lambda: service.spool.say_away(away=True), HURRY_SECONDS)
    return result


def bounded(call: Callable[[], object], seconds: float, *, or_here: bool = False) -> bool:
    """Whether ``call`` was done within ``seconds``. It must raise nothing.

    Where there are no threads any more, since the interpreter ends or the machine has none left, it is not done, or
    with ``or_here`` done without a limit.
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
    """Tells in ``result`` what it does, and raises nothing."""
    spool = service.spool
    try:
        with spool.alone(max(0.0, deadline - time.monotonic())) as alone:
            if not alone:
                result.problem = "another process is forwarding"
                return
            _settle(spool, result)
            spool.sweep()
            _forward_all(service, deadline, result)
    except _NeedsPersonError as error:
        result.problem, result.needs_person = str(error), True
    except (OSError, UsageError) as error:
        result.problem = _said(error)


def _settle(spool: Spool, result: Forwarded) -> None:
    try:
        settle(spool)
    except OSError as error:
        result.problem = _said(error)


def _forward_all(service: Service, deadline: float, result: Forwarded) -> None:
    """Also what comes meanwhile: who finds the spool locked relies on it."""
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
    service.spool.say_away(away=False)


def _forward_loose(address: Address, result: Forwarded) -> None:
    """First, out of their order: nothing keeps them for a second try, and the spool may not even be readable."""
    while result.loose:
        answer = _sent(address, result.loose[0])
        if not answer.taken:
            result.refused["an event that is on no disk"] = _why(answer)
            return
        result.loose.pop(0)
        result.sent += 1


class _Sender:
    """From the spool, in its order. ``result`` is told what became of each."""

    def __init__(self, spool: Spool, address: Address, result: Forwarded) -> None:
        self._spool, self._address, self._result = spool, address, result
        self._in_batches = True

    def send_first(self, names: Sequence[str]) -> int:
        """As many of ``names`` as go in one request; none if they must go one by one from now on.

        Raises:
            ConnectionError: One was neither taken nor refused for good. What was is told, and is not sent again.
        """
        most = MOST_EVENTS if self._in_batches and len(names) >= FEWEST_EVENTS else 1
        bodies = self._read(names[:most])
        waiting = {name: body for name, body in bodies.items() if body is not None}
        if len(waiting) > 1:
            told = answers(_answer(self._address, joined(list(waiting.values())), batch=True), len(waiting))
            if told is None:
                self._in_batches = False
                return 0
        else:
            told = [_answer(self._address, body) for body in waiting.values()]
        for name, answer in zip(waiting, told, strict=True):
            self._settle(name, answer)
        for answer in told:
            _check(answer)
        return len(bodies)

    def _read(self, names: Sequence[str]) -> dict[str, bytes | None]:
        """As many of them as one request may hold, and at least one."""
        found: dict[str, bytes | None] = {}
        size = 0
        for name in names:
            body = self._spool.read(name)
            size += len(body or b"")
            if found and size > MOST_BYTES:
                break
            found[name] = body
        return found

    def _settle(self, name: str, answer: Answer) -> None:
        if answer.taken:
            self._spool.drop(name)
            self._result.sent += 1
        elif answer.refused:
            self._spool.refuse(name, f"{answer.status}\n{answer.text}\n")
            self._result.refused[name] = _why(answer)


def _sent(address: Address, body: bytes) -> Answer:
    """Raises: ConnectionError, if it was neither taken nor refused for good."""
    answer = _answer(address, body)
    _check(answer)
    return answer


def _answer(address: Address, body: bytes, *, batch: bool = False) -> Answer:
    try:
        return address.send(body, batch=batch)
    except OSError as error:
        raise ConnectionError(f"the service does not answer ({_said(error)})") from None


def _check(answer: Answer) -> None:
    """Raises: ConnectionError, if it was neither taken nor refused for good."""
    if not (answer.taken or answer.refused):
        raise _NeedsPersonError(answer.problem) if answer.needs_person else ConnectionError(answer.problem)


def _why(answer: Answer) -> str:
    import json

    try:
        detail = str(json.loads(answer.text)["detail"])
    except (ValueError, KeyError, TypeError):
        detail = ""
    return f"{answer.status} {' '.join(detail.split())[:300]}".strip()


def _said(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) and error.strerror else str(error)) or type(error).__name__
