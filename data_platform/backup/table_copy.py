"""Which files of a Delta table belong to the state that the catalog has: its log up to a version, and all data files.

Data files are never changed, so one is copied, or linked if an earlier backup has it. The log is read before the data
files are: whatever it names exists by then.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    Known = Callable[[dict[str, Any]], bool]
    """Whether the catalog knows the run of a commit with this note."""

LOG = "_delta_log"
_LAST_CHECKPOINT = "_last_checkpoint"
_COMMIT = re.compile(r"(\d{20})\.json")
_OF_VERSION = re.compile(r"\.?(\d{20})\.")


def tables_below(folder: Path) -> list[Path]:
    return sorted(log.parent for log in folder.rglob(LOG) if log.is_dir())


def last_version(table: Path, *, since_ms: int, is_known: Known) -> int:
    """The last version that belongs to a catalog read at ``since_ms``, in milliseconds; -1 if none does.

    Commits made later by runs that the catalog does not know are left out: their runs began after it was read.
    """
    versions = sorted(int(match[1]) for file in (table / LOG).iterdir() if (match := _COMMIT.fullmatch(file.name)))
    while versions:
        written_at, note = _commit(table / LOG / f"{versions[-1]:020d}.json")
        if written_at <= since_ms or is_known(note):
            return versions[-1]
        versions.pop()
    return -1


def log_files(table: Path, last: int) -> Iterator[Path]:
    """The files of the log that are about no later version than ``last``."""
    newest = max((int(m[1]) for f in (table / LOG).iterdir() if (m := _COMMIT.fullmatch(f.name))), default=-1)
    for file in sorted((table / LOG).rglob("*")):
        match = _OF_VERSION.match(file.name)
        if not file.is_file() or (match and int(match[1]) > last):
            continue
        if last < newest and _LAST_CHECKPOINT in file.name:
            continue  # it may name a checkpoint that is left out; Delta finds the others without it
        yield file


def _commit(path: Path) -> tuple[int, dict[str, Any]]:
    """When it was written, in milliseconds, and its note."""
    for line in path.read_text().splitlines():
        if '"commitInfo"' in line and "commitInfo" in (action := json.loads(line)):
            info = action["commitInfo"]
            try:
                note = json.loads(info.get("userMetadata") or "{}")
            except ValueError:
                note = {}
            return int(info.get("timestamp", 0)), note if isinstance(note, dict) else {}
    return int(path.stat().st_mtime * 1000), {}
