"""Compares data files with the checksum files beside them, such as ``orders.csv.sha256``."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from data_platform.ingestion.landing.folder import open_inside
from data_platform.ingestion.landing.selection import CHECKSUM
from data_platform.ingestion.manifest.digest import DIGITS

if TYPE_CHECKING:
    from pathlib import Path

    from data_platform.ingestion.examined_file import ExaminedFiles
    from data_platform.ingestion.landing.selection import Selection

_MOST_BYTES = 1 << 12
_DIGEST = re.compile(r"(?<![0-9A-Za-z])[0-9A-Fa-f]{32,128}(?![0-9A-Za-z])")


def checksum_mismatches(selection: Selection, folder: Path, root: str, examined: ExaminedFiles) -> dict[str, str]:
    """Maps data files with another checksum than in their checksum file to the reason. One without any is ignored.

    Files in ``examined`` are not read again.
    """
    problems = {}
    for name, reason in selection.skipped.items():
        of, _, algorithm = name.rpartition(".")
        if reason != CHECKSUM or algorithm.lower() not in DIGITS or of not in selection.data:
            continue
        listed = _listed_digests(os.path.join(folder, name), root, DIGITS[algorithm.lower()])
        if listed and examined.digest(os.path.join(folder, of), root, algorithm.lower()) not in listed:
            problems[of] = f"its checksum differs from {name.rpartition('/')[2]}; ask for it again"
    return problems


def _listed_digests(path: str, root: str, digits: int) -> set[str]:
    with open_inside(path, root) as source:
        text = source.read(_MOST_BYTES).decode("utf-8", errors="replace")
    return {one.lower() for one in _DIGEST.findall(text) if len(one) == digits}
