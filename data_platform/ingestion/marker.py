"""Completion markers: which deliveries lie in the landing zone, and whether each of them is whole.

A marker alone is no promise: it may be there before the data, or be left over from a delivery before. So a delivery is
whole when its marker is there, and every file of its manifest has the size and checksum that the manifest says; without
a manifest, when no file of it is newer than its marker. Whatever is not so yet is waited for. Nothing here raises for
what lies there, since files come and go while they are looked at.

Times of files only tell a marker that is older than its data; what is new is known by content (``Found.delivery_id``).
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from data_platform.errors import DataPlatformError
from data_platform.ingestion.delivery import delivery_id
from data_platform.ingestion.manifest import Manifest, read_manifest
from data_platform.model.day_pattern import days_of, has_day

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from data_platform.ingestion.digest import Digests
    from data_platform.model.source import Arrival

_UNFINISHED = (".tmp", ".temp", ".part", ".partial", ".filepart", ".crdownload", ".swp", ".inprogress", ".writing", "~")
_GLOB = ("*", "?", "[")
_SETTLING = "~"


@dataclass(frozen=True, kw_only=True)
class Marker:
    """``name`` is the marker's own, ``folder`` and ``path`` are from the landing root on."""

    folder: str
    name: str
    day: date | None

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.name}"


@dataclass(frozen=True, kw_only=True)
class Found:
    """What is at a marker. ``stamp`` changes with every change of a file; ``waits_for`` is empty if all is there.

    ``delivery_id`` is of names and contents, as ``Delivery.id``; None while the delivery is not whole.
    """

    marker: Marker
    stamp: str
    waits_for: str = ""
    delivery_id: str | None = None
    files: int = 0
    bytes: int = 0
    record_count: int | None = None


@dataclass
class _Listing:
    """Files of a delivery's folder, and below it, by their name from there on."""

    stats: dict[str, os.stat_result] = field(default_factory=dict)

    def stamp(self) -> str:
        whole = hashlib.sha256()
        for name, stat in sorted(self.stats.items()):
            seen = (stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)
            whole.update(f"{name}\0{seen}\n".encode(errors="surrogateescape"))
        return whole.hexdigest()[:32]


def find_markers(landing: Path, arrival: Arrival) -> Iterator[Marker]:
    """Newest day first. A folder that is not there, or cannot be read, has none."""
    found = list(_markers(landing, arrival))
    yield from sorted(found, key=lambda marker: (marker.day is not None and -marker.day.toordinal(), marker.path))


def look(landing: Path, arrival: Arrival, marker: Marker, seen: str | None, digests: Digests) -> Found | None:
    """What is at ``marker``; None if nothing has changed since the stamp ``seen``, which costs no reading."""
    arrival = arrival.on(marker.day)
    try:
        listing = _list(landing / marker.folder, arrival, marker)
        stamp = listing.stamp()
        if stamp == seen:
            return None
        if marker.name not in listing.stats:
            return Found(marker=marker, stamp=stamp, waits_for="its marker")
        return _judged(landing / marker.folder, arrival, marker, listing, seen, digests)
    except OSError as error:
        return Found(marker=marker, stamp="", waits_for=f"a file that cannot be read ({type(error).__name__})")


def _markers(landing: Path, arrival: Arrival) -> Iterator[Marker]:
    for folder, day in _folders(landing, "", arrival.path.strip("/").split("/"), None):
        inner = PurePosixPath(arrival.marker or "")
        pattern = inner.name
        place = folder if inner.parent == PurePosixPath() else f"{folder}/{inner.parent}"
        if not has_day(pattern) and not _is_glob(pattern):
            if (landing / place / pattern).is_file():
                yield Marker(folder=folder, name=str(inner), day=day)
            continue
        for name in _names(landing / place):
            matches, own_day = days_of(pattern, name)
            if matches and not _is_unfinished(name) and (day is None or own_day in (None, day)):
                yield Marker(folder=folder, name=str(inner.parent / name), day=own_day or day)


def _folders(landing: Path, folder: str, parts: list[str], day: date | None) -> Iterator[tuple[str, date | None]]:
    if not parts:
        yield folder, day
        return
    first, rest = parts[0], parts[1:]
    if not has_day(first) and not _is_glob(first):
        yield from _folders(landing, f"{folder}/{first}".lstrip("/"), rest, day)
        return
    for name in _names(landing / folder):
        matches, own_day = days_of(first, name)
        if matches and (day is None or own_day in (None, day)) and (landing / folder / name).is_dir():
            yield from _folders(landing, f"{folder}/{name}".lstrip("/"), rest, own_day or day)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


def _list(folder: Path, arrival: Arrival, marker: Marker) -> _Listing:
    """What belongs to the delivery, unfinished files too: all of the folder, if it has no markers of others."""
    is_shared = _is_glob(arrival.marker or "")
    return _Listing({name: stat for name, stat in _walk(folder, "") if not is_shared or _is_own(name, arrival, marker)})


