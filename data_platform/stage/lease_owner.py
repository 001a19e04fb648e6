"""Who holds a lease: a run and the process it lives in, so that the next one can see whether that still lives.

A process is known by its number and the moment it started, since numbers are used again, on a machine that is known by
its boot and its process namespace, since names of hosts are given twice. Of a process elsewhere nothing can be seen;
there only the end of its lease counts.
"""

from __future__ import annotations

import hashlib
import os
import re
import socket
from contextlib import suppress
from functools import cache
from pathlib import Path

_FORM = re.compile(r"(?P<run>.*)@(?P<host>.*?):(?P<pid>\d+)(?::(?P<start>\d+):(?P<place>[0-9a-f]+))?")
_PROC = Path("/proc")


def of(run_id: str) -> str:
    """``run_20260215_1f0c9a2b77d4@host:4711:88213:5be1f00d``: run, host, process, its start, boot and namespace."""
    pid = os.getpid()
    start = _start_of(pid)
    known = f":{start}:{_place()}" if start is not None else ""
    return f"{run_id}@{socket.gethostname()}:{pid}{known}"


def is_dead(holder: str) -> bool:
    """Whether the holder was a process of this machine that is no more. Of another machine nobody can tell: False."""
    found = _FORM.fullmatch(holder)
    if found is None:
        return False
    pid, start, place = int(found["pid"]), found["start"], found["place"]
    if place is None:
        return found["host"] == socket.gethostname() and not _exists(pid)
    if place != _place():
        return False
    return _start_of(pid) != int(start)


def described(holder: str) -> str:
    """``run_20260215_1f0c9a2b77d4 on host (process 4711)``."""
    found = _FORM.fullmatch(holder)
    return holder if found is None else f"{found['run']} on {found['host']} (process {found['pid']})"


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _start_of(pid: int) -> int | None:
    """In ticks since the boot; None if there is no such process, or only what is left of one that ended."""
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the name before it may hold anything
    return None if fields[0] in "ZX" else int(fields[19])


@cache
def _place() -> str:
    """This boot of this machine, as this process sees its processes: containers of one machine number theirs apart."""
    known = []
    with suppress(OSError):
        known.append((_PROC / "sys/kernel/random/boot_id").read_text().strip())
        known.append(str((_PROC / "self/ns/pid").readlink()))
    return hashlib.sha256("\n".join([*known, socket.gethostname()]).encode()).hexdigest()[:16]
