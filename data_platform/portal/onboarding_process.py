"""Starts ``data-platform onboard`` in a process of its own, which outlives the service and records how far it is.

The process gets an open lock as it starts, and the kernel keeps that held until it has ended. One runs at a time, since
it opens Spark on the service's machine.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any

from data_platform.api.problem import ProblemError
from data_platform.model.dataset import DatasetId
from data_platform.model.private_path import private_file, private_folder
from data_platform.review.folder import FOLDER, REQUEST, OnboardingFolder
from data_platform.review.progress import SERVICE_LOCK, begin, is_running, running_of_service

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

COMMAND = (sys.executable, "-c", "from data_platform.cli.main import app; app()", "onboard")
LOG = "process.log"
_TRIES, _TRY_SECONDS = 10, 0.05
"""A page that looks whether the lock is free holds it for an instant."""


@dataclass(frozen=True, kw_only=True)
class OnboardingDesk:
    """Where onboardings work: the folders of the installation, and the command that profiles."""

    home: Path
    landing: Path
    policies: Path
    command: Sequence[str] = field(default=COMMAND)

    def folder(self, urn: str) -> OnboardingFolder:
        return OnboardingFolder(self.home, DatasetId.parse(urn))

    def requests(self) -> dict[str, dict[str, Any]]:
        """What was asked for, by dataset."""
        found = {}
        for file in sorted((self.home / FOLDER).glob(f"*__*/{REQUEST}.json")):
            zone, _, name = file.parent.name.partition("__")
            stored = OnboardingFolder(self.home, DatasetId(zone, name)).read(REQUEST)
            if stored is not None:
                found[str(stored["dataset"])] = stored
        return found

    def start(self, asked: Mapping[str, Any], *, by: str, restart: bool = False) -> None:
        """Starts the work that ``asked`` describes. If that very work is under way, nothing is started.

        Raises:
            ProblemError: 409, the service is profiling another dataset, or a command in a terminal works on this one.
        """
        folder = self.folder(asked["dataset"])
        with self._lock(folder) as lock:
            folder.make()
            if folder.read(REQUEST) is None or restart:
                folder.write(REQUEST, asked)
            begin(folder, "starting", by=by, now=datetime.now(UTC))
            lock.write(folder.root.name)
            lock.flush()
            self._start(folder, [*_options(asked, self.landing), f"--by={by}", *["--restart"][: int(restart)]], lock)

    def _start(self, folder: OnboardingFolder, options: Sequence[str], lock: IO[str]) -> None:
        log = folder.root / LOG
        private_file(log)
        with log.open("wb") as output:
            process = subprocess.Popen(  # noqa: S603 - our own command; its options were checked, and no shell reads them
                [*self.command, *options],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=output,
                pass_fds=[lock.fileno()],
                start_new_session=True,
            )
        threading.Thread(target=process.wait, name="onboarding", daemon=True).start()

    def _lock(self, folder: OnboardingFolder) -> IO[str]:
        private_folder(self.home / FOLDER)
        lock = os.fdopen(os.open(self.home / FOLDER / SERVICE_LOCK, os.O_RDWR | os.O_CREAT, 0o600), "r+")
        for _ in range(_TRIES):
            try:
                fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                time.sleep(_TRY_SECONDS)
                continue
            lock.truncate(0)  # the name of the last one, which this process would read as running
            if is_running(folder):  # by a command in a terminal
                break
            return lock
        lock.close()
        raise _busy(folder, running_of_service(self.home))


def _busy(folder: OnboardingFolder, running: str) -> ProblemError:
    if running and running != folder.root.name:
        zone, _, name = running.partition("__")
        detail = (
            f"the service profiles ds://{zone}/{name} now, and one dataset at a time: try again when that has ended"
        )
    else:
        detail = f"{folder.id.urn} is being profiled: wait until that has ended"
    return ProblemError(409, "busy", detail)


def _options(asked: Mapping[str, Any], landing: Path) -> list[str]:
    names = ("team", "tier", "email", "description", "producer", "table", "user", "password_from")
    given = [f"--{name.replace('_', '-')}={asked[name]}" for name in names if asked.get(name)]
    path = str(asked["path"])
    return [
        path if "://" in path else str(landing / path),
        f"--as={asked['dataset']}",
        f"--time-zone={asked['time_zone']}",
        f"--days={asked['profiled']}",
        f"--dry-run-days={asked['tried']}",
        *given,
        "--json",
    ]
