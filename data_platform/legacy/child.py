"""A command run as if nobody were round it: same input and output, same group, same signals, same exit code.

The command stays in the wrapper's process group. So a signal to the group (Ctrl-C, a scheduler that kills the group,
KILL too) reaches it without help, and a signal to the wrapper alone is passed on to the command's own process, which is
the one that the scheduler would have meant. INT, QUIT and TSTP of the terminal, which go to the whole group, are not
passed on a second time; one that a process sent to the whole group is, since the two cannot be told apart.

A command that stops, stops its wrapper too, so that the shell sees it; CONT wakes both. Signals that were ignored
before stay ignored for both (``nohup``). Linux.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PASSED_ON = frozenset({
    signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTSTP,
    signal.SIGCONT,
})  # fmt: skip
_WATCHED = PASSED_ON | {signal.SIGCHLD}
_OF_TERMINAL = frozenset({signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP})
_FROM_KERNEL = 0x80
_CANNOT_RUN, _NOT_FOUND = 126, 127  # a shell's numbers


class NotStartedError(Exception):
    """The command cannot be started. ``code`` is what a shell answers then; ``reason`` is the system's."""

    def __init__(self, code: int, reason: str) -> None:
        self.code, self.reason = code, reason
        super().__init__(reason)


class Signals:
    """Held back from the moment this is made, also in threads that are started later, until ``attend`` takes them."""

    def __init__(self) -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, it would take the exit code away
        self.before = signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)


def start(command: Sequence[str], environment: dict[str, str], signals: Signals, *, stderr: int | None) -> int:
    """The command's process.

    Raises:
        NotStartedError: There is no such program, or it cannot be run.
    """
    try:
        return _spawn(list(command), environment, signals, stderr)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise _not_started(error) from None
    try:  # a script without a first line that names its shell: every shell runs it with its own
        return _spawn(["/bin/sh", _found(command[0]), *command[1:]], environment, signals, stderr)
    except OSError as error:
        raise _not_started(error) from None


def _spawn(command: list[str], environment: dict[str, str], signals: Signals, stderr: int | None) -> int:
    return os.posix_spawnp(
        command[0],
        command,
        environment,
        file_actions=[] if stderr is None else [(os.POSIX_SPAWN_DUP2, stderr, 2)],
        setsigmask=signals.before,
        setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],  # which Python ignores
    )


def _not_started(error: OSError) -> NotStartedError:
    missing = error.errno in (errno.ENOENT, errno.ENOTDIR)
    return NotStartedError(_NOT_FOUND if missing else _CANNOT_RUN, error.strerror or "unknown reason")


def _found(program: str) -> str:
    if "/" in program:
        return program
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    places = (os.path.join(folder or ".", program) for folder in folders)
    return next((place for place in places if os.access(place, os.X_OK) and os.path.isfile(place)), program)


def attend(child: int, every: float, beat: Callable[[], object]) -> int:
    """Wait for the command's end, and call ``beat`` each ``every`` seconds (0: never).

    What it answers is the exit code, or the negative number of the signal that has killed the command.
    """
    due = time.monotonic() + every
    while True:
        if every and (left := due - time.monotonic()) <= 0:
            beat()
            due = time.monotonic() + every
            continue
        found = signal.sigtimedwait(_WATCHED, left) if every else signal.sigwaitinfo(_WATCHED)
        if found is None:
            continue
        if found.si_signo != signal.SIGCHLD:
            _pass_on(child, found)
        elif (status := _waited(child)) is not None:
            return os.waitstatus_to_exitcode(status)


def _pass_on(child: int, found: signal.struct_siginfo) -> None:
    if found.si_signo in _OF_TERMINAL and found.si_code == _FROM_KERNEL:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.kill(child, found.si_signo)


def _waited(child: int) -> int | None:
    """The status of the command's end; None while it lives. While it is stopped, this process is too."""
    while True:
        pid, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
        if pid == 0:
            return None
        if not os.WIFSTOPPED(status):
            return status
        os.kill(os.getpid(), signal.SIGSTOP)
