"""Matches names with the patterns of a policy: ``source.files`` selects, ``source.ignore`` excludes."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from data_platform.model.packing import PACKED
from data_platform.model.partition_path import name_matcher
from data_platform.model.source import Source

if TYPE_CHECKING:
    from data_platform.model.source import Arrival
    from data_platform.model.source_format import SourceFormat

UNFINISHED = (
    ".tmp", ".temp", ".part", ".partial", ".filepart", ".crdownload", ".swp", ".swo", ".inprogress", ".in_progress",
    ".incomplete", ".pending", ".writing", ".upload", ".uploading", ".download", ".copying", "._copying_", ".!ut",
    ".aria2", "~",
)  # fmt: skip
"""Endings of files that tools rename when they are complete, or leave behind."""


def selects(arrival: Arrival, name: str) -> bool:
    """Whether ``name`` matches ``files``, or is a part file, as Spark writes them, in a folder that matches."""
    if _matches_files(arrival, name):
        return True
    folder, _, last = name.rpartition("/")
    return (
        bool(folder)
        and isinstance(arrival, Source)
        and _matches_files(arrival, folder)
        and has_format(last, arrival.format)
    )


def is_ignored(arrival: Arrival, name: str) -> bool:
    """Whether ``source.ignore`` matches; a pattern without a folder matches anywhere, a folder matches all in it."""
    if not isinstance(arrival, Source) or not arrival.ignore:
        return False
    parts = name.split("/")
    paths = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    return any(matches(p.rstrip("/"), path) for p in arrival.ignore for path in [*paths, *parts])


def has_format(name: str, kind: SourceFormat) -> bool:
    """Whether the ending of ``name``, in any case, is one of the format; a zip may contain any compressible format."""
    endings = kind.traits.endings
    if kind.traits.is_compressible:
        endings = (*endings, ".zip", *(ending + packed for ending in endings for packed in PACKED))
    return name.lower().endswith(endings)


def matches(pattern: str, name: str, *, fold: bool = False) -> bool:
    """Matches as a shell does; ``**`` is any folders, ``{partition}`` any partition. ``fold`` ignores case."""
    return _match(pattern.split("/"), name.split("/"), fold)


def _match(pattern: list[str], name: list[str], fold: bool) -> bool:  # noqa: FBT001
    if not pattern:
        return not name
    if pattern[0] == "**":
        return _match(pattern[1:], name, fold) or (bool(name) and _match(pattern, name[1:], fold))
    if not name or not part_matcher(pattern[0], fold).fullmatch(name[0]):
        return False
    return _match(pattern[1:], name[1:], fold)


@lru_cache(maxsize=4096)
def part_matcher(part: str, fold: bool) -> re.Pattern[str]:  # noqa: FBT001
    matcher = name_matcher(part)
    return re.compile(matcher.pattern, re.IGNORECASE) if fold else matcher


def _matches_files(arrival: Arrival, name: str) -> bool:
    if arrival.files or not isinstance(arrival, Source):
        return matches(arrival.files, name)
    return "/" not in name and has_format(name, arrival.format)
