"""Files and folders that only their owner can use, whatever the umask is.

An existing one with a wider mode is tightened if it is ours; if another user owns it, a warning is logged once.
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
    """Creates ``path`` with mode 0700, or removes the rights of others; with ``group`` an existing group keeps its own.

    Raises:
        OSError: It cannot be made.
    """
    missing = not path.exists()
    path.mkdir(parents=True, exist_ok=True)
    _tighten(path, _STRANGERS if group and not missing else _OTHERS)


def private_file(path: Path) -> None:
    """Creates ``path``, empty, with mode 0600, or removes the rights of others.

    Raises:
        OSError: It cannot be made.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    _tighten(path, _OTHERS)


def keep_file_private(path: Path) -> None:
    """Removes the rights of others from an existing file."""
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
