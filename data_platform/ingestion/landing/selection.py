"""Decides which files of a folder belong to the delivery, for bronze, completion markers and digests.

Every file is one of three: *data*; *skipped*, ignored for a reason in the policy or the docs; or *unexpected*, which
blocks the day. An ignored file that looks like data also causes a warning.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.ingestion.landing.folder import HIDDEN, Files, Tree, is_text
from data_platform.ingestion.landing.pattern import UNFINISHED, is_ignored, matches, part_matcher, selects
from data_platform.ingestion.landing.unexpected import leftover_reason, why_unexpected
from data_platform.model.partition_path import has_partition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.source import Arrival, Source

_TABLE_FOLDERS = {
    "_delta_log": "it is a Delta table, and not all its files belong to its current version; have files delivered",
    "_spark_metadata": "a Spark stream wrote it, and not all its files are valid; have a batch's files delivered",
    ".hoodie": "it is a Hudi table, and not all its files belong to its current version; have files delivered",
    "_temporary": "a Spark job is still writing to it, or died; wait for it, or remove its files",
}
_EMPTY_MARKERS = (".done", ".ok", ".ready", ".complete", ".completed", ".success", ".finished", ".flag", ".trg", ".go")
_DIGESTS = (".md5", ".sha1", ".sha256", ".sha512", ".crc", ".asc", ".sig")
CHECKSUM = "a checksum or signature of the file beside it"
_BROWSER_FILES = ("thumbs.db", "desktop.ini")
_UPLOAD = re.compile(r"(.+)\.[A-Za-z0-9]{6}")  # rsync writes .orders.csv.Xy12Ab until the whole file is there
_OR_IGNORE = "or name it in source.ignore"


@dataclass
class Selection:
    """Names relative to the delivery's folder; all but ``data`` map a name to the reason. ``warned`` is not data."""

    data: list[str] = field(default_factory=list)
    unexpected: dict[str, str] = field(default_factory=dict)
    warned: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Neighbour:
    """Another dataset that may have files in the same folder."""

    urn: str
    arrival: Arrival


def select(tree: Tree, source: Source, partition: PartitionKey | None, others: Sequence[Neighbour] = ()) -> Selection:
    """Selects the files of ``partition``; ``source`` is the one of the policy, with no partition in its names yet."""
    dated, selection = source.on(partition), Selection()
    for name in sorted(tree.files):
        _classify(name, tree.files, source, dated, others, selection)
    for name, reason in tree.refused.items():
        _refuse(selection, name, reason, source)
    for name in tree.hidden:
        if reason := _TABLE_FOLDERS.get(_last(name), ""):
            _refuse(selection, name, reason, source)
        elif not is_ignored(source, name):
            selection.warned[name] = "a hidden folder, skipped; give it a name without . or _ if it has data"
    return selection


def is_data(name: str, arrival: Arrival, marker: str) -> bool:
    """Whether ``name`` is data. A marker that matches as data is data: then unchanged files must prove completeness."""
    if is_unfinished(_last(name)) or is_ignored(arrival, name) or _is_leftover(_last(name), arrival):
        return False
    return selects(arrival, name) if arrival.glob else name != marker


def is_unfinished(name: str) -> bool:
    """Whether the file is hidden, or still being written."""
    return name.startswith(HIDDEN) or name.lower().endswith(UNFINISHED)


def _is_leftover(last: str, arrival: Arrival) -> bool:
    """Whether an editor left the file, unless the pattern selects exactly such names."""
    return bool(leftover_reason(last)) and not leftover_reason(_last(arrival.files))


def _classify(
    name: str, files: Files, source: Source, dated: Source, others: Sequence[Neighbour], selection: Selection
) -> None:
    last = _last(name)
    if is_ignored(source, name):
        selection.skipped[name] = "source.ignore names it"
    elif not is_text(name):
        selection.unexpected[name] = "its name is not UTF-8; have it renamed"
    elif last.startswith(HIDDEN):
        _classify_hidden(name, dated, selection)
    elif not is_unfinished(last) and selects(dated, name) and not _is_leftover(last, dated):
        selection.data.append(name)
    elif reason := _skip_reason(name, files, source, others):
        selection.skipped[name] = reason
    else:
        selection.unexpected[name] = f"{why_unexpected(name, dated)}, {_OR_IGNORE}"


def _classify_hidden(name: str, dated: Source, selection: Selection) -> None:
    folder, _, last = name.rpartition("/")
    visible = f"{folder}/{last.lstrip('._')}".lstrip("/")
    if selects(dated, _finished(visible)) and _finished(visible) != visible:
        selection.unexpected[name] = f"it looks like an unfinished upload; wait for it, remove it, {_OR_IGNORE}"
    elif selects(dated, visible) and not last.startswith("._"):  # ._x holds the macOS metadata of x
        selection.warned[name] = "a hidden file with the name of data, skipped; have it renamed if it is data"
    else:
        selection.skipped[name] = "a hidden file"


def _finished(name: str) -> str:
    """The name that an upload gets when it is complete."""
    lower = name.lower()
    if ending := next((ending for ending in UNFINISHED if lower.endswith(ending)), ""):
        return name[: -len(ending)]
    upload = None if lower.endswith(_DIGESTS) else _UPLOAD.fullmatch(name)
    return upload[1] if upload else name


def _refuse(selection: Selection, name: str, reason: str, source: Source) -> None:
    if is_ignored(source, name):
        selection.skipped[name] = "source.ignore names it"
    else:
        selection.unexpected[name] = reason


def _skip_reason(name: str, files: Files, source: Source, others: Sequence[Neighbour]) -> str:
    last = _last(name).lower()
    if any(text and matches(text, name) for text in (source.marker, source.manifest)):
        return "a marker or manifest"
    if any(has_partition(text) and _matches_in_any_form(text, name) for text in (source.files, source.manifest or "")):
        return "of another day"
    for other in others:
        if _belongs_to_other(other.arrival, source, name):
            return f"of {other.urn}"
    if last.endswith(_EMPTY_MARKERS) and files[name].st_size == 0:
        return "an empty marker"
    if last.endswith(_DIGESTS) and name[: name.rindex(".")] in files:
        return CHECKSUM
    return "left by a file browser" if last in _BROWSER_FILES else ""


def _matches_in_any_form(pattern: str, name: str) -> bool:
    """Whether ``name`` matches the pattern for some day, in any case and compression."""
    stem = re.sub(r"\.(gz|zip|bz2|xz|zst)$", "", name, flags=re.IGNORECASE)
    return matches(pattern, name, fold=True) or matches(pattern, stem, fold=True)


def _belongs_to_other(arrival: Arrival, source: Source, name: str) -> bool:
    """Whether the file is in another dataset's own subfolder of this folder, or matches that dataset's patterns."""
    own, path = source.path.strip("/").split("/"), arrival.path.strip("/").split("/")
    parts = [*own, *name.split("/")]
    if len(parts) <= len(path):
        return False
    if not all(
        part_matcher(want, False).fullmatch(part) or want == part for want, part in zip(path, parts, strict=False)
    ):
        return False
    inner = "/".join(parts[len(path) :])
    texts = [text for text in (arrival.marker, arrival.manifest) if text]
    return len(path) > len(own) or selects(arrival, inner) or any(matches(text, inner) for text in texts)


def _last(name: str) -> str:
    """The name without folders. Every search calls this for every file; ``PurePosixPath`` takes ten times as long."""
    return name.rpartition("/")[2]
