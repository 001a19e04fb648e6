"""Which files of a folder are the delivery's: bronze, completion markers and digests all ask here.

Every file is one of three: *data*, *passed over* for a reason that the policy or the docs give, or *unexpected*, which
holds the day. A file that is passed over although it looks like data is warned of besides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from data_platform.ingestion.landing import HIDDEN, Files, Tree, is_text
from data_platform.model.day_pattern import day_matcher, has_day
from data_platform.model.source import Source, SourceFormat

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date

    from data_platform.model.source import Arrival

UNFINISHED = (".tmp", ".temp", ".part", ".partial", ".filepart", ".crdownload", ".swp", ".inprogress", ".writing", "~")
"""Endings of what tools write before they rename, or leave behind."""

_TABLE_FOLDERS = {
    "_delta_log": "the folder is a Delta table, whose files are not all of its present version; have files delivered",
    "_spark_metadata": "a Spark stream wrote the folder, and not all its files count; have a batch's files delivered",
    ".hoodie": "the folder is a Hudi table, whose files are not all of its present version; have files delivered",
    "_temporary": "a Spark job is still writing to the folder, or died; wait for it, or remove what it left",
}
_FORMAT_ENDINGS = {
    SourceFormat.CSV: (".csv",),
    SourceFormat.JSONL: (".jsonl", ".ndjson"),
    SourceFormat.PARQUET: (".parquet",),
}
_PACKED = (".gz", ".zip")
_OTHER_PACKED = {
    ".bz2": "bzip2", ".xz": "xz", ".lzma": "lzma", ".zst": "zstd", ".lz4": "lz4", ".sz": "snappy", ".snappy": "snappy",
    ".7z": "7-Zip", ".rar": "RAR", ".tar": "tar", ".tgz": "tar and gzip", ".tbz2": "tar and bzip2", ".z": "compress",
    ".br": "brotli", ".gpg": "GPG (encrypted)", ".pgp": "PGP (encrypted)",
}  # fmt: skip
_EMPTY_MARKERS = (".done", ".ok", ".ready", ".complete", ".completed", ".success", ".finished", ".flag", ".trg", ".go")
_DIGESTS = (".md5", ".sha1", ".sha256", ".sha512", ".crc", ".asc", ".sig")
_LITTER = ("thumbs.db", "desktop.ini")
_BACKUPS = (".bak", ".old", ".orig", ".save", "~")
_UPLOAD = re.compile(r"\.(.+)\.[A-Za-z0-9]{6}")  # rsync writes .orders.csv.Xy12Ab until the whole file is there
_ALLOW = "or name it in source.ignore"


@dataclass
class Selection:
    """Names from the delivery's folder on; all but ``data`` lead to the reason. What is ``warned`` of is no data."""

    data: list[str] = field(default_factory=list)
    unexpected: dict[str, str] = field(default_factory=dict)
    warned: dict[str, str] = field(default_factory=dict)
    passed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Neighbour:
    """Another dataset, which may have files in the same folder."""

    urn: str
    arrival: Arrival


def select(tree: Tree, source: Source, day: date | None, others: Sequence[Neighbour] = ()) -> Selection:
    """``source`` as it is in the policy, with no day in its names yet."""
    dated, found = source.on(day), Selection()
    for name in sorted(tree.files):
        _place(name, tree.files, source, dated, others, found)
    for name, reason in tree.refused.items():
        _hold(found, name, reason, source)
    for name in tree.hidden:
        if reason := _TABLE_FOLDERS.get(_last(name), ""):
            _hold(found, name, reason, source)
        elif not is_ignored(source, name):
            found.warned[name] = "a hidden folder, passed over; give it a name without . or _ if it has data"
    return found


def takes(arrival: Arrival, name: str) -> bool:
    """Whether ``name`` fits ``files``; a folder that does has its part files taken, as Spark writes them."""
    if _fits(arrival, name):
        return True
    folder, _, last = name.rpartition("/")
    return bool(folder) and isinstance(arrival, Source) and _fits(arrival, folder) and has_format(last, arrival.format)


def is_data(name: str, arrival: Arrival, marker: str) -> bool:
    """A marker that is named as data is data: then a file that stays as it is has to do as a promise."""
    if is_unfinished(_last(name)) or is_ignored(arrival, name):
        return False
    return takes(arrival, name) if arrival.glob else name != marker


def is_unfinished(name: str) -> bool:
    """A hidden file, or one that is still being written."""
    return name.startswith(HIDDEN) or name.lower().endswith(UNFINISHED)


def is_ignored(arrival: Arrival, name: str) -> bool:
    """A pattern without a folder is of a name wherever it lies; that of a folder is of all that is in it."""
    if not isinstance(arrival, Source) or not arrival.ignore:
        return False
    parts = name.split("/")
    paths = ["/".join(parts[: end + 1]) for end in range(len(parts))]
    return any(matches(p.rstrip("/"), path) for p in arrival.ignore for path in [*paths, *parts])


def has_format(name: str, kind: SourceFormat) -> bool:
    """By its ending, in any case; a zip may hold any format."""
    lower = name.lower()
    endings = _FORMAT_ENDINGS[kind]
    if kind is SourceFormat.PARQUET:
        return lower.endswith(endings)
    return lower.endswith((*endings, ".zip", *(end + more for end in endings for more in _PACKED)))


def matches(pattern: str, name: str, *, fold: bool = False) -> bool:
    """As a shell does, ``**`` for any folders; ``{partition}`` is any day. ``fold`` takes both cases for one."""
    return _match(pattern.split("/"), name.split("/"), fold)


