"""Finds the delivery of a dataset: its files, its manifest, and the columns of its files.

Nothing here raises for a bad delivery. G1_RESOLUTION judges ``problems``: missing files, files that differ from the
manifest, and unexpected files. G3_SCHEMA judges ``unreadable``: files whose columns cannot be determined. ``reader``
reads the rows; ``selection`` decides which files belong to the delivery.

The landing zone is a folder. For now, a remote one must be mounted at a path.
"""

from __future__ import annotations

import os
import unicodedata
from typing import TYPE_CHECKING

from data_platform.errors import SourceError, SourceUnavailableError, UsageError
from data_platform.ingestion.columns import bronze_schema
from data_platform.ingestion.content import measure
from data_platform.ingestion.delivery_file import Delivery, DeliveryFile, csv_format, delivery_id, trailer_totals
from data_platform.ingestion.duplicate import repeated
from data_platform.ingestion.landing import LEADS_OUT, is_inside, open_inside, shown, walk
from data_platform.ingestion.manifest import incomplete, promised_files, read_manifest
from data_platform.ingestion.part import Parts, read_parts
from data_platform.ingestion.pattern import takes
from data_platform.ingestion.selection import select
from data_platform.ingestion.sidecar import contradicted
from data_platform.ingestion.stray import near_names, stray_folders
from data_platform.ingestion.trailer import disagreeing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import date
    from pathlib import Path

    from data_platform.ingestion.landing import Tree
    from data_platform.ingestion.manifest import Manifest
    from data_platform.ingestion.selection import Neighbour
    from data_platform.model.schema import Schema
    from data_platform.model.source import Source

__all__ = ["Delivery", "DeliveryFile", "bronze_schema", "csv_format", "delivery_id", "find_delivery"]

MOST_NAMED = 20
"""Number of files that are named one by one for each kind of problem; the others are only counted."""

_WORDS = {
    "NO_DELIVERY": "the folder is not there; the delivery may still be on its way",
    "NO_FILES": "no file of this name is in the delivery's folder; it may still be on its way",
    "NO_MANIFEST": "no such manifest; the delivery may still be on its way",
    "MANIFEST_MISSING": "the manifest names this file, and it is not there; it may still be on its way",
    "MANIFEST_SIZE": "the file has not the size that the manifest says; ask the sender for it again",
    "MANIFEST_CHECKSUM": "the file is not the one that the manifest was written for; ask the sender for it again",
}


def find_delivery(
    landing: Path, source: Source, partition: date | None, declared: Schema, others: Sequence[Neighbour] = ()
) -> Delivery:
    """Finds the delivery of ``partition`` below ``landing``; with a manifest, exactly the files that it names.

    ``others`` are datasets whose files may be in the same folder.

    Raises:
        UsageError: The path of ``source`` needs a partition, and none was given.
        SourceUnavailableError: A file disappeared, was written to, or could not be opened during the search.
    """
    if partition is None and source.names_day:
        raise UsageError(f"source.path {source.path!r} is of one day: say of which partition")
    try:
        return _Search(landing, source, partition, declared, others).find()
    except OSError as error:
        name = shown(os.path.basename(str(error.filename or source.path)))
        raise SourceUnavailableError(
            f"'{name}' in the landing folder (DATA_PLATFORM_LANDING) cannot be read ({type(error).__name__}); expected "
            "files that stay while they are read. Look at their permissions, and run again."
        ) from None


