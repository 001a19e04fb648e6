"""Completion markers: which deliveries are in the landing zone, and whether each of them is complete.

A marker alone proves nothing: it may arrive before the data, or be left from an earlier delivery. So a delivery is
complete when its marker exists, and every file of its manifest has the size and checksum that the manifest declares;
without a manifest, or without size and checksum in it, when none of its files is newer than its marker. Files beside a
manifest that is the marker itself have to stay as they are. Otherwise the platform waits. No content of the
landing zone raises an error here, since files come and go while they are checked.

File times only detect a marker that is older than its data; a new delivery is recognized by its content
(``MarkerContent.delivery_id``).
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from data_platform.arrival.listing import Listings, is_pattern, own_files, shares_folder, stamp_of
from data_platform.errors import DataPlatformError, SourceError
from data_platform.ingestion.delivery_file import delivery_id
from data_platform.ingestion.landing.folder import LEADS_OUT, is_inside
from data_platform.ingestion.landing.selection import is_data, is_unfinished
from data_platform.ingestion.manifest.document import Manifest, listed_files, read_manifest
from data_platform.model.partition_path import has_partition, match_name
from data_platform.model.personal import redacted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.arrival.digest import Digests
    from data_platform.ingestion.landing.folder import Files
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.source import Arrival

_SETTLING = "~"
_KEPT, _BROKEN = "kept", "broken"


@dataclass(frozen=True, kw_only=True)
class Marker:
    """``name`` is the marker's own, ``folder`` and ``path`` are relative to the landing root."""

    folder: str
    name: str
    partition: PartitionKey | None

    @property
    def path(self) -> str:
        return f"{self.folder}/{self.name}"

    @property
    def shown(self) -> str:
        """The path as it is stored and shown: without personal values, but different for any two markers.

        Four digits of a hash distinguish them, and are too few to confirm a guess.
        """
        text = redacted(self.path)
        if text == self.path:
            return text
        return f"{text}#{hashlib.sha256(self.path.encode(errors='surrogateescape')).hexdigest()[:4]}"


@dataclass(frozen=True, kw_only=True)
class MarkerContent:
    """What is at a marker. ``stamp`` changes with every change of a file; ``waits_for`` is empty if nothing is missing.

    ``delivery_id`` is computed from names and contents, as ``Delivery.id``; None while the delivery is not complete.
    """

    marker: Marker
    stamp: str
    waits_for: str = ""
    delivery_id: str | None = None
    files: int = 0
    bytes: int = 0
    record_count: int | None = None


def find_markers(landing: Path, arrival: Arrival) -> list[Marker]:
    """Returns the markers, newest partition first. A folder that does not exist, or cannot be read, has none."""
    markers = sorted(_markers(landing, arrival), key=lambda marker: marker.path)
    return sorted(markers, key=lambda marker: marker.partition or "", reverse=True)


def look(
    landing: Path,
    arrival: Arrival,
    marker: Marker,
    seen: str | None,
    digests: Digests,
    listings: Listings | None = None,
) -> MarkerContent | None:
    """What is at ``marker``; None if nothing has changed since the stamp ``seen``, in which case no file is read."""
    folder, dated = landing / marker.folder, arrival.on(marker.partition)
    if not is_inside(os.path.realpath(landing), os.path.realpath(folder)):
        return MarkerContent(marker=marker, stamp="", waits_for=f"a folder of its own: it is {LEADS_OUT}")
    try:
        files = (listings or Listings(landing)).of(folder)
        own = own_files(files, arrival, dated, marker.name, folder) if shares_folder(arrival) else files
        stamp = stamp_of(own)
        if stamp == seen:
            return None
        if marker.name not in own:
            return MarkerContent(marker=marker, stamp=stamp, waits_for="its marker")
        return _Look(os.path.realpath(landing), folder, dated, marker, stamp, digests).judged(own, seen)
    except SourceError as error:
        return MarkerContent(marker=marker, stamp="", waits_for=f"a file that may be read: {error}")
    except OSError as error:
        return MarkerContent(marker=marker, stamp="", waits_for=f"a file that cannot be read ({type(error).__name__})")


def _markers(landing: Path, arrival: Arrival) -> Iterator[Marker]:
    for folder, partition in _folders(landing, "", arrival.path.strip("/").split("/"), None):
        inner = PurePosixPath(arrival.marker or "")
        pattern = inner.name
        place = folder if inner.parent == PurePosixPath() else f"{folder}/{inner.parent}"
        if not has_partition(pattern) and not is_pattern(pattern):
            if (landing / place / pattern).is_file():
                yield Marker(folder=folder, name=str(inner), partition=partition)
            continue
        for name in _names(landing / place):
            matches, own = match_name(pattern, name)
            if matches and not is_unfinished(name) and (partition is None or own in (None, partition)):
                yield Marker(folder=folder, name=str(inner.parent / name), partition=own or partition)


