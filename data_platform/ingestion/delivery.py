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
from urllib.parse import unquote

from data_platform.errors import SourceError, SourceUnavailableError, UsageError
from data_platform.ingestion.columns import bronze_schema
from data_platform.ingestion.content import raw_digest
from data_platform.ingestion.delivery_file import (
    Delivery,
    DeliveryFile,
    delivery_id,
    differing_totals,
    sum_trailers,
)
from data_platform.ingestion.duplicate import repeated
from data_platform.ingestion.examined_file import ExaminedFiles
from data_platform.ingestion.formats.registry import format_of
from data_platform.ingestion.inspection import Inspection, inspect_files
from data_platform.ingestion.landing.checksum_file import checksum_mismatches
from data_platform.ingestion.landing.folder import LEADS_OUT, is_inside, shown, walk
from data_platform.ingestion.landing.near_folder import folders_beside, missing_folder_reason
from data_platform.ingestion.landing.pattern import selects
from data_platform.ingestion.landing.selection import select
from data_platform.ingestion.manifest.document import listed_files, manifest_problems, read_manifest
from data_platform.model.packing import PACKED

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from data_platform.ingestion.formats.protocol import FileFormat
    from data_platform.ingestion.landing.folder import Tree
    from data_platform.ingestion.landing.selection import Neighbour
    from data_platform.ingestion.manifest.document import Manifest
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.schema import Schema
    from data_platform.model.source import Source

__all__ = ["Delivery", "DeliveryFile", "bronze_schema", "delivery_id", "find_delivery"]

MOST_NAMED = 20
"""Number of files that are named one by one for each kind of problem; the others are only counted."""

_MESSAGES = {
    "NO_DELIVERY": "the folder does not exist; the delivery may still be on its way",
    "NO_FILES": "no file in the delivery's folder matches this pattern; it may still be on its way",
    "NO_MANIFEST": "the manifest does not exist; the delivery may still be on its way",
    "MANIFEST_MISSING": "the manifest names this file, but it does not exist; it may still be on its way",
    "MANIFEST_SIZE": "the size of the file differs from the manifest; ask the sender for it again",
    "MANIFEST_CHECKSUM": "the checksum of the file differs from the manifest; ask the sender for it again",
}


def find_delivery(
    landing: Path,
    source: Source,
    partition: PartitionKey | None,
    declared: Schema,
    others: Sequence[Neighbour] = (),
    examined: ExaminedFiles | None = None,
) -> Delivery:
    """Finds the delivery of ``partition`` below ``landing``; with a manifest, exactly the files that it names.

    ``others`` are datasets whose files may be in the same folder. Files in ``examined`` that have not changed since are
    not read again; those that are read are added to it.

    Raises:
        UsageError: The path of ``source`` needs a partition, and none was given.
        SourceUnavailableError: A file disappeared, was written to, or could not be opened during the search.
    """
    if partition is None and source.names_partition:
        raise UsageError(f"source.path {source.path!r} contains the partition: name the partition to read")
    try:
        return _Search(landing, source, partition, declared, others, examined or ExaminedFiles()).find()
    except OSError as error:
        name = shown(os.path.basename(str(error.filename or source.path)))
        raise SourceUnavailableError(
            f"'{name}' in the landing folder (DATA_PLATFORM_LANDING) cannot be read ({type(error).__name__}); expected "
            "files that do not change while they are read. Check their permissions, and run again."
        ) from None