def _match(pattern: list[str], name: list[str], fold: bool) -> bool:  # noqa: FBT001
    if not pattern:
        return not name
    if pattern[0] == "**":
        return _match(pattern[1:], name, fold) or (bool(name) and _match(pattern, name[1:], fold))
    if not name or not _matcher(pattern[0], fold).fullmatch(name[0]):
        return False
    return _match(pattern[1:], name[1:], fold)


@lru_cache(maxsize=4096)
def _matcher(part: str, fold: bool) -> re.Pattern[str]:  # noqa: FBT001
    found = day_matcher(part)
    return re.compile(found.pattern, re.IGNORECASE) if fold else found


def _place(
    name: str, files: Files, source: Source, dated: Source, others: Sequence[Neighbour], found: Selection
) -> None:
    last = _last(name)
    if is_ignored(source, name):
        found.passed[name] = "source.ignore names it"
    elif not is_text(name):
        found.unexpected[name] = "its name is not UTF-8; have it renamed"
    elif last.startswith(HIDDEN):
        _place_hidden(name, dated, found)
    elif not is_unfinished(last) and takes(dated, name):
        found.data.append(name)
    elif reason := _passed_over(name, files, source, others):
        found.passed[name] = reason
    else:
        found.unexpected[name] = f"{_why_not(name, dated)}, {_ALLOW}"


def _place_hidden(name: str, dated: Source, found: Selection) -> None:
    folder, _, last = name.rpartition("/")
    plain = f"{folder}/{last.lstrip('._')}".lstrip("/")
    if (upload := _UPLOAD.fullmatch(last)) and takes(dated, f"{folder}/{upload[1]}".lstrip("/")):
        found.unexpected[name] = f"it looks like an upload that has not ended; wait for it, remove it, {_ALLOW}"
    elif takes(dated, plain) and not last.startswith("._"):  # ._x holds what macOS knows of x
        found.warned[name] = "a hidden file that would be data, passed over; have it renamed if it is"
    else:
        found.passed[name] = "a hidden file"


def _hold(found: Selection, name: str, reason: str, source: Source) -> None:
    if is_ignored(source, name):
        found.passed[name] = "source.ignore names it"
    else:
        found.unexpected[name] = reason


def _fits(arrival: Arrival, name: str) -> bool:
    if arrival.files or not isinstance(arrival, Source):
        return matches(arrival.files, name)
    return "/" not in name and has_format(name, arrival.format)


def _passed_over(name: str, files: Files, source: Source, others: Sequence[Neighbour]) -> str:
    last = _last(name).lower()
    if any(text and matches(text, name) for text in (source.marker, source.manifest)):
        return "a marker or manifest"
    if any(has_day(text) and _is_of(text, name) for text in (source.files, source.manifest or "")):
        return "of another day"
    for other in others:
        if _is_claimed(other.arrival, source, name):
            return f"of {other.urn}"
    if last.endswith(_EMPTY_MARKERS) and files[name].st_size == 0:
        return "an empty marker"
    if last.endswith(_DIGESTS) and name[: name.rindex(".")] in files:
        return "a checksum or signature of the file beside it"
    return "left by a file browser" if last in _LITTER else ""


def _is_of(pattern: str, name: str) -> bool:
    """Of some day, in any case and compression."""
    stem = re.sub(r"\.(gz|zip|bz2|xz|zst)$", "", name, flags=re.IGNORECASE)
    return matches(pattern, name, fold=True) or matches(pattern, stem, fold=True)


def _is_claimed(arrival: Arrival, source: Source, name: str) -> bool:
    """Whether the file is in a folder of another dataset's own below this one, or fits what that says of its files."""
    own, path = source.path.strip("/").split("/"), arrival.path.strip("/").split("/")
    parts = [*own, *name.split("/")]
    if len(parts) <= len(path):
        return False
    if not all(_matcher(want, False).fullmatch(part) or want == part for want, part in zip(path, parts, strict=False)):
        return False
    inner = "/".join(parts[len(path) :])
    texts = [text for text in (arrival.marker, arrival.manifest) if text]
    return len(path) > len(own) or takes(arrival, inner) or any(matches(text, inner) for text in texts)


def _why_not(name: str, dated: Source) -> str:
    last = _last(name)
    lower, wanted = last.lower(), dated.glob
    for ending, word in _OTHER_PACKED.items():
        if lower.endswith(ending):
            return f"it is compressed with {word}, which is not read; ask for it as it is, as gzip or as zip"
    if lower.endswith(_BACKUPS):
        return "it looks like a copy that was kept; remove it"
    if lower.endswith(UNFINISHED):
        return "it looks unfinished; wait for it, remove it"
    if last != name and takes(dated, last):
        return f"it lies in a folder; with files: '**/{wanted}' folders are read too"
    if dated.files and matches(dated.files, name, fold=True):
        return f"it differs from {wanted} in case; name it in source.files"
    if dated.files and any(takes(dated, form) for form in _other_forms(name)):
        return f"but for its compression it is as {wanted}; name it in source.files"
    return f"it is not as {wanted}; name it in source.files"


def _other_forms(name: str) -> list[str]:
    stripped = [name[: -len(end)] for end in _PACKED if name.lower().endswith(end)]
    return [*stripped, *(name + end for end in _PACKED)]


def _last(name: str) -> str:
    """Without its folders; ``PurePosixPath`` takes ten times as long, and this is asked of every file at every look."""
    return name.rpartition("/")[2]
