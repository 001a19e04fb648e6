"""The files of a policies folder; a file that is never read is a problem, so that a typo in its name is noticed.

Hidden files and ``*.md`` may be anywhere. ``schemas`` is for editors; ``mapping`` reads ``legacy``.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.policies.problem import Problem, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

ROOT_NAMES = ("datasets", "processes", "groups", "platform.yaml", "schemas", "legacy")
DATASET_NAMES = ("dataset.yaml", "policy_bundle.yaml", "baseline.json", "freshness.yaml")


@dataclass(frozen=True)
class Layout:
    """``datasets`` are folders, by zone and name; ``processes``, ``queries`` and ``groups`` are files."""

    root: Path
    datasets: tuple[Path, ...]
    processes: tuple[Path, ...]
    queries: tuple[Path, ...]
    groups: tuple[Path, ...] = ()

    def name(self, path: Path) -> str:
        """``path`` as it appears in problems: relative to the parent of the policies folder."""
        return path.relative_to(self.root.parent).as_posix()


def read_layout(root: Path, problems: list[Problem]) -> Layout:
    """The files below ``root``; none, with a problem added, if the folder cannot be read."""
    try:
        root = root.resolve()
        if not root.is_dir():
            raise NotADirectoryError(0, f"there is no such folder: {root}")
        return _read_layout(root, problems)
    except (OSError, RuntimeError) as error:  # RuntimeError: a symlink to itself
        why = (error.strerror if isinstance(error, OSError) else "") or "a symlink to itself"
        text = f"{why}; set DATA_PLATFORM_POLICIES to the folder of the policies, which this user can read"
        problems.append(Problem(root.name, 0, "", text))
        return Layout(root, (), (), ())


def _read_layout(root: Path, problems: list[Problem]) -> Layout:
    zones = _visible(root / "datasets")
    datasets = tuple(folder for zone in zones if zone.is_dir() for folder in _visible(zone) if folder.is_dir())
    files = _visible(root / "processes")
    groups = _visible(root / "groups")
    layout = Layout(
        root, datasets, _with_suffix(files, ".yaml"), _with_suffix(files, ".sql"), _with_suffix(groups, ".yaml")
    )
    problems.extend(_unexpected(layout, _visible(root), ROOT_NAMES))
    problems.extend(_misplaced(layout, zones))
    for folder in datasets:
        problems.extend(_unexpected(layout, _visible(folder), DATASET_NAMES))
    for path in files:
        if path not in layout.processes and path not in layout.queries:
            problems.append(
                Problem(layout.name(path), 0, "", "not a file of a process; allowed: <process>.yaml, *.sql")
            )
    problems.extend(
        Problem(layout.name(path), 0, "", "not a file of a group; allowed: <group>.yaml")
        for path in groups
        if path not in layout.groups
    )
    return layout


def stamp_of(root: Path) -> str:
    """A stamp of the names, sizes and times of all files below ``root``: it changes if somebody edits a file."""
    files = sorted((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in _files(root))
    return hashlib.sha256(repr(files).encode()).hexdigest()


def _files(root: Path) -> Iterator[Path]:
    for path in root.rglob("*"):
        if path.is_file() and not path.name.startswith("."):
            yield path


def unread_queries(layout: Layout, read: Iterable[str]) -> Iterator[Problem]:
    """Queries that no process names. ``read`` are the names of those that a process does name."""
    named = set(read)
    for path in layout.queries:
        if layout.name(path) not in named:
            yield Problem(layout.name(path), 0, "", "no step names this file; name it as sql_file, or remove it")


def _unexpected(layout: Layout, paths: Iterable[Path], allowed: tuple[str, ...]) -> Iterator[Problem]:
    for path in paths:
        if path.name not in allowed:
            text = f"not an expected name; allowed: {', '.join(allowed)}{did_you_mean(path.name, allowed)}"
            yield Problem(layout.name(path), 0, "", text)


def _misplaced(layout: Layout, zones: Iterable[Path]) -> Iterator[Problem]:
    for zone in zones:
        for path in [zone] if not zone.is_dir() else _visible(zone):
            if not path.is_dir():
                yield Problem(
                    layout.name(path), 0, "", "a file in a place for folders; expected datasets/<zone>/<name>/"
                )


def _visible(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return sorted(path for path in folder.iterdir() if not path.name.startswith(".") and path.suffix != ".md")


def _with_suffix(paths: Iterable[Path], suffix: str) -> tuple[Path, ...]:
    return tuple(path for path in paths if path.suffix == suffix and path.is_file())
