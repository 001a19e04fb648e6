"""Files and folders for their owner only, whatever the umask is.

What exists with a wider mode is tightened if it is ours, and else warned of once: another user made it so.
"""

from __future__ import annotations

import logging
import os
import stat
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

LOG = logging.getLogger(__name__)
_OTHERS = 0o077
_STRANGERS = 0o007
_warned: set[str] = set()


def private_folder(path: Path, *, group: bool = False) -> None:
    """Make ``path`` with mode 0700, or take the others' rights away; with ``group`` an existing one keeps its group's.

    Raises:
        OSError: It cannot be made.
    """
    missing = not path.exists()
    path.mkdir(parents=True, exist_ok=True)
    _tighten(path, _STRANGERS if group and not missing else _OTHERS)


def private_file(path: Path) -> None:
    """Make ``path``, empty, with mode 0600, or take the others' rights away.

    Raises:
        OSError: It cannot be made.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    _tighten(path, _OTHERS)


def _tighten(path: Path, rights: int) -> None:
    mode = stat.S_IMODE(path.stat().st_mode)
    if not mode & rights:
        return
    try:
        path.chmod(mode & ~rights)
    except OSError:  # not ours, or on a disk that is read only
        if str(path) not in _warned:
            _warned.add(str(path))
            LOG.warning("others may read %s (mode %o), and it is not ours to change: ask its owner to", path, mode)