def _folders(
    landing: Path, folder: str, parts: list[str], partition: PartitionKey | None
) -> Iterator[tuple[str, PartitionKey | None]]:
    if not parts:
        yield folder, partition
        return
    first, rest = parts[0], parts[1:]
    if not has_partition(first) and not is_pattern(first):
        yield from _folders(landing, f"{folder}/{first}".lstrip("/"), rest, partition)
        return
    for name in _names(landing / folder):
        matches, own = match_name(first, name)
        if matches and (partition is None or own in (None, partition)) and (landing / folder / name).is_dir():
            yield from _folders(landing, f"{folder}/{name}".lstrip("/"), rest, own or partition)


def _names(folder: Path) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []


@dataclass(frozen=True)
class _Look:
    """One marker's folder; no file outside ``root`` is read."""

    root: str
    folder: Path
    arrival: Arrival
    marker: Marker
    stamp: str
    digests: Digests

    def judged(self, files: Files, seen: str | None) -> MarkerContent:
        manifest: Manifest | None = None
        arrival, marker = self.arrival, self.marker
        names = sorted(name for name in files if is_data(name, arrival, marker.name))
        if arrival.manifest:
            try:
                manifest = read_manifest(self.folder / arrival.manifest, self.root)
                names = listed_files(manifest, arrival.manifest)
            except DataPlatformError as error:
                return self._waits_for(f"a manifest that can be read: {error}")
            waits_for = _incomplete_file(self.folder / PurePosixPath(arrival.manifest).parent, manifest)
            unproven = _unproven_files(manifest, arrival.manifest, files)
            if unproven and not waits_for:
                if marker.name != arrival.manifest:
                    waits_for = _missing_or_newer_file(marker, unproven, files, arrival)
                elif seen != _SETTLING + self.stamp:
                    return self._waits_until_settled(unproven[0])
        elif marker.name in names and seen != _SETTLING + self.stamp:
            return self._waits_until_settled(marker.name)
        else:
            waits_for = _missing_or_newer_file(marker, names, files, arrival)
        if waits_for:
            return self._waits_for(waits_for)
        return self._whole([*names, *([arrival.manifest] if arrival.manifest else [])] or [marker.name], manifest)

    def _whole(self, names: list[str], manifest: Manifest | None) -> MarkerContent:
        """Reading may take longer than the time limit; then it continues at the next look."""
        parent = PurePosixPath(names[-1]).parent  # the manifest's folder, since the manifest is then the last name
        entries = manifest.files if manifest else ()
        promised = {(parent / e.file).as_posix(): (e.algorithm, e.digest) for e in entries if e.digest}
        digests: dict[str, str] = {}
        total = 0
        for name in names:
            digest = self.digests.of(self.folder / name, self.root)
            if digest is None or not (kept := self._keeps(name, digest, promised)):
                return replace(self._waits_for(f"{name} to be read to its end"), stamp="")
            if kept == _BROKEN:
                return self._waits_for(f"{name} (its checksum is not the manifest's)")
            digests[name] = digest
            total += os.stat(self.folder / name).st_size
        return MarkerContent(
            marker=self.marker,
            stamp=self.stamp,
            delivery_id=delivery_id(digests),
            files=len(names) - (manifest is not None),
            bytes=total,
            record_count=manifest.record_count if manifest else None,
        )

    def _keeps(self, name: str, sha256: str, promised: dict[str, tuple[str, str]]) -> str:
        """Whether the file has its promised digest; empty if the time was over before it was read."""
        algorithm, want = promised.get(name, ("sha256", sha256))
        got = sha256 if algorithm == "sha256" else self.digests.of(self.folder / name, self.root, algorithm)
        return (_KEPT if got == want else _BROKEN) if got else ""

    def _waits_until_settled(self, name: str) -> MarkerContent:
        return replace(self._waits_for(f"{name} to stay as it is"), stamp=_SETTLING + self.stamp)

    def _waits_for(self, reason: str) -> MarkerContent:
        return MarkerContent(marker=self.marker, stamp=self.stamp, waits_for=reason)


def _incomplete_file(folder: Path, manifest: Manifest) -> str:
    for entry in manifest.files:
        try:
            size = os.stat(folder / entry.file).st_size
        except FileNotFoundError:
            return entry.file
        if entry.bytes is not None and size != entry.bytes:
            return f"{entry.file} ({size} of {entry.bytes} bytes)"
    return ""


def _unproven_files(manifest: Manifest, name: str, files: Files) -> list[str]:
    """The files of which the manifest promises neither size nor checksum, so that they may still be growing."""
    parent = PurePosixPath(name).parent
    bare = ((parent / entry.file).as_posix() for entry in manifest.files if entry.bytes is None and not entry.digest)
    return [one for one in bare if one in files]


def _missing_or_newer_file(marker: Marker, names: list[str], files: Files, arrival: Arrival) -> str:
    if not names:
        return f"a file of {arrival.glob}" if arrival.glob else ""
    newest = max(names, key=lambda name: files[name].st_mtime_ns)
    if files[newest].st_mtime_ns > files[marker.name].st_mtime_ns:
        return f"a marker that is newer than {newest}: this one may be of the delivery before"
    return ""
