"""The compressions that text files of a delivery may have, and the endings of their names."""

from __future__ import annotations

from enum import StrEnum


class Packing(StrEnum):
    NONE = ""
    GZIP = "gzip"
    BZIP2 = "bzip2"
    ZSTD = "zstd"
    ZIP = "zip"

    @property
    def ending(self) -> str:
        """The ending of the names of such files; empty for ``NONE``."""
        return {"gzip": ".gz", "bzip2": ".bz2", "zstd": ".zst", "zip": ".zip"}.get(self.value, "")


PACKED = tuple(packing.ending for packing in Packing if packing.ending)
"""Endings of compressed files."""

SUPPORTED = "gzip, bzip2, zstd or zip"
