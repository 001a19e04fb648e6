"""Handles and environment that the command inherits from the process that started the wrapper, as they were then.

A scheduler may start a job with standard input, output or error closed. The next file that the wrapper opens would then
get that number, and the command would read or write the wrapper's own pipe. So each closed number is occupied by
``/dev/null`` for the wrapper alone; the command finds it closed, as it would without a wrapper.

Python itself sets ``LC_CTYPE`` in its environment where the locale is C (PEP 538). The command
gets the value from before.
"""

from __future__ import annotations

import os
from contextlib import suppress

STANDARD_ERROR = 2
_STANDARD = (0, 1, STANDARD_ERROR)
_SET_BY_PYTHON = "LC_CTYPE"


def occupy_closed_handles() -> frozenset[int]:
    """Returns the standard handles that were closed. Call it before anything else opens a file."""
    closed = frozenset(handle for handle in _STANDARD if _is_closed(handle))
    for handle in sorted(closed):
        with suppress(OSError):  # without /dev/null, as in a bare chroot, the number stays free
            opened = os.open(os.devnull, os.O_RDWR)
            if opened != handle:
                os.dup2(opened, handle, inheritable=False)
                os.close(opened)
    return closed


def _is_closed(handle: int) -> bool:
    try:
        os.fstat(handle)
    except OSError:
        return True
    return False


def inherited_environment() -> dict[str, str]:
    """Returns the environment that this process was started with."""
    environment = dict(os.environ)
    with suppress(OSError), open("/proc/self/environ", "rb") as file:
        original = dict(entry.partition(b"=")[::2] for entry in file.read().split(b"\0"))
        before = original.get(_SET_BY_PYTHON.encode())
        environment.pop(_SET_BY_PYTHON, None)
        if before is not None:
            environment[_SET_BY_PYTHON] = os.fsdecode(before)
    return environment
