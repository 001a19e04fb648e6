"""What today's policy says about the rows of a quarantine table: the result of ``data-platform quarantine diff``.

The service has no Spark, so the command runs in a process of its own, which takes ten seconds and some gigabytes. One
runs at a time, and a second request is refused. The command has the settings and files of the service's machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from typing import TYPE_CHECKING, Any

from data_platform.api.problem import ProblemError, unavailable
from data_platform.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 300
"""The time limit of the command: the JVM starts in ten seconds, and a day is judged in one more job."""
WRONG_USE = 2
COMMAND = (sys.executable, "-m", "data_platform.cli.main", "quarantine", "diff", "--json", "--")


class QuarantineDiff:
    """``command`` gets the name of the table as its last argument, and prints one JSON document."""

    def __init__(self, command: Sequence[str] = COMMAND, seconds: float = SECONDS) -> None:
        self._command, self._seconds, self._busy = tuple(command), seconds, threading.Lock()

    def run(self, name: str) -> dict[str, Any]:
        """The document of the command.

        Raises:
            ProblemError: 503, another one is under way, or the command did not succeed on this machine.
            UsageError: The command was refused, such as for a dataset that no policy declares any more.
        """
        if not self._busy.acquire(blocking=False):
            raise unavailable("another difference is being computed, which takes a minute at most: ask again")
        try:
            return self._run(name)
        finally:
            self._busy.release()

    def _run(self, name: str) -> dict[str, Any]:
        by_hand = f"run `data-platform quarantine diff {name}` where the lake is"
        try:
            done = subprocess.run(  # noqa: S603 - our own command, and the name of a recorded entry
                [*self._command, name], capture_output=True, text=True, timeout=self._seconds, check=False
            )
        except subprocess.TimeoutExpired:
            raise unavailable(f"it took more than {self._seconds:.0f} seconds: {by_hand}") from None
        if done.returncode == 0:
            document: dict[str, Any] = json.loads(done.stdout)
            return document
        message = " ".join(done.stderr.split())[-1000:]
        if done.returncode == WRONG_USE:
            raise UsageError(message)
        raise ProblemError(503, "not-computed", f"the service's machine could not compute it; {by_hand}: {message}")
