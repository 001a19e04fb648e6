"""What the sender of a delivery says of it: files, sizes, record counts, checksums, encoding.

A manifest is JSON beside the delivery. Every file that it names is checked before a row is
read, so that a delivery cut off on its way is known from its size, not from its numbers.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from data_platform.errors import SourceError, SourceUnavailableError

_CHUNK = 1 << 20


class ManifestFile(BaseModel):
    """One file; ``bytes`` is its size, ``sha256`` is in lower case hexadecimal digits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    file: str = Field(min_length=1)
    bytes: int | None = Field(default=None, ge=0)
    record_count: int | None = Field(default=None, ge=0)
    sha256: str | None = Field(default=None, pattern=r"^[0-9a-f]{64}$")

    @model_validator(mode="after")
    def _stays_beside_its_manifest(self) -> ManifestFile:
        if Path(self.file).is_absolute() or ".." in Path(self.file).parts:
            raise ValueError("a file is named relative to its manifest, and not outside its folder")
        return self


class Manifest(BaseModel):
    """A single file may be named at the top (``file``, ``record_count``, …), several in ``files``."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: tuple[ManifestFile, ...] = Field(min_length=1)
    producer: str | None = None
    encoding: str = "utf-8"
    delimiter: str = Field(default=",", min_length=1, max_length=1)
    header: bool = True
    control_totals: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _one_file_form(cls, data: Any) -> Any:
        if not isinstance(data, dict) or "files" in data:
            return data
        one = {key: data[key] for key in ManifestFile.model_fields if key in data}
        rest = {key: value for key, value in data.items() if key not in one}
        return {**rest, "files": [one]} if one else data

    @property
    def record_count(self) -> int | None:
        """Records of all files; None unless each file says its own."""
        counts = [file.record_count for file in self.files]
        return None if None in counts else sum(count for count in counts if count is not None)


def read_manifest(path: Path) -> Manifest:
    """Read a manifest; a byte-order mark is taken off.

    Raises:
        SourceUnavailableError: It is not there (yet).
        SourceError: It is not UTF-8, not JSON, or says something that a manifest cannot say.
    """
    try:
        data = json.loads(path.read_bytes().decode("utf-8-sig"))
    except FileNotFoundError:
        raise SourceUnavailableError(f"{path.name}: no such manifest; the delivery may still be on its way") from None
    except UnicodeDecodeError:
        raise SourceError(f"{path.name}: not valid UTF-8; a manifest is JSON in UTF-8") from None
    except json.JSONDecodeError as error:
        raise SourceError(f"{path.name}:{error.lineno}: not JSON: {error.msg}") from None
    try:
        return Manifest.model_validate(data)
    except ValidationError as error:
        problems = (f"{'.'.join(map(str, p['loc'])) or 'manifest'}: {p['msg']}" for p in error.errors())
        raise SourceError(f"{path.name}: " + "; ".join(problems)) from None


def incomplete(manifest: Manifest, folder: Path) -> tuple[str, ...]:
    """Failure signatures of what is not as the manifest says, empty if the delivery is whole.

    ``MANIFEST_MISSING:<file>``, ``MANIFEST_SIZE:<file>:<found>≠<said>``, ``MANIFEST_CHECKSUM:<file>``.
    The record count is known only after reading, and is checked there.
    """
    found: list[str] = []
    for entry in manifest.files:
        path = folder / entry.file
        if not path.is_file():
            found.append(f"MANIFEST_MISSING:{entry.file}")
        elif entry.bytes is not None and (size := path.stat().st_size) != entry.bytes:
            found.append(f"MANIFEST_SIZE:{entry.file}:{size}≠{entry.bytes}")
        elif entry.sha256 is not None and _sha256(path) != entry.sha256:
            found.append(f"MANIFEST_CHECKSUM:{entry.file}")
    return tuple(found)


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as source:
        while chunk := source.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