def _walk(folder: Path, inner: str) -> Iterator[tuple[str, os.stat_result]]:
    with os.scandir(folder / inner) as entries:
        for entry in entries:
            name = f"{inner}/{entry.name}".lstrip("/")
            if entry.is_dir():
                if not _is_unfinished(entry.name):
                    yield from _walk(folder, name)
                continue
            try:
                yield name, entry.stat()
            except FileNotFoundError:  # gone since it was listed
                continue


def _is_own(name: str, arrival: Arrival, marker: Marker) -> bool:
    """Of several markers in one folder, each has the files that begin with its own name: ``a.done`` has ``a_1.csv``."""
    if name in (marker.name, arrival.manifest):
        return True
    if fnmatchcase(name, arrival.marker or ""):
        return False
    stem = PurePosixPath(marker.name).name.split(".", 1)[0]
    own = PurePosixPath(name).name
    return arrival.manifest is not None or (own.startswith(stem) and not own[len(stem) : len(stem) + 1].isalnum())


def _is_data(name: str, arrival: Arrival, marker: Marker) -> bool:
    """A marker that is named as data is data: then a file that stays as it is has to do as a promise."""
    if _is_unfinished(PurePosixPath(name).name):
        return False
    if not arrival.glob:
        return name != marker.name
    depth = "**" in arrival.glob or name.count("/") == arrival.glob.count("/")
    return depth and PurePosixPath(name).match(arrival.glob)


def _judged(
    folder: Path, arrival: Arrival, marker: Marker, listing: _Listing, seen: str | None, digests: Digests
) -> Found:
    stamp = listing.stamp()
    manifest: Manifest | None = None
    names = sorted(name for name in listing.stats if _is_data(name, arrival, marker))
    if arrival.manifest:
        try:
            manifest = read_manifest(folder / arrival.manifest)
        except DataPlatformError as error:
            return Found(marker=marker, stamp=stamp, waits_for=f"a manifest that can be read: {error}")
        parent = PurePosixPath(arrival.manifest).parent
        names = sorted((parent / entry.file).as_posix() for entry in manifest.files)
        waits_for = _short_of(folder, parent, manifest)
    elif marker.name in names and seen != _SETTLING + stamp:
        return Found(marker=marker, stamp=_SETTLING + stamp, waits_for=f"{marker.name} to stay as it is")
    else:
        waits_for = _not_before(marker, names, listing, arrival)
    if waits_for:
        return Found(marker=marker, stamp=stamp, waits_for=waits_for)
    parts = [*names, *([arrival.manifest] if arrival.manifest else [])] or [marker.name]
    return _whole(folder, marker, stamp, parts, manifest, digests)


def _short_of(folder: Path, parent: PurePosixPath, manifest: Manifest) -> str:
    for entry in manifest.files:
        try:
            size = os.stat(folder / parent / entry.file).st_size
        except FileNotFoundError:
            return entry.file
        if entry.bytes is not None and size != entry.bytes:
            return f"{entry.file} ({size} of {entry.bytes} bytes)"
    return ""


def _not_before(marker: Marker, names: list[str], listing: _Listing, arrival: Arrival) -> str:
    if not names:
        return f"a file of {arrival.glob}" if arrival.glob else ""
    newest = max(names, key=lambda name: listing.stats[name].st_mtime_ns)
    if listing.stats[newest].st_mtime_ns > listing.stats[marker.name].st_mtime_ns:
        return f"a marker that is newer than {newest}: this one may be of the delivery before"
    return ""


def _whole(
    folder: Path, marker: Marker, stamp: str, names: list[str], manifest: Manifest | None, digests: Digests
) -> Found:
    """Reading may take longer than there is time for; then it goes on at the next look."""
    parent = PurePosixPath(names[-1]).parent  # a manifest's own, which is the last name then
    promised = {(parent / e.file).as_posix(): e.sha256 for e in manifest.files if e.sha256} if manifest else {}
    found: dict[str, str] = {}
    total = 0
    for name in names:
        digest = digests.of(folder / name)
        if digest is None:
            return Found(marker=marker, stamp="", waits_for=f"{name} to be read to its end")
        if promised.get(name, digest) != digest:
            return Found(marker=marker, stamp=stamp, waits_for=f"{name} (its checksum is not the manifest's)")
        found[name] = digest
        total += os.stat(folder / name).st_size
    return Found(
        marker=marker,
        stamp=stamp,
        delivery_id=delivery_id(found),
        files=len(names) - (manifest is not None),
        bytes=total,
        record_count=manifest.record_count if manifest else None,
    )


def _is_glob(text: str) -> bool:
    return any(sign in text for sign in _GLOB)


def _is_unfinished(name: str) -> bool:
    """What tools write before they rename, or leave behind."""
    return name.startswith((".", "_")) or name.lower().endswith(_UNFINISHED)
