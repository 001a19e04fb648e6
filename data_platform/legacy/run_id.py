"""Which run of a process an event is about, where nobody says so.

In this order: the id that the caller gives; the run that ``wrapper`` has put round this job; Autosys' own run number;
and else one that "started" makes and that the same shell finds again. That one is kept in memory, and in the spool's
``shell/`` under the process that called, so that a script's ``python -c …`` lines speak of one run, and so do those of
a subshell. Two runs of one script, one after the other, are two runs, since each says "started".
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
"""Set by the wrapper for what it runs: the process' key, a slash, and the run's id."""

_AUTOSYS_JOB, _AUTOSYS_RUN = "AUTO_JOB_NAME", "AUTORUN"
_AUTOSYS_MORE = ("AUTOSERV", "AUTO_NTRY")  # the instance; which attempt of the run, where the agent says so
_NAMES = "8d5f3c1e-5a0b-4c55-9b0e-6f4f2a7c9d12"
_KEPT_SECONDS = 7 * 86_400

_known: dict[tuple[str, str], str] = {}


def run_id_of(process: str, kind: str, environment: Mapping[str, str], folder: str, *, given: str | None = None) -> str:
    """A UUID. A ``given`` text that is none becomes one, the same each time.

    Raises:
        OSError: Nothing; what cannot be kept is remembered by this process alone.
    """
    if given:
        return _uuid(given) or made_of(process, given)
    around = wrapped(environment)
    if around and around[0] == process:
        return around[1]
    if environment.get(_AUTOSYS_JOB) and environment.get(_AUTOSYS_RUN):
        words = (environment.get(name, "") for name in (_AUTOSYS_JOB, _AUTOSYS_RUN, *_AUTOSYS_MORE))
        return made_of(process, *words)
    return _of_shell(process, kind, os.path.join(folder, "shell"))


def wrapped(environment: Mapping[str, str]) -> tuple[str, str] | None:
    """Process and run that the wrapper has put round this job."""
    process, _, run_id = environment.get(VARIABLE, "").rpartition("/")
    return (process, run_id) if process and _uuid(run_id) else None


def made_of(*words: str) -> str:
    import uuid  # not at the top: a job in the wrapper needs none of it

    text = "\n".join(words).encode(errors="replace").decode()
    return str(uuid.uuid5(uuid.UUID(_NAMES), text))


def new() -> str:
    """A random UUID (version 4)."""
    number = int.from_bytes(os.urandom(16)) & ~(0xF << 76 | 0x3 << 62) | 4 << 76 | 2 << 62
    text = f"{number:032x}"
    return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))


def _uuid(text: str) -> str | None:
    """``text`` in small letters, if it is one."""
    shaped = len(text) == 36 and [place for place, letter in enumerate(text) if letter == "-"] == [8, 13, 18, 23]
    return text.lower() if shaped and all(letter in "0123456789abcdefABCDEF-" for letter in text) else None


def _of_shell(process: str, kind: str, folder: str) -> str:
    if kind == "START":
        found = None
        _sweep(folder)
    else:
        found = _known.get((folder, process)) or _find(process, folder)
    run_id = found or new()
    if kind in ENDS:
        _known.pop((folder, process), None)
        _forget(process, folder)
    else:
        _known[folder, process] = run_id
        if not found:
            _keep(process, folder, run_id)
    return run_id


def _names(process: str) -> list[str]:
    """Of the file that each process above this one would have kept, the nearest first."""
    here = machine()
    return [made_of(process, here, mark) for mark in ancestors()]


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
    """The nearest one, which is the one that was found."""
    for name in _names(process):
        with suppress(OSError):
            os.unlink(os.path.join(folder, name))
            return


def _sweep(folder: str) -> None:
    """Of scripts that never said how they ended."""
    with suppress(OSError):
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if time.time() - os.stat(path).st_mtime > _KEPT_SECONDS:
                os.unlink(path)
