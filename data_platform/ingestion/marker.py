"""Completion markers: which deliveries lie in the landing zone, and whether each of them is whole.

A marker alone is no promise: it may be there before the data, or be left over from a delivery before. So a delivery is
whole when its marker is there, and every file of its manifest has the size and checksum that the manifest says; without
a manifest, when no file of it is newer than its marker. Whatever is not so yet is waited for. Nothing here raises for
what lies there, since files come and go while they are looked at.

Times of files only tell a marker that is older than its data; what is new is known by content (``Found.delivery_id``).
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from data_platform.errors import DataPlatformError
from data_platform.ingestion.delivery import delivery_id, is_unfinished, promised_files
from data_platform.ingestion.listing import (
    Listings,
    is_data,
    is_pattern,
    own_files,
    shares_folder,
    stamp_of,
)
from data_platform.ingestion.manifest import Manifest, read_manifest
from data_platform.model.day_pattern import days_of, has_day

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import date

    from data_platform.ingestion.digest import Digests
    from data_platform.ingestion.listing import Files
    from data_platform.model.source import Arrival

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


def find_markers(landing: Path, arrival: Arrival) -> list[Marker]:
    """Newest day first. A folder that is not there, or cannot be read, has none."""
    found = _markers(landing, arrival)
    return sorted(found, key=lambda marker: (marker.day is not None and -marker.day.toordinal(), marker.path))


def look(
    landing: Path,
    arrival: Arrival,
    marker: Marker,
    seen: str | None,
    digests: Digests,
    listings: Listings | None = None,
) -> Found | None:
    """What is at ``marker``; None if nothing has changed since the stamp ``seen``, which costs no reading."""
    folder, dated = landing / marker.folder, arrival.on(marker.day)
    try:
        files = (listings or Listings()).of(folder)
        own = own_files(files, arrival, dated, marker.name, folder) if shares_folder(arrival) else files
        stamp = stamp_of(own)
        if stamp == seen:
            return None
        if marker.name not in own:
            return Found(marker=marker, stamp=stamp, waits_for="its marker")
        return _judged(folder, dated, marker, own, stamp, seen, digests)
    except OSError as error:
        return Found(marker=marker, stamp="", waits_for=f"a file that cannot be read ({type(error).__name__})")


def _markers(landing: Path, arrival: Arrival) -> Iterator[Marker]:
    for folder, day in _folders(landing, "", arrival.path.strip("/").split("/"), None):
        inner = PurePosixPath(arrival.marker or "")
        pattern = inner.name
        place = folder if inner.parent == PurePosixPath() else f"{folder}/{inner.parent}"
        if not has_day(pattern) and not is_pattern(pattern):
            if (landing / place / pattern).is_file():
                yield Marker(folder=folder, name=str(inner), day=day)
            continue
        for name in _names(landing / place):
            matches, own_day = days_of(pattern, name)
            if matches and not is_unfinished(name) and (day is None or own_day in (None, day)):
                yield Marker(folder=folder, name=str(inner.parent / name), day=own_day or day)


def _folders(landing: Path, folder: str, parts: list[str], day: date | None) -> Iterator[tuple[str, date | None]]:
    if not parts:
        yield folder, day
        return
    first, rest = parts[0], parts[1:]
    if not has_day(first) and not is_pattern(first):
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


def _judged(
    folder: Path, arrival: Arrival, marker: Marker, files: Files, stamp: str, seen: str | None, digests: Digests
) -> Found:
    manifest: Manifest | None = None
    names = sorted(name for name in files if is_data(name, arrival, marker.name))
    if arrival.manifest:
        try:
            manifest = read_manifest(folder / arrival.manifest)
            names = promised_files(manifest, arrival.manifest)
        except DataPlatformError as error:
            return Found(marker=marker, stamp=stamp, waits_for=f"a manifest that can be read: {error}")
        waits_for = _short_of(folder / PurePosixPath(arrival.manifest).parent, manifest)
    elif marker.name in names and seen != _SETTLING + stamp:
        return Found(marker=marker, stamp=_SETTLING + stamp, waits_for=f"{marker.name} to stay as it is")
    else:
        waits_for = _not_before(marker, names, files, arrival)
    if waits_for:
        return Found(marker=marker, stamp=stamp, waits_for=waits_for)
    parts = [*names, *([arrival.manifest] if arrival.manifest else [])] or [marker.name]
    return _whole(folder, marker, stamp, parts, manifest, digests)


def _short_of(folder: Path, manifest: Manifest) -> str:
    for entry in manifest.files:
        try:
            size = os.stat(folder / entry.file).st_size
        except FileNotFoundError:
            return entry.file
        if entry.bytes is not None and size != entry.bytes:
            return f"{entry.file} ({size} of {entry.bytes} bytes)"
    return ""


def _not_before(marker: Marker, names: list[str], files: Files, arrival: Arrival) -> str:
    if not names:
        return f"a file of {arrival.glob}" if arrival.glob else ""
    newest = max(names, key=lambda name: files[name].st_mtime_ns)
    if files[newest].st_mtime_ns > files[marker.name].st_mtime_ns:
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
