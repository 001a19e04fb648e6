"""The sender's manifest of a delivery: files, sizes, record counts, checksums, encoding.

A manifest is a JSON file beside the delivery. Every file that it names is checked before a row is
read, so that a truncated delivery is detected by its size, not by its numbers.
``manifest_form`` converts the manifests of other tools into this form.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from data_platform.errors import SourceError, SourceUnavailableError
from data_platform.ingestion.examined_file import ExaminedFiles
from data_platform.ingestion.landing.folder import open_inside, shown
from data_platform.ingestion.manifest.digest import DIGITS
from data_platform.ingestion.manifest.form import parse_json, with_our_keys
from data_platform.model.personal import redacted

if TYPE_CHECKING:
    from collections.abc import Collection

_CHUNK = 1 << 20
MOST_BYTES = 64 << 20
"""Maximum size of a manifest, enough for half a million files."""


class ManifestFile(BaseModel):
    """One file; ``bytes`` is its size, ``digest`` its checksum by ``algorithm`` in lower case hexadecimal digits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field(min_length=1)
    bytes: int | None = Field(default=None, ge=0)
    record_count: int | None = Field(default=None, ge=0)
    algorithm: str = "sha256"
    digest: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_any_form(cls, data: Any) -> Any:
        return with_our_keys(data, cls.model_fields) if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _stays_beside_its_manifest(self) -> ManifestFile:
        if self.digest is not None and len(self.digest) != DIGITS[self.algorithm]:
            raise ValueError(f"a checksum of {self.algorithm} has {DIGITS[self.algorithm]} hexadecimal digits")
        if Path(self.file).is_absolute() or ".." in Path(self.file).parts:
            raise ValueError("a file is named relative to its manifest, and must be in its folder")
        if not Path(self.file).name:
            raise ValueError("it names a folder; expected a file")
        return self

    @property
    def sha256(self) -> str | None:
        return self.digest if self.algorithm == "sha256" else None


class Manifest(BaseModel):
    """A manifest names a single file at the top level (``file``, ``record_count``, …), or several in ``files``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: tuple[ManifestFile, ...] = Field(min_length=1)
    producer: str | None = None
    encoding: str = "utf-8"
    delimiter: str = Field(default=",", min_length=1, max_length=1)
    header: bool = True
    control_totals: dict[str, str] = Field(default_factory=dict)
    total_record_count: int | None = Field(default=None, ge=0)
    total_bytes: int | None = Field(default=None, ge=0)
    file_count: int | None = Field(default=None, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _of_any_form(cls, data: Any) -> Any:
        data = {"files": data} if isinstance(data, list) else data
        return with_our_keys(data, cls.model_fields, ManifestFile.model_fields) if isinstance(data, dict) else data

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Manifest:
        counts = [file.record_count for file in self.files]
        if self.total_record_count is not None and None not in counts and self.total_record_count != self._sum:
            raise ValueError("record_count is not the sum of the counts of its files")
        if self.file_count is not None and self.file_count != len(self.files):
            raise ValueError("file_count is not the number of the files that it names")
        sizes = [file.bytes for file in self.files if file.bytes is not None]
        if self.total_bytes is not None and len(sizes) == len(self.files) and self.total_bytes != sum(sizes):
            raise ValueError("the total size is not the sum of the sizes of its files")
        return self

    @property
    def record_count(self) -> int | None:
        """The records of all files; None unless the manifest has a count for each file, or a total."""
        counts = [file.record_count for file in self.files]
        return self.total_record_count if None in counts else self._sum

    @property
    def _sum(self) -> int:
        return sum(file.record_count or 0 for file in self.files)


def read_manifest(path: Path, root: str = "") -> Manifest:
    """Reads a manifest in UTF-8, UTF-16 or UTF-32, with or without byte-order mark; it must be inside ``root``.

    Raises:
        SourceUnavailableError: The manifest does not exist (yet).
        SourceError: The manifest is not text, not JSON, or has a key or value that is not allowed.
    """
    try:
        with open_inside(str(path), root) as source:
            content = source.read(MOST_BYTES + 1)
    except FileNotFoundError:
        raise SourceUnavailableError(f"{path.name}: no such manifest; it may still be on its way") from None
    if len(content) > MOST_BYTES:
        raise SourceError(f"{path.name}: the manifest has more than {MOST_BYTES} bytes; name another file as manifest")
    data = parse_json(content, path.name)
    try:
        return Manifest.model_validate(data)
    except ValidationError as error:
        problems = error.errors()
        first = [
            p for p in problems if p["type"] != "too_short"
        ] or problems  # an invalid file also makes files too short
        raise SourceError(f"{path.name}: " + "; ".join(f"{_place(p['loc'])}: {_message(p)}" for p in first)) from None


def listed_files(manifest: Manifest, name: str) -> list[str]:
    """File names relative to the delivery's folder; in the manifest, called ``name``, they are relative to its folder.

    Raises:
        SourceError: The manifest names a file twice.
    """
    names = sorted((PurePosixPath(name).parent / entry.file).as_posix() for entry in manifest.files)
    if len(set(names)) < len(names):
        raise SourceError(f"{name}: a file is named twice; expected each once. Ask the sender for a correct manifest.")
    return names


def manifest_problems(
    manifest: Manifest, folder: Path, skip: Collection[str] = (), examined: ExaminedFiles | None = None
) -> tuple[str, ...]:
    """Failure signatures of files that differ from the manifest; empty if the delivery is complete.

    ``MANIFEST_MISSING:<file>``, ``MANIFEST_SIZE:<file>:<found>≠<expected>``, ``MANIFEST_CHECKSUM:<file>``.
    The record count is available only after reading, and is checked then. ``skip`` are paths that may not be read.
    Files in ``examined`` are not read again.
    """
    examined = examined or ExaminedFiles()
    signatures: list[str] = []
    for entry in manifest.files:
        path = folder / entry.file
        if str(path) in skip:
            continue
        if not path.is_file():
            signatures.append(f"MANIFEST_MISSING:{shown(entry.file)}")
        elif entry.bytes is not None and (size := path.stat().st_size) != entry.bytes:
            signatures.append(f"MANIFEST_SIZE:{shown(entry.file)}:{size}≠{entry.bytes}")
        elif entry.digest is not None and examined.digest(str(path), "", entry.algorithm) != entry.digest:
            signatures.append(f"MANIFEST_CHECKSUM:{shown(entry.file)}")
    return tuple(signatures)


def _place(place: tuple[int | str, ...]) -> str:
    return ".".join(redacted(str(part)) for part in place) or "manifest"


_MESSAGES = {
    "extra_forbidden": (
        "not a supported key of a manifest; docs/deliveries.md lists them. Ask for a manifest without it"
    ),
    "model_type": 'expected an object that names its file, such as {"file": "orders.csv"}',
    "too_short": "it names no file; expected at least one",
    "string_too_short": "expected at least one character",
    "string_type": "expected text",
    "dict_type": 'expected an object that maps columns to their sums, such as {"amount": 30.00}',
    "int_type": "expected a whole number, such as 26",
    "greater_than_equal": "a count or size cannot be less than 0",
}
"""Messages by the type of a problem that pydantic reports."""


def _message(problem: Any) -> str:
    """A message without a value of the manifest."""
    if problem["type"] == "string_type" and "control_totals" in problem["loc"]:
        return "expected text; a control total is text or a number, such as 30.00"
    return _MESSAGES.get(problem["type"]) or str(problem["msg"]).removeprefix("Value error, ")
