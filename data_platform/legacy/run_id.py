"""Derives which run of a process an event belongs to, if the caller does not pass an id.

In this order: the id that the caller passes; the run of the ``wrapper`` that runs this job; Autosys' own run number;
and else a new id that "started" creates and that the same shell reuses. This id is kept in memory, and in the spool's
``shell/`` under the calling process, so that all ``python -c …`` lines of a script and of its subshells report the same
run. Two consecutive runs of one script are two runs, since each reports "started".
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from data_platform.legacy.process_liveness import ancestors, machine
from data_platform.legacy.spool import write_whole
from data_platform.openlineage.legacy_event import ENDS

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "DATA_PLATFORM_RUN"
"""The wrapper sets it for its command: the process' key, a slash, and the run's id."""

_AUTOSYS_JOB, _AUTOSYS_RUN = "AUTO_JOB_NAME", "AUTORUN"
_AUTOSYS_MORE = ("AUTOSERV", "AUTO_NTRY")  # the instance; the attempt of the run, if the agent sets it
_NAMES = "8d5f3c1e-5a0b-4c55-9b0e-6f4f2a7c9d12"
_KEPT_SECONDS = 7 * 86_400

_run_ids: dict[tuple[str, str], str] = {}


def run_id_of(process: str, kind: str, environment: Mapping[str, str], folder: str, *, given: str | None = None) -> str:
    """Returns a UUID. A ``given`` text that is not a UUID is hashed to one, the same each time.

    Never raises: an id that cannot be written to disk is kept in this process' memory only.
    """
    if given:
        return _uuid(given) or uuid_from(process, given)
    wrapper_run = wrapped(environment)
    if wrapper_run and wrapper_run[0] == process:
        return wrapper_run[1]
    if environment.get(_AUTOSYS_JOB) and environment.get(_AUTOSYS_RUN):
        values = (environment.get(name, "") for name in (_AUTOSYS_JOB, _AUTOSYS_RUN, *_AUTOSYS_MORE))
        return uuid_from(process, *values)
    return _shell_run_id(process, kind, os.path.join(folder, "shell"))


def wrapped(environment: Mapping[str, str]) -> tuple[str, str] | None:
    """Returns process and run id of the wrapper that runs this job; None without a wrapper."""
    process, _, run_id = environment.get(VARIABLE, "").rpartition("/")
    return (process, run_id) if process and _uuid(run_id) else None


def uuid_from(*parts: str) -> str:
    import uuid  # not at the top: a job in the wrapper does not need it

    text = "\n".join(parts).encode(errors="replace").decode()
    return str(uuid.uuid5(uuid.UUID(_NAMES), text))


def new() -> str:
    """Returns a random UUID (version 4)."""
    number = int.from_bytes(os.urandom(16)) & ~(0xF << 76 | 0x3 << 62) | 4 << 76 | 2 << 62
    text = f"{number:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _uuid(text: str) -> str | None:
    """Returns ``text`` in lower case if it is a UUID, else None."""
    shaped = len(text) == 36 and [place for place, letter in enumerate(text) if letter == "-"] == [8, 13, 18, 23]
    return text.lower() if shaped and all(letter in "0123456789abcdefABCDEF-" for letter in text) else None


def _shell_run_id(process: str, kind: str, folder: str) -> str:
    if kind == "START":
        existing = None
        _sweep(folder)
    else:
        existing = _run_ids.get((folder, process)) or _find(process, folder)
    run_id = existing or new()
    if kind in ENDS:
        _run_ids.pop((folder, process), None)
        _forget(process, folder)
    else:
        _run_ids[folder, process] = run_id
        if not existing:
            _keep(process, folder, run_id)
    return run_id


def _names(process: str) -> list[str]:
    """Returns the file name that each ancestor process would have used, the nearest first."""
    here = machine()
    return [uuid_from(process, here, mark) for mark in ancestors()]


def _find(process: str, folder: str) -> str | None:
    for name in _names(process):
        with suppress(OSError), open(os.path.join(folder, name), encoding="ascii", errors="replace") as file:
            if run_id := _uuid(file.read().strip()):
                return run_id
    return None


def _keep(process: str, folder: str, run_id: str) -> None:
    with suppress(OSError):
        for name in _names(process)[:1]:
            write_whole(folder, name, run_id.encode())


def _forget(process: str, folder: str) -> None:
    """Deletes the nearest file, which is the one that ``_find`` returned."""
    for name in _names(process):
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))
            return


def _sweep(folder: str) -> None:
    """Deletes old files of scripts that never reported their end."""
    with suppress(OSError):
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if time.time() - os.stat(path).st_mtime > _KEPT_SECONDS:
                os.unlink(path)
