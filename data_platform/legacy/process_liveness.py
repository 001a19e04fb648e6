"""Which processes are alive. A number alone does not say it, since the system uses numbers again: its birth does.

Births are read from Linux' ``/proc``. Elsewhere a process is its number.
"""

from __future__ import annotations

import os

_DEEPEST = 32
_PARENT, _BIRTH = 1, 19  # fields of /proc/…/stat after the name


def mark_of(pid: int) -> str | None:
    """``pid-birth``, the same for as long as the process lives; None if there is none."""
    fields = _fields(pid)
    if fields is None:
        return None if os.path.isdir("/proc/self") or not _answers(pid) else str(pid)
    return None if fields[0] in ("Z", "X") else f"{pid}-{fields[_BIRTH]}"


def is_alive(mark: str) -> bool:
    pid = mark.partition("-")[0]
    return pid.isdecimal() and mark_of(int(pid)) == mark


def ancestors() -> list[str]:
    """Marks of the parent, its parent, and so on, without the first process of the machine."""
    found: list[str] = []
    pid = os.getppid()
    while pid > 1 and len(found) < _DEEPEST and (mark := mark_of(pid)):
        found.append(mark)
        fields = _fields(pid)
        pid = int(fields[_PARENT]) if fields else 0
    return found


def machine() -> str:
    """This machine since it was last started."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
    except OSError:
        boot = ""
    return f"{os.uname().nodename} {boot}"


def _fields(pid: int) -> list[str] | None:
    """What stands behind the process' name, which may hold blanks and parentheses."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()
    except OSError:
        return None


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
