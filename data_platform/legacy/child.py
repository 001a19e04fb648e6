"""Runs a command as if there were no wrapper: same input and output, same group, same signals, same exit code.

The command stays in the wrapper's process group. So a signal to the group (Ctrl-C, a scheduler that kills the group,
KILL too) reaches it directly, and a signal to the wrapper alone is forwarded to the command's own process, which the
scheduler meant. INT, QUIT and TSTP from the terminal go to the whole group and are not forwarded a second time; a
signal that a process sent to the whole group is forwarded, since it looks like a signal to the wrapper alone.

A command that the terminal stops also stops its wrapper, so that the shell sees it; CONT resumes both. Signals that
were ignored before stay ignored for both (``nohup``). Linux only.
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

_FORWARDED = frozenset({
    signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTSTP,
    signal.SIGCONT,
})  # fmt: skip
_WATCHED = _FORWARDED | {signal.SIGCHLD}
_TERMINAL_SIGNALS = frozenset({signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP})
_STOPS_OF_TERMINAL = frozenset({signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU})
_FROM_KERNEL = 0x80
_CANNOT_RUN, _NOT_FOUND = 126, 127  # a shell's numbers


class NotStartedError(Exception):
    """The command cannot be started. ``code`` is the exit code that a shell returns; ``reason`` is the system's."""

    def __init__(self, code: int, reason: str) -> None:
        self.code, self.reason = code, reason
        super().__init__(reason)


class Signals:
    """Blocks the signals from its creation on, also in threads that start later, until ``attend`` receives them."""

    def __init__(self) -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # if it were ignored, the exit code would be lost
        self.before = signal.pthread_sigmask(signal.SIG_BLOCK, _WATCHED)


def start(command: Sequence[str], environment: dict[str, str], signals: Signals, *, stderr: int | None) -> int:
    """Starts the command and returns its process id.

    Raises:
        NotStartedError: There is no such program, or it cannot be run.
    """
    if not command[0]:
        raise NotStartedError(_NOT_FOUND, os.strerror(errno.ENOENT))
    try:
        return _spawn(list(command), environment, signals, stderr)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise _not_started(error) from None
    try:  # a script without a first line that names its shell: every shell runs it with its own
        return _spawn(["/bin/sh", _program_path(command[0]), *command[1:]], environment, signals, stderr)
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


def _program_path(program: str) -> str:
    if "/" in program:
        return program
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    places = (os.path.join(folder or ".", program) for folder in folders)
    return next((place for place in places if os.access(place, os.X_OK) and os.path.isfile(place)), program)


def attend(child: int, every: float, beat: Callable[[], object]) -> int:
    """Waits for the command to end and calls ``beat`` every ``every`` seconds (0: never).

    Returns the exit code, or the negative number of the signal that killed the command.
    """
    due = time.monotonic() + every
    while True:
        if every and (left := due - time.monotonic()) <= 0:
            beat()
            due = time.monotonic() + every
            continue
        received = signal.sigtimedwait(_WATCHED, left) if every else signal.sigwaitinfo(_WATCHED)
        if received is None:
            continue
        if received.si_signo != signal.SIGCHLD:
            _forward_signal(child, received)
        elif (status := _exit_status(child)) is not None:
            return os.waitstatus_to_exitcode(status)


def _forward_signal(child: int, received: signal.struct_siginfo) -> None:
    if received.si_signo in _TERMINAL_SIGNALS and received.si_code == _FROM_KERNEL:
        return
    with suppress(ProcessLookupError, PermissionError):
        os.kill(child, received.si_signo)


def _exit_status(child: int) -> int | None:
    """Returns the command's wait status; None while it is alive.

    While the terminal has stopped it, this process is stopped too. STOP that was sent to the command alone is not
    repeated: the one who continues the command later would leave this process stopped.
    """
    while True:
        pid, status = os.waitpid(child, os.WNOHANG | os.WUNTRACED)
        if pid == 0:
            return None
        if not os.WIFSTOPPED(status):
            return status
        if os.WSTOPSIG(status) in _STOPS_OF_TERMINAL:
            os.kill(os.getpid(), signal.SIGSTOP)
