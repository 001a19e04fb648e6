"""Finds folders beside a delivery's own that may hold the rest of it: another case, or a suffix after the day."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from data_platform.ingestion.landing.folder import HIDDEN, shown
from data_platform.ingestion.landing.pattern import is_ignored, matches
from data_platform.model.partition_path import has_partition

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from data_platform.ingestion.landing.selection import Neighbour
    from data_platform.model.source import Source


def missing_folder_reason(root: Path, dated: Source) -> str:
    """Why the delivery's folder does not exist: the missing part, and similar names."""
    if not root.is_dir():
        problem = "is not a folder" if root.exists() else "does not exist"
        return f"{root.name}: the landing folder {problem}; create it, or set DATA_PLATFORM_LANDING to another"
    folder = root
    for part in dated.path.strip("/").split("/"):
        if (folder / part).is_dir():
            folder /= part
            continue
        where = f"{shown(dated.path.strip('/').rpartition('/')[2])}: "
        if (folder / part).is_symlink() or (folder / part).exists():
            return f"{where}{part} is not a folder; the delivery's files must be in one"
        near = [name for name in sorted(os.listdir(folder)) if name.casefold().startswith(part.casefold())]
        hint = f"; there is {', '.join(map(shown, near[:5]))}" if near else "; the delivery may still be on its way"
        return f"{where}the folder does not exist{hint}"
    return ""


def folders_beside(root: Path, policy: Source, dated: Source, others: Sequence[Neighbour]) -> dict[str, str]:
    """Folders beside the delivery's own whose names start with its day, or differ from its name only in case."""
    patterns, parts = policy.path.strip("/").split("/"), dated.path.strip("/").split("/")
    folders = {}
    for place, (pattern, own) in enumerate(zip(patterns, parts, strict=True)):
        last = place == len(parts) - 1
        if not last and not has_partition(pattern):
            continue
        above, below = root.joinpath(*parts[:place]), parts[place + 1 :]
        for name in sorted(os.listdir(above)):
            full = "/".join([*parts[:place], name, *below])
            if not _is_near(name, own, pattern) or not above.joinpath(name, *below).is_dir():
                continue
            if is_ignored(policy, name) or any(matches(other.arrival.path.strip("/"), full) for other in others):
                continue
            folders[name] = (
                f"it is beside {own} and may contain the rest of the delivery; move its files, or name it in "
                "source.ignore"
            )
    return folders


def _is_near(name: str, own: str, pattern: str) -> bool:
    if name == own or name.startswith(HIDDEN) or matches(pattern, name):
        return False
    lower = name.casefold()
    return lower.startswith(own.casefold()) if has_partition(pattern) else lower == own.casefold()
