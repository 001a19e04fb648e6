"""Inspects the files of a delivery one by one: the content and columns of each, or why it cannot be read."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.columns import with_columns
from data_platform.ingestion.content import Content, FileContent, raw_digest
from data_platform.ingestion.delivery_file import DeliveryFile
from data_platform.ingestion.error_place import line_and_reason
from data_platform.ingestion.landing.folder import shown
from data_platform.ingestion.packing import Budget, Member

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.ingestion.examined_file import ExaminedFiles
    from data_platform.ingestion.formats.protocol import FileFormat, Finding
    from data_platform.ingestion.manifest.document import Manifest
    from data_platform.model.schema import Schema
    from data_platform.model.source import Source


@dataclass
class Inspection:
    """``files`` are the readable files; ``contents`` has their unpacked contents by name.

    ``digests`` are digests of all files on disk. ``unreadable`` maps a file to the reason, ``problems`` a failure
    signature to its message, and ``warnings`` the first word of a signature to files and messages. ``empty`` are blank
    files beside files that are not.
    """

    files: list[DeliveryFile] = field(default_factory=list)
    contents: dict[str, Content] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    warnings: defaultdict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))
    empty: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Part:
    """One content that is read: the file ``file_name`` itself, or an entry of the zip that it is."""

    name: str
    file_name: str
    file: FileContent
    member: Member
    content: Content


def inspect_files(
    folder: Path,
    root: str,
    names: Sequence[str],
    source: Source,
    manifest: Manifest | None,
    declared: Schema,
    file_format: FileFormat,
    examined: ExaminedFiles,
) -> Inspection:
    """Inspects all files; ``names`` are relative to ``folder``, and a file in ``examined`` is not read again.

    Raises:
        SourceUnavailableError, OSError: A file changes or disappears while it is read.
    """
    return _Inspector(root, source, manifest, declared, file_format, examined).inspect(folder, names)


class _Inspector:
    def __init__(
        self,
        root: str,
        source: Source,
        manifest: Manifest | None,
        declared: Schema,
        file_format: FileFormat,
        examined: ExaminedFiles,
    ) -> None:
        self.root, self.source, self.declared, self.format = root, source, declared, file_format
        self.examined = examined
        self.record_counts = _record_counts(manifest, source)
        self.budget = Budget(source.unpack)
        self.result = Inspection()

    def inspect(self, folder: Path, names: Sequence[str]) -> Inspection:
        parts = [part for name in names for part in self._parts(str((folder / name).resolve()), name)]
        some_are_not_blank = any(not part.content.is_blank for part in parts) or bool(self.result.unreadable)
        for part in parts:
            if part.content.is_blank and some_are_not_blank and not self.format.kind.traits.is_typed:
                self.result.empty.append(part.name)
            else:
                self._add(part)
        return self.result

    def _parts(self, path: str, name: str) -> Iterator[_Part]:
        try:
            file = self.examined.content(path, self.root, name, self.source, self.format, self.budget)
        except SourceError as error:
            self.result.unreadable[shown(name)] = line_and_reason(error, name)[1]
            self.result.digests[name] = raw_digest(path, self.root)
            return
        self.result.digests[name] = file.sha256
        for part, (member, content) in file.parts.items():
            yield _Part(part, name, file, member, content)

    def _add(self, part: _Part) -> None:
        record_count = self.record_counts.get(part.file_name)
        if part.content.is_blank and (reason := self.format.blank_problem(record_count)):
            self.result.unreadable[shown(part.name)] = reason
            return
        try:
            file = with_columns(self._file(part, record_count), self.format, self.declared)
        except SourceError as error:
            self.result.unreadable[shown(part.name)] = line_and_reason(error, part.name)[1]
            return
        check = self.format.check(file, part.content)
        self.result.problems.update(_signed(file.name, finding) for finding in check.problems)
        for finding in check.warnings:
            self.result.warnings[finding.kind][file.name] = finding.message
        self.result.contents[file.name] = part.content
        self.result.files.append(replace(file, trailer=check.trailer))

    def _file(self, part: _Part, record_count: int | None) -> DeliveryFile:
        return DeliveryFile(
            name=part.name,
            path=part.member.path,
            bytes=part.file.state[0],
            record_count=record_count if len(part.file.parts) == 1 else None,
            schema=self.declared,
            renamed={},
            packing=part.member.packing,
            member=part.member.name,
            root=self.root,
            state=part.file.state,
        )


def _signed(file: str, finding: Finding) -> tuple[str, str]:
    """The failure signature of the finding, and its message."""
    place = f":{finding.place}" if finding.place else ""
    return f"{finding.kind}:{shown(file)}{place}", f"{file}: {finding.message}"


def _record_counts(manifest: Manifest | None, source: Source) -> dict[str, int | None]:
    """The record count of each file that the manifest names, by its name relative to the delivery's folder."""
    if manifest is None or source.manifest is None:
        return {}
    parent = PurePosixPath(source.manifest).parent
    return {(parent / entry.file).as_posix(): entry.record_count for entry in manifest.files}
