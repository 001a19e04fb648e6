"""How far the work on an onboarding is: a file in its folder, which outlives the process that works and the service.

Whoever works holds a lock, which the kernel releases when the process ends in any way. So work that is recorded as
running, and whose lock is free, was stopped.
"""

from __future__ import annotations

import fcntl
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from data_platform.errors import DataPlatformError
from data_platform.model.personal import redacted
from data_platform.review.folder import FOLDER, REQUEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from data_platform.review.folder import OnboardingFolder

PROGRESS = "progress"
LOCK = ".lock"
"""The lock of an onboarding's folder, which every process that works on it holds (``settings.exclusive``)."""
SERVICE_LOCK = ".service"
"""The lock of the one process that the service has started; the file has the name of its folder."""


class Phase(StrEnum):
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    """The process ended without a result: it was killed, or the machine was."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """``done`` of ``of`` parts of ``what`` are done; ``of`` is 0 while their number is unknown."""

    phase: Phase
    what: str
    done: int = 0
    of: int = 0
    by: str
    started_at: datetime
    updated_at: datetime
    error: str = ""

    @property
    def where(self) -> str:
        """``while profiling (3 of 8)``."""
        return f"while {self.what}" + (f" ({self.done} of {self.of})" if self.of else "")


def begin(folder: OnboardingFolder, what: str, *, by: str, now: datetime) -> Progress:
    """Records that somebody has begun."""
    progress = Progress(phase=Phase.RUNNING, what=what, by=by, started_at=now, updated_at=now)
    folder.write(PROGRESS, asdict(progress))
    return progress


@contextmanager
def recorded(folder: OnboardingFolder, *, by: str, now: Callable[[], datetime]) -> Iterator[Callable[..., None]]:
    """Records what the block reports, and how it ends. It yields a function of what is done, the parts done, all parts.

    Nothing is recorded before the folder has a request: an error of a command is shown by that command.
    """
    progress = Progress(phase=Phase.RUNNING, what="starting", by=by, started_at=now(), updated_at=now())

    def save(**changes: object) -> None:
        nonlocal progress
        progress = replace(progress, updated_at=now(), **changes)  # type: ignore[arg-type]
        if folder.read(REQUEST) is not None:
            folder.write(PROGRESS, asdict(progress))

    def report(what: str, done: int = 0, of: int = 0) -> None:
        if (what, done, of) != (progress.what, progress.done, progress.of):
            save(what=what, done=done, of=of)

    try:
        save()
        yield report
    except DataPlatformError as error:
        save(phase=Phase.FAILED, error=redacted(str(error)))
        raise
    except KeyboardInterrupt:
        save(phase=Phase.FAILED, error="somebody stopped it with Ctrl-C")
        raise
    except Exception as error:
        save(phase=Phase.FAILED, error=f"an unexpected error ({type(error).__name__}), which is no fault of the data")
        raise
    save(phase=Phase.DONE)


def read_progress(folder: OnboardingFolder) -> Progress | None:
    """What is recorded last, and STOPPED if that is running and no process works on it; None if nothing is."""
    stored = folder.read(PROGRESS)
    if stored is None:
        return None
    times = {name: datetime.fromisoformat(stored[name]) for name in ("started_at", "updated_at")}
    progress = Progress(**{**stored, **times, "phase": Phase(stored["phase"])})
    if progress.phase is not Phase.RUNNING or is_running(folder):
        return progress
    again = folder.read(PROGRESS)  # it may have ended between the two looks
    return replace(progress, phase=Phase.STOPPED) if again == stored else read_progress(folder)


def is_running(folder: OnboardingFolder) -> bool:
    """Whether a process works on it: one of the service, which may still be starting, or one of a terminal."""
    return _is_held(folder.root / LOCK) or folder.root.name == running_of_service(folder.root.parent.parent)


def running_of_service(home: Path) -> str:
    """The name of the folder that the process of the service works on; empty if there is none."""
    lock = home / FOLDER / SERVICE_LOCK
    return lock.read_text(encoding="utf-8").strip() if _is_held(lock) else ""


def _is_held(lock: Path) -> bool:
    try:
        with lock.open("rb") as file:
            fcntl.flock(file.fileno(), fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False
