"""Determines which processes are alive. The system reuses process ids, so a process is its id and its start time.

Start times are read from Linux' ``/proc``. On other systems a process is its id alone.
"""

from __future__ import annotations

import os

_DEEPEST = 32
_PARENT, _START_TIME = 1, 19  # fields of /proc/…/stat after the name


def mark_of(pid: int) -> str | None:
    """Returns ``pid-starttime``, which stays the same while the process is alive; None if there is no such process."""
    fields = _fields(pid)
    if fields is None:
        return None if os.path.isdir("/proc/self") or not _exists(pid) else str(pid)
    return None if fields[0] in ("Z", "X") else f"{pid}-{fields[_START_TIME]}"


def is_alive(mark: str) -> bool:
    pid = mark.partition("-")[0]
    return pid.isdecimal() and mark_of(int(pid)) == mark


def ancestors() -> list[str]:
    """Returns the marks of the parent, its parent, and so on, without the first process of the machine."""
    marks: list[str] = []
    pid = os.getppid()
    while pid > 1 and len(marks) < _DEEPEST and (mark := mark_of(pid)):
        marks.append(mark)
        fields = _fields(pid)
        pid = int(fields[_PARENT]) if fields else 0
    return marks


def machine() -> str:
    """Returns a name of this machine that changes at each boot."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
    except OSError:
        boot = ""
    return f"{os.uname().nodename} {boot}"


def _fields(pid: int) -> list[str] | None:
    """Returns the fields after the process' name, which may contain blanks and parentheses."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