class _Search:
    """One search of one folder; ``problems`` maps a failure signature to its message."""

    def __init__(
        self, landing: Path, source: Source, day: date | None, declared: Schema, others: Sequence[Neighbour]
    ) -> None:
        self.root, self.policy, self.day, self.declared, self.others = landing, source, day, declared, others
        self.source = source.on(day)
        self.folder = landing / self.source.path
        self.problems: dict[str, str] = {}
        self.warnings: dict[str, str] = {}
        self.passed: dict[str, str] = {}

    def find(self) -> Delivery:
        if not self.folder.is_dir():
            self._problem(f"NO_DELIVERY:{self.folder.name}", near_names(self.root, self.source))
            return self._delivery(Parts())
        if not is_inside(os.path.realpath(self.root), os.path.realpath(self.folder)):
            self.problems[f"UNEXPECTED_FILE:{self.folder.name}"] = f"{self.folder.name}: it is {LEADS_OUT}"
            return self._delivery(Parts())
        tree = walk(self.root, self.folder)
        return self._by_manifest(tree) if self.source.manifest else self._by_name(tree)

    def _by_name(self, tree: Tree) -> Delivery:
        found = select(tree, self.policy, self.day, self.others)
        if not found.data:
            self._problem(f"NO_FILES:{self.source.glob}")
        strays = stray_folders(self.root, self.policy, self.source, self.others)
        self._named("UNEXPECTED_FILE", found.unexpected)
        self._named("UNEXPECTED_FOLDER", strays)
        self._named("HIDDEN_FILE", found.warned, self.warnings)
        self.passed = {shown(name): reason for name, reason in found.passed.items()}
        self._named("CHECKSUM_FILE", contradicted(found, self.folder, os.path.realpath(self.root)))
        return self._delivery(self._read(found.data))

    def _by_manifest(self, tree: Tree) -> Delivery:
        name = str(self.source.manifest)
        if name in tree.refused:
            self.problems[f"MANIFEST_INVALID:{name}"] = f"{name}: it is {tree.refused[name]}"
            return self._delivery(Parts())
        path = self.folder / name
        try:
            manifest = read_manifest(path, os.path.realpath(self.root))
            names = promised_files(manifest, name)
        except SourceUnavailableError:
            self._problem(f"NO_MANIFEST:{name}")
            return self._delivery(Parts())
        except SourceError as error:
            self.problems[f"MANIFEST_INVALID:{name}"] = str(error)
            return self._delivery(Parts())
        outside = {one: f"it is {LEADS_OUT}" for one in names if self._leads_out(one)}
        self._named("UNEXPECTED_FILE", outside)
        for problem in incomplete(manifest, path.parent, skip={str(self.folder / one) for one in outside}):
            self._problem(problem, _near_file(problem, tree))
        left = [n for n in tree.files if n not in names and n != name and takes(self.source, n)]
        unlisted = dict.fromkeys(left, "the manifest does not name it, so it was not read")
        self._named("UNLISTED_FILE", unlisted, self.warnings)
        there = [one for one in names if one not in outside and (self.folder / one).is_file()]
        return self._delivery(self._read(there, manifest), manifest)

    def _read(self, names: Sequence[str], manifest: Manifest | None = None) -> Parts:
        parts = read_parts(self.folder, os.path.realpath(self.root), names, self.source, manifest, self.declared)
        self._named(
            "EMPTY_FILE", dict.fromkeys(parts.empty, "it is empty, or has blank lines only, and no row"), self.warnings
        )
        self._named("DOUBTFUL_ENCODING", parts.doubtful, self.warnings)
        hold = self.source.duplicate_files.value == "hold"
        self._named("DUPLICATE_FILE", repeated(parts), self.problems if hold else self.warnings)
        self.problems.update(parts.problems)
        return parts

    def _delivery(self, parts: Parts, manifest: Manifest | None = None) -> Delivery:
        digests = dict(parts.digests)
        if manifest:
            for name in disagreeing(manifest.control_totals, trailer_totals(parts.files)):
                self.problems[f"CONTROL_TOTAL:{name}"] = f"{name}: manifest and trailers say different totals"
            digests[str(self.source.manifest)] = self._digest(str(self.source.manifest))
        return Delivery(
            folder=str(self.folder),
            files=tuple(parts.files),
            manifest=manifest,
            id=delivery_id(digests),
            problems=tuple(self.problems),
            unreadable=parts.unreadable,
            details=tuple(self.problems.values()),
            warnings=self.warnings,
            passed=self.passed,
            format=self.source.format,
        )

    def _digest(self, name: str) -> str:
        with open_inside(str(self.folder / name), os.path.realpath(self.root)) as source:
            return measure(iter(lambda: source.read(1 << 20), b"")).sha256

    def _leads_out(self, name: str) -> bool:
        return not is_inside(os.path.realpath(self.root), os.path.realpath(self.folder / name))

    def _problem(self, signature: str, more: str = "") -> None:
        kind, what = signature.split(":", 1)
        self.problems[signature] = more or f"{what}: {_WORDS[kind]}"

    def _named(self, kind: str, reasons: dict[str, str], into: dict[str, str] | None = None) -> None:
        target = self.problems if into is None else into
        target.update(_first(kind, reasons.items()))


def _near_file(problem: str, tree: Tree) -> str:
    """Names a file whose name differs from the missing one only in case, Unicode form of accents, or compression."""
    kind, name = problem.split(":", 1)
    if kind != "MANIFEST_MISSING":
        return ""
    wanted = _folded(name)
    near = [other for other in tree.files if _folded(other).endswith(wanted) or _folded(other) == _folded(name + ".gz")]
    if not near:
        return ""
    other = unicodedata.normalize("NFC", near[0])
    differs = other == unicodedata.normalize("NFC", name)
    how = ", whose accents are written as signs of their own, or are not" if differs else ""
    return f"{name}: the manifest names this file, and it is not there; there is {shown(near[0])}{how}"


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", name).casefold()


def _first(kind: str, reasons: Iterable[tuple[str, str]]) -> dict[str, str]:
    named = [(shown(name), reason) for name, reason in reasons]
    found = {f"{kind}:{name}": f"{name}: {reason}" for name, reason in named[:MOST_NAMED]}
    if more := len(named) - MOST_NAMED:
        found |= {f"{kind}:{more} more": f"and {more} more such files"} if more > 0 else {}
    return found
