"""The owner of a lease: a run and its process, so that the next run can detect whether that process is alive.

A process is identified by its number and its start time, since numbers are reused, and a machine by its boot and its
process namespace, since host names may be duplicates. The state of a remote process cannot be detected; there only the
end of its lease counts.
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


def this_process(run_id: str) -> str:
    """``run_20260215_1f0c9a2b77d4@host:4711:88213:5be1f00d``: run, host, process, its start, boot and namespace."""
    pid = os.getpid()
    start = _start_of(pid)
    process = f":{start}:{_place()}" if start is not None else ""
    return f"{run_id}@{socket.gethostname()}:{pid}{process}"


def is_dead(owner: str) -> bool:
    """Whether the owner was a process of this machine that has ended. For another machine this is unknown: False."""
    match = _FORM.fullmatch(owner)
    if match is None:
        return False
    pid, start, place = int(match["pid"]), match["start"], match["place"]
    if place is None:
        return match["host"] == socket.gethostname() and not _exists(pid)
    if place != _place():
        return False
    return _start_of(pid) != int(start)


def described(owner: str) -> str:
    """``run_20260215_1f0c9a2b77d4 on host (process 4711)``."""
    match = _FORM.fullmatch(owner)
    return owner if match is None else f"{match['run']} on {match['host']} (process {match['pid']})"


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _start_of(pid: int) -> int | None:
    """The start in ticks since the boot; None if there is no such process, or it has ended and is a zombie."""
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the process name before it may contain anything
    return None if fields[0] in "ZX" else int(fields[19])


@cache
def _place() -> str:
    """Identifies this boot of this machine and the process namespace: containers number their processes separately."""
    identity = []
    with suppress(OSError):
        identity.append((_PROC / "sys/kernel/random/boot_id").read_text().strip())
        identity.append(str((_PROC / "self/ns/pid").readlink()))
    return hashlib.sha256("\n".join([*identity, socket.gethostname()]).encode()).hexdigest()[:16]
