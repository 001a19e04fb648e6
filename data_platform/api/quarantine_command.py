"""Results of ``data-platform quarantine diff`` and ``quarantine show``, for which the lake is read.

The service has no Spark, so the command runs in a process of its own; a difference takes ten seconds and some
gigabytes. One runs at a time, and a second request is refused. The command has the settings and files of the service's
machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any, Literal

from data_platform.api.problem import ProblemError, unavailable
from data_platform.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 300
"""The time limit of the command: the JVM starts in ten seconds, and a day is judged in one more job."""
ROWS_SHOWN = 20
WRONG_USE = 2
_QUARANTINE = (sys.executable, "-c", "from data_platform.cli.main import app; app()", "quarantine")
_COMMANDS = {
    "diff": (*_QUARANTINE, "diff", "--json", "--"),
    "show": (*_QUARANTINE, "show", "--json", "--limit", str(ROWS_SHOWN), "--"),
}
_WHAT = {"diff": "difference", "show": "sample"}


class QuarantineCommand:
    """``data-platform quarantine diff`` or ``show`` of one table.

    ``command`` gets the name of the table as its last argument, and prints one JSON document.
    """

    def __init__(
        self, verb: Literal["diff", "show"] = "diff", command: Sequence[str] | None = None, seconds: float = SECONDS
    ) -> None:
        self._verb, self._command = verb, tuple(command or _COMMANDS[verb])
        self._seconds, self._busy = seconds, threading.Lock()

    def run(self, name: str) -> dict[str, Any]:
        """The document of the command.

        Raises:
            ProblemError: 503, another one is under way, or the command did not succeed on this machine.
            UsageError: The command was refused, such as for a dataset that no policy declares any more.
        """
        if not self._busy.acquire(blocking=False):
            what = _WHAT[self._verb]
            raise unavailable(f"another {what} is being computed, which takes a minute at most: ask again")
        try:
            return self._run(name)
        finally:
            self._busy.release()

    def by_hand(self, name: str) -> str:
        """The command for a terminal."""
        return f"data-platform quarantine {self._verb} {name}"

    def _run(self, name: str) -> dict[str, Any]:
        by_hand = f"run `{self.by_hand(name)}` where the lake is"
        try:
            done = subprocess.run(  # noqa: S603 - our own command, and the name of a recorded entry
                [*self._command, name], capture_output=True, text=True, timeout=self._seconds, check=False
            )
        except subprocess.TimeoutExpired:
            raise unavailable(f"it took more than {self._seconds:.0f} seconds: {by_hand}") from None
        if done.returncode == 0 and done.stdout:
            document: dict[str, Any] = json.loads(done.stdout)
            return document
        message = " ".join(_error_of(done).split())[-1000:]
        if done.returncode == WRONG_USE:
            raise UsageError(message)
        raise ProblemError(503, "not-computed", f"the service's machine could not compute it; {by_hand}: {message}")


def _error_of(done: subprocess.CompletedProcess[str]) -> str:
    """The command's message: of its own errors in the JSON document, of others on standard error."""
    try:
        return str(json.loads(done.stdout)["error"])
    except (ValueError, TypeError, KeyError):
        return done.stderr
