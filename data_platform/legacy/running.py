"""Commands that a wrapper has started: one file each in the spool's ``running/`` while the wrapper is alive.

A killed wrapper leaves its file, and the next process that forwards checks it. If the command still runs, nothing is
reported: the run stays RUNNING. If the command is gone too, its outcome is unknown, and the run is reported as ABORT at
the time when the wrapper was last seen alive. That is the file's modification time (each heartbeat touches it), so
every process that finds the file builds the same event, byte for byte, and the service stores one. If the wrapper had
reported the end but was killed before it deleted its file, its end is later than the ABORT, and the later one counts.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from data_platform.legacy.process_liveness import is_alive, machine, mark_of
from data_platform.legacy.spool import SPARK, write_whole
from data_platform.openlineage.legacy_event import run_event

if TYPE_CHECKING:
    from data_platform.legacy.spool import Spool

_FOLDER = "running"
UNKNOWN_END = (
    "the wrapper and its command are gone, and nobody saw how the command ended; last seen at the event's time"
)


class Mark:
    """The file of one wrapper. Write errors are ignored: the job matters more."""

    def __init__(self, spool: Spool, process: str, run_id: str) -> None:
        self._folder = os.path.join(spool.folder, _FOLDER)
        self._name = f"{run_id}.{os.getpid()}.json"
        self._facts = {"process": process, "run_id": run_id, "machine": machine(), "wrapper": mark_of(os.getpid())}

    def set(self, started: datetime, child: int | None = None) -> None:
        """Writes the file before the command starts, and again with the command's process once it runs."""
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
    """Writes an ABORT to the spool for each command of this machine that is gone together with its wrapper.

    Then it moves to the spool what Spark of ended commands reported.

    Raises:
        OSError: The spool cannot be written; the next process tries again.
    """
    _abort_unseen(spool)
    if os.path.isdir(os.path.join(spool.folder, SPARK)):
        from data_platform.legacy.spark_events import release  # imported late: few jobs are Spark's

        release(spool)


def _abort_unseen(spool: Spool) -> None:
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
            continue  # only its own machine can check it
        if facts["machine"] == here and any(is_alive(facts.get(key) or "") for key in ("wrapper", "child")):
            continue
        spool.keep(_abort(facts, seen))
        if os.path.isdir(os.path.join(spool.folder, SPARK)):
            from data_platform.legacy.spark_events import abandon

            abandon(spool, facts["run_id"])
        with suppress(FileNotFoundError):
            os.unlink(path)


def _read(path: str) -> tuple[dict[str, Any], float]:
    """Returns the file's content and modification time; empty if it is gone or not written by a wrapper."""
    with suppress(OSError, ValueError), open(path, "rb") as file:
        facts = json.load(file)
        if isinstance(facts, dict) and all(isinstance(facts.get(key), str) for key in ("process", "run_id", "started")):
            return facts, os.fstat(file.fileno()).st_mtime
    return {}, 0.0


def _abort(facts: dict[str, Any], seen: float) -> bytes:
    time = max(datetime.fromisoformat(facts["started"]), datetime.fromtimestamp(seen, UTC))
    event = run_event("ABORT", facts["process"], facts["run_id"], time=time, error=UNKNOWN_END)
    return json.dumps(event, separators=(",", ":")).encode()
