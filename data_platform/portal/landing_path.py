"""The path of deliveries that somebody enters: below the landing folder, and not more than one page may start.

It never leads elsewhere: neither by its own parts nor by a link in it or below it. What lies outside is neither read
nor said to exist.
"""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from data_platform.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 10 * 1024**3
MOST_FILES = 20_000
MOST_SHOWN = 200
_FIELD = "path"


def delivered(landing: Path, given: str) -> str:
    """The path relative to ``landing``, of a file or folder that is there.

    Raises:
        InputError: It is not below ``landing``, or has more than the service profiles.
    """
    parts = PurePosixPath(given.strip())
    if not parts.parts or parts.is_absolute() or ".." in parts.parts or not given.isprintable():
        raise InputError(_FIELD, "expected a path in the landing folder, such as orders or orders/2026-02-14.csv")
    root = landing.resolve()
    path = root / parts
    try:
        is_there = path.exists() and root in path.resolve().parents
    except OSError:  # a name that is too long, or a loop of links
        is_there = False
    if not is_there:
        raise InputError(_FIELD, f"the landing folder has no {shortened(given)}: deliver its files first")
    _check_size(root, path)
    return path.relative_to(root).as_posix()


def shortened(text: str, most: int = 80) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def landing_folders(landing: Path) -> tuple[str, ...]:
    """The first folders of ``landing``, to choose from."""
    try:
        with os.scandir(landing) as entries:
            names = [one.name for one in entries if one.is_dir() and not one.name.startswith((".", "_"))]
    except OSError:
        return ()
    return tuple(sorted(names)[:MOST_SHOWN])


def _check_size(root: Path, path: Path) -> None:
    """Raises: InputError, for too many files or bytes, and for a link that leads outside."""
    files = size = 0
    for file in _entries(path):
        if file.is_symlink() and root not in file.resolve().parents:
            problem = f"{shortened(file.name)} is a link that leads out of the landing folder: deliver the file itself"
            raise InputError(_FIELD, problem)
        if file.is_file():
            files += 1
            size += file.stat().st_size
        if files > MOST_FILES or size > MOST_BYTES:
            raise InputError(
                _FIELD,
                f"it has more than {MOST_FILES:,} files or {MOST_BYTES // 1024**3} GiB, the most that a page starts: "
                "name a smaller folder, or run `data-platform onboard` on the service's machine",
            )


def _entries(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    for folder, folders, files in os.walk(path):
        yield from (Path(folder) / name for name in (*folders, *files))