class _Search:
    """One search of one folder; ``problems`` maps a failure signature to its message."""

    def __init__(
        self,
        landing: Path,
        source: Source,
        partition: PartitionKey | None,
        declared: Schema,
        others: Sequence[Neighbour],
        examined: ExaminedFiles,
    ) -> None:
        self.root, self.policy, self.partition = landing, source, partition
        self.declared, self.others, self.examined = declared, others, examined
        self.source = source.on(partition)
        self.folder = landing / self.source.path
        self.problems: dict[str, str] = {}
        self.warnings: dict[str, str] = {}
        self.skipped: dict[str, str] = {}

    def find(self) -> Delivery:
        if not self.folder.is_dir():
            self._add_problem(f"NO_DELIVERY:{self.folder.name}", missing_folder_reason(self.root, self.source))
            return self._delivery(Inspection())
        if not is_inside(os.path.realpath(self.root), os.path.realpath(self.folder)):
            self.problems[f"UNEXPECTED_FILE:{self.folder.name}"] = f"{self.folder.name}: it is {LEADS_OUT}"
            return self._delivery(Inspection())
        tree = walk(self.root, self.folder)
        return self._by_manifest(tree) if self.source.manifest else self._by_name(tree)

    def _by_name(self, tree: Tree) -> Delivery:
        selection = select(tree, self.policy, self.partition, self.others)
        if not selection.data:
            others = f"{self.source.glob}: no file in the delivery's folder matches this pattern; there are other files"
            self._add_problem(f"NO_FILES:{self.source.glob}", others if selection.unexpected else "")
        beside = folders_beside(self.root, self.policy, self.source, self.others)
        self._add_named("UNEXPECTED_FILE", selection.unexpected)
        self._add_named("UNEXPECTED_FOLDER", beside)
        self._add_named("HIDDEN_FILE", selection.warned, self.warnings)
        self.skipped = {shown(name): reason for name, reason in selection.skipped.items()}
        self._add_named(
            "CHECKSUM_FILE", checksum_mismatches(selection, self.folder, os.path.realpath(self.root), self.examined)
        )
        return self._inspected(selection.data)

    def _by_manifest(self, tree: Tree) -> Delivery:
        name = str(self.source.manifest)
        if name in tree.refused:
            self.problems[f"MANIFEST_INVALID:{name}"] = f"{name}: it is {tree.refused[name]}"
            return self._delivery(Inspection())
        path = self.folder / name
        try:
            manifest = read_manifest(path, os.path.realpath(self.root))
            names = listed_files(manifest, name)
        except SourceUnavailableError:
            self._add_problem(f"NO_MANIFEST:{name}")
            return self._delivery(Inspection())
        except SourceError as error:
            self.problems[f"MANIFEST_INVALID:{name}"] = str(error)
            return self._delivery(Inspection())
        outside = {one: f"it is {LEADS_OUT}" for one in names if self._leads_out(one)}
        self._add_named("UNEXPECTED_FILE", outside)
        for problem in manifest_problems(
            manifest, path.parent, {str(self.folder / one) for one in outside}, self.examined
        ):
            self._add_problem(problem, _near_file(problem, tree))
        left = [n for n in tree.files if n not in names and n != name and selects(self.source, n)]
        unlisted = dict.fromkeys(left, "the manifest does not name it, so it was not read")
        self._add_named("UNLISTED_FILE", unlisted, self.warnings)
        there = [one for one in names if one not in outside and (self.folder / one).is_file()]
        return self._inspected(there, manifest)

    def _inspected(self, names: Sequence[str], manifest: Manifest | None = None) -> Delivery:
        file_format, root = format_of(self.source, manifest), os.path.realpath(self.root)
        inspection = inspect_files(
            self.folder, root, names, self.source, manifest, self.declared, file_format, self.examined
        )
        empty = dict.fromkeys(inspection.empty, "it is empty, or has only blank lines")
        self._add_named("EMPTY_FILE", empty, self.warnings)
        for kind, messages in inspection.warnings.items():
            self._add_named(kind, messages, self.warnings)
        hold = self.source.duplicate_files.value == "hold"
        repetitions = repeated(inspection, file_format)
        self._add_named("DUPLICATE_FILE", repetitions, self.problems if hold else self.warnings)
        self.problems.update(inspection.problems)
        return self._delivery(inspection, manifest, file_format)

    def _delivery(
        self, inspection: Inspection, manifest: Manifest | None = None, file_format: FileFormat | None = None
    ) -> Delivery:
        digests = dict(inspection.digests)
        if manifest:
            for name in differing_totals(manifest.control_totals, sum_trailers(inspection.files)):
                self.problems[f"CONTROL_TOTAL:{name}"] = f"{name}: its totals in manifest and trailers differ"
            name = str(self.source.manifest)
            digests[name] = raw_digest(str(self.folder / name), os.path.realpath(self.root))
        return Delivery(
            folder=str(self.folder),
            format=file_format or format_of(self.source),
            files=tuple(inspection.files),
            manifest=manifest,
            id=delivery_id(digests),
            problems=tuple(self.problems),
            unreadable=inspection.unreadable,
            details=tuple(self.problems.values()),
            warnings=self.warnings,
            skipped=self.skipped,
        )

    def _leads_out(self, name: str) -> bool:
        return not is_inside(os.path.realpath(self.root), os.path.realpath(self.folder / name))

    def _add_problem(self, signature: str, more: str = "") -> None:
        kind, what = signature.split(":", 1)
        self.problems[signature] = more or f"{what}: {_MESSAGES[kind]}"

    def _add_named(self, kind: str, reasons: dict[str, str], into: dict[str, str] | None = None) -> None:
        target = self.problems if into is None else into
        target.update(_first(kind, reasons.items()))


def _near_file(problem: str, tree: Tree) -> str:
    """Names what is there under almost the name of a missing file: in another case, compressed, in another folder."""
    kind, name = problem.split(":", 1)
    if kind != "MANIFEST_MISSING":
        return ""
    if any(other.startswith(f"{name}/") for other in tree.files):
        return f"{name}: the manifest names this folder; expected the names of its files"
    wanted = _plain(name)
    near = [other for other in tree.files if _plain(other).endswith(wanted)]
    if not near:
        return ""
    other = unicodedata.normalize("NFC", near[0])
    differs = other == unicodedata.normalize("NFC", name)
    how = ", whose accents are encoded differently" if differs else ""
    return f"{name}: the manifest names this file, but it does not exist; there is {shown(near[0])}{how}"


def _plain(name: str) -> str:
    """The name without its folders and compression, in one spelling: tools encode blanks as ``%20``, or append one."""
    last = unicodedata.normalize("NFC", unquote(name)).casefold().strip().rpartition("/")[2]
    return next((last.removesuffix(ending) for ending in PACKED if last.endswith(ending)), last)


def _first(kind: str, reasons: Iterable[tuple[str, str]]) -> dict[str, str]:
    named = [(shown(name), reason) for name, reason in reasons]
    messages = {f"{kind}:{name}": f"{name}: {reason}" for name, reason in named[:MOST_NAMED]}
    if more := len(named) - MOST_NAMED:
        messages |= {f"{kind}:{more} more": f"and {more} more such files"} if more > 0 else {}
    return messages
