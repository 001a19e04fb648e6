"""Handles Ctrl-C, SIGHUP and SIGTERM: one message, exit code 128 plus the signal's number, and nothing left running.

The first signal kills the JVM and unwinds the command, which releases its leases and marks its Dagster run as
canceled. The next run rolls back what this run wrote without a verdict. A second signal, or a command that does not
unwind in time, ends the process at once; its leases are then released like those of a killed run.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from data_platform.lake.jvm import kill_jvm

if TYPE_CHECKING:
    from collections.abc import Iterator

UNWIND_SECONDS = 20
SHELL_BASE = 128
"""A shell reports a process that a signal ended as 128 plus its number: 130 for Ctrl-C, 143 for SIGTERM."""
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stopped(KeyboardInterrupt):
    """Raised in the main thread by the first signal."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number

    @property
    def exit_code(self) -> int:
        return SHELL_BASE + self.number


@contextmanager
def stoppable() -> Iterator[None]:
    """Turns the first signal into ``Stopped``. Signals ignored at the start, as by ``nohup``, stay ignored.

    Raises:
        Stopped: A signal came.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number in SIGNALS:
        if before[number] is not signal.SIG_IGN:
            signal.signal(number, _Stop())
    try:
        yield
    except Exception:
        if _stopping.is_set():  # PySpark reports an interruption as a connection error
            raise Stopped(_numbers[0]) from None
        raise
    finally:
        for number, handler in before.items():
            if not isinstance(signal.getsignal(number), _Stop) or not _stopping.is_set():
                signal.signal(number, handler)


def stop_event() -> threading.Event:
    """An event that the first signal sets, for a command that goes on until it is stopped and then ends well."""
    stop = threading.Event()
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: stop.set())
    return stop


_stopping = threading.Event()
_numbers: list[int] = []
_screens: list[TextIO] = []


class _Stop:
    def __call__(self, number: int, frame: Any) -> None:  # noqa: ARG002 - a handler's signature
        if _stopping.is_set():
            _end(number)
        _numbers.append(number)
        _stopping.set()
        # the code that unwinds now would log its broken connections, which is noise after Ctrl-C
        logging.disable(logging.CRITICAL)
        _screens.append(sys.stderr)
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 - until the process has ended
        threading.Thread(target=_end_in_time, args=(number,), daemon=True).start()
        kill_jvm()
        raise Stopped(number)


def error_stream() -> TextIO:
    """The original standard error. After a signal ``sys.stderr`` discards what other code prints."""
    return _screens[0] if _screens else sys.stderr


def _end_in_time(number: int) -> None:
    if not threading.Event().wait(UNWIND_SECONDS):
        _end(number)


def _end(number: int) -> None:
    kill_jvm()
    os._exit(SHELL_BASE + number)
