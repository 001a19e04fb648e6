"""Who holds a lease: a run, and the process it lives in, so that the next one can see whether it still does."""

from __future__ import annotations

import os
import socket


def of(run_id: str) -> str:
    """``run_20260215_1f0c9a2b77d4@host:4711``."""
    return f"{run_id}@{socket.gethostname()}:{os.getpid()}"


def is_dead(holder: str) -> bool:
    """Whether the holder was a process of this machine that is no more. Of another machine nobody can tell: False."""
    _, _, place = holder.partition("@")
    host, _, pid = place.rpartition(":")
    if host != socket.gethostname() or not pid.isdigit():
        return False
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
