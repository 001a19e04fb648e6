"""Folders beside a delivery's own that may hold the rest of it: another case, a time or a number behind the day."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from data_platform.ingestion.landing import HIDDEN, shown
from data_platform.ingestion.selection import is_ignored, matches
from data_platform.model.day_pattern import has_day

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from data_platform.ingestion.selection import Neighbour
    from data_platform.model.source import Source


def near_names(root: Path, dated: Source) -> str:
    """Why the delivery's folder is not there: what is missing, and what nearly fits."""
    if not root.is_dir():
        found = "is not a folder" if root.exists() else "is not there"
        return f"{root.name}: the landing folder {found}; make it, or name another as DATA_PLATFORM_LANDING"
    folder = root
    for part in dated.path.strip("/").split("/"):
        if (folder / part).is_dir():
            folder /= part
            continue
        where = f"{shown(dated.path.strip('/').rpartition('/')[2])}: "
        if (folder / part).is_symlink() or (folder / part).exists():
            return f"{where}{part} is not a folder; the delivery's files are to lie in one"
        near = [name for name in sorted(os.listdir(folder)) if name.casefold().startswith(part.casefold())]
        hint = f"; there is {', '.join(map(shown, near[:5]))}" if near else "; the delivery may still be on its way"
        return f"{where}the folder is not there{hint}"
    return ""


def stray_folders(root: Path, policy: Source, dated: Source, others: Sequence[Neighbour]) -> dict[str, str]:
    """Folders beside the delivery's own whose names begin with its day, or differ from its name in case only."""
    path = dated.path.strip("/")
    above, _, own = path.rpartition("/")
    pattern = policy.path.strip("/").rpartition("/")[2]
    found = {}
    for name in sorted(os.listdir(root / above)):
        lower = name.casefold()
        begins = lower.startswith(own.casefold()) if has_day(pattern) else lower == own.casefold()
        if name == own or not begins or name.startswith(HIDDEN) or matches(pattern, name):
            continue
        if is_ignored(policy, name) or not (root / above / name).is_dir():
            continue
        full = f"{above}/{name}".lstrip("/")
        if any(matches(other.arrival.path.strip("/"), full) for other in others):
            continue
        found[name] = (
            f"it lies beside {own} and may hold the rest of the delivery; move its files, or name it in source.ignore"
        )
    return found
