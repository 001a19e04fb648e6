"""Commands that a wrapper has started: a file each in the spool's ``running/``, for as long as the wrapper lives.

A wrapper that was killed leaves its file. Whoever forwards next looks at it. If the command still runs, nothing is
said: the run is RUNNING, which is so. If it is gone too, how it ended is not known, and the run is told as ABORT, at
the time when the wrapper was last seen alive. That time is the file's own (each heartbeat touches it), so that
whoever finds the file makes the same event, byte for byte, and the service keeps one. A wrapper that had told the end
and was killed before it took its file away has told a later end, and the later one counts.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from data_platform.legacy.process_liveness import is_alive, machine, mark_of
from data_platform.legacy.spool import write_whole
from data_platform.openlineage.legacy_event import run_event

if TYPE_CHECKING:
    from data_platform.legacy.spool import Spool

_FOLDER = "running"
UNKNOWN_END = (
    "the wrapper and its command are gone, and nobody saw how the command ended; last seen at the event's time"
)


class Mark:
    """The file of one wrapper. What cannot be written is passed over: the job matters more."""

    def __init__(self, spool: Spool, process: str, run_id: str) -> None:
        self._folder = os.path.join(spool.folder, _FOLDER)
        self._name = f"{run_id}.{os.getpid()}.json"
        self._facts = {"process": process, "run_id": run_id, "machine": machine(), "wrapper": mark_of(os.getpid())}

    def set(self, started: datetime, child: int | None = None) -> None:
        """Before the command is started, and again with its process, which a power cut would end anyway."""
        facts = {**self._facts, "started": started.isoformat(), "child": mark_of(child) if child else None}
        with suppress(OSError):
            write_whole(self._folder, self._name, json.dumps(facts).encode(), durable=child is None)

    def touch(self) -> None:
        with suppress(OSError):
            os.utime(os.path.join(self._folder, self._name))

    def clear(self) -> None:
        with suppress(OSError):
            os.unlink(os.path.join(self._folder, self._name))


def settle(spool: Spool) -> None:
    """An ABORT into the spool for each command of this machine that is gone with its wrapper.

    Raises:
        OSError: The spool cannot be written; the next one tries again.
    """
    folder = os.path.join(spool.folder, _FOLDER)
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json")]
    except OSError:
        return
    here = machine()
    for name in names:
        path = os.path.join(folder, name)
        facts, seen = _read(path)
        if facts.get("machine", "").partition(" ")[0] != here.partition(" ")[0]:
            continue  # only its own machine can tell
        if facts["machine"] == here and any(is_alive(facts.get(key) or "") for key in ("wrapper", "child")):
            continue
        spool.keep(_abort(facts, seen))
        with suppress(FileNotFoundError):
            os.unlink(path)


def _read(path: str) -> tuple[dict[str, Any], float]:
    """Nothing, if it is gone or was written by somebody else."""
    with suppress(OSError, ValueError), open(path, "rb") as file:
        facts = json.load(file)
        if isinstance(facts, dict) and all(isinstance(facts.get(key), str) for key in ("process", "run_id", "started")):
            return facts, os.fstat(file.fileno()).st_mtime
    return {}, 0.0


def _abort(facts: dict[str, Any], seen: float) -> bytes:
    time = max(datetime.fromisoformat(facts["started"]), datetime.fromtimestamp(seen, UTC))
    event = run_event("ABORT", facts["process"], facts["run_id"], time=time, error=UNKNOWN_END)
    return json.dumps(event, separators=(",", ":")).encode()
