"""One file and its manifest, as a careful sender delivers them.

Each file is written atomically, and the manifest comes last. A corrected delivery first removes the old manifest:
until the new one is there, the delivery is incomplete, so a new file is never read with an old manifest.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from data_platform.demo.history import Row

MANIFEST = "manifest.json"


@dataclass(frozen=True, kw_only=True)
class Parcel:
    """``control_totals`` maps a column to its sum, with the digits of the data."""

    file: str
    content: bytes
    records: int
    producer: str
    control_totals: dict[str, str] = field(default_factory=dict)

    @property
    def manifest(self) -> bytes:
        document = {
            "producer": self.producer,
            "encoding": "utf-8",
            "files": [
                {
                    "file": self.file,
                    "bytes": len(self.content),
                    "record_count": self.records,
                    "sha256": hashlib.sha256(self.content).hexdigest(),
                }
            ],
            "control_totals": self.control_totals,
        }
        return json.dumps(document, indent=2).encode() + b"\n"


def send(parcel: Parcel, folder: Path, *, arrived: bytes | None = None) -> None:
    """Delivers ``parcel``; ``arrived`` is the part of its content that arrives if the transfer fails."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / MANIFEST).unlink(missing_ok=True)
    _write(folder / parcel.file, parcel.content if arrived is None else arrived)
    _write(folder / MANIFEST, parcel.manifest)


def csv_content(rows: Sequence[Row]) -> bytes:
    """A header and one line per row; the columns are those of the first row."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def total(rows: Sequence[Row], column: str) -> str:
    return str(sum((Decimal(row[column]) for row in rows if row[column]), Decimal(0)))


def _write(path: Path, content: bytes) -> None:
    partial = path.with_name(f".{path.name}.partial")  # hidden, and no reader's pattern has this suffix
    partial.write_bytes(content)
    os.replace(partial, path)
