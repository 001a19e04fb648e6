"""Why a file is not data, in words that say what can be done about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.ingestion.pattern import PACKED, UNFINISHED, matches, takes

if TYPE_CHECKING:
    from data_platform.model.source import Source

_OTHER_PACKED = {
    ".bz2": "bzip2", ".xz": "xz", ".lzma": "lzma", ".zst": "zstd", ".lz4": "lz4", ".sz": "snappy", ".snappy": "snappy",
    ".7z": "7-Zip", ".rar": "RAR", ".tar": "tar", ".tgz": "tar and gzip", ".tbz2": "tar and bzip2", ".z": "compress",
    ".br": "brotli", ".gpg": "GPG (encrypted)", ".pgp": "PGP (encrypted)",
}  # fmt: skip
_BACKUPS = (".bak", ".old", ".orig", ".save", "~")


def why_not(name: str, dated: Source) -> str:
    """The first cause that is found; ``dated`` has the day in its names."""
    last = name.rpartition("/")[2]
    lower, wanted = last.lower(), dated.glob
    for ending, word in _OTHER_PACKED.items():
        if lower.endswith(ending):
            return f"it is compressed with {word}, which is not read; ask for it as it is, as gzip or as zip"
    if lower.endswith(_BACKUPS):
        return "it looks like a copy that was kept; remove it"
    if lower.endswith(UNFINISHED):
        return "it looks unfinished; wait for it, remove it"
    if "manifest" in lower and not dated.manifest:
        return "it looks like a manifest; name it in source.manifest"
    if last != name and takes(dated, last):
        return f"it lies in a folder; with files: '**/{wanted}' folders are read too"
    return _but_for(name, dated)


def _but_for(name: str, dated: Source) -> str:
    """What keeps a name from fitting the pattern that the policy has."""
    if dated.files and matches(dated.files, name, fold=True):
        return f"it differs from {dated.files} in case; name it in source.files"
    if dated.files and any(takes(dated, form) for form in _other_forms(name)):
        return f"but for its compression it is as {dated.files}; name it in source.files"
    return f"it is not as {dated.glob}; name it in source.files"


def _other_forms(name: str) -> list[str]:
    stripped = [name[: -len(end)] for end in PACKED if name.lower().endswith(end)]
    return [*stripped, *(name + end for end in PACKED)]
