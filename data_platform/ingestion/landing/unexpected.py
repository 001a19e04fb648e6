"""Explains why a file is not data, and what to do about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from data_platform.ingestion.landing.folder import HIDDEN
from data_platform.ingestion.landing.pattern import UNFINISHED, has_format, matches, selects
from data_platform.model.packing import PACKED, SUPPORTED
from data_platform.model.source_format import SourceFormat

if TYPE_CHECKING:
    from data_platform.model.source import Source

_FORMATS = "|".join(ending.removeprefix(".") for kind in SourceFormat for ending in kind.traits.endings)

_OTHER_PACKED = {
    ".xz": "xz", ".lzma": "lzma", ".lz4": "lz4", ".sz": "snappy", ".snappy": "snappy",
    ".7z": "7-Zip", ".rar": "RAR", ".tar": "tar", ".tgz": "tar and gzip", ".tbz2": "tar and bzip2", ".z": "compress",
    ".br": "brotli", ".lzo": "lzo", ".deflate": "deflate", ".gpg": "GPG (encrypted)", ".pgp": "PGP (encrypted)",
    ".aes": "AES (encrypted)", ".age": "age (encrypted)", ".enc": "a cipher (encrypted)",
}  # fmt: skip
_SPLIT = re.compile(rf"\.(?:{_FORMATS}|gz|bz2|zst|zip|7z)\.(?:part)?\d{{1,5}}$|\.z\d\d$")
_OFFICE = (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods")

_BACKUP = r"bak|backup|orig|old|save[d]?|tmp|temp|partial|swp"
_LEFTOVERS = (
    (re.compile(r"~.*|#.*#|%.*%"), "an editor leaves such a file beside the one that it changes"),
    (
        re.compile(rf".+\.(?:{_BACKUP})\.(?:{_FORMATS})(?:\.gz|\.bz2|\.zst|\.zip)?|.+(?:\.(?:bak|old|orig|save)|~)"),
        "it looks like a backup copy",
    ),
    (
        re.compile(r".*(?:\bconflict(?:ed|ing)? copy\b|[.-]sync-conflict-|\bin konflikt stehende kopie\b).*"),
        "a synchronization program made it after a conflict",
    ),
)


def leftover_reason(last: str) -> str:
    """The origin of a file with a name that senders do not use for data, such as an editor's copy; else empty."""
    return next((reason for pattern, reason in _LEFTOVERS if pattern.fullmatch(last.lower())), "")


def is_left_by_system(entry: str) -> bool:
    """Whether the operating system that packed the zip added this entry, so that it is not data."""
    *folders, last = entry.split("/")
    return "__MACOSX" in folders or last.startswith("._") or last.lower() in (".ds_store", "thumbs.db", "desktop.ini")


def why_not_in_zip(entry: str, kind: SourceFormat) -> str:
    """Why an entry of a zip is not data of ``kind``; empty, if it is."""
    last = entry.rpartition("/")[2]
    lower = last.lower()
    if lower.endswith(PACKED) or not has_format(last, kind):
        return f"which is not {kind.value}"
    if any(part.startswith(HIDDEN) for part in entry.removeprefix("./").split("/")):
        return "which has the name of a hidden file"
    if lower.endswith(UNFINISHED) or leftover_reason(last):
        return "which looks unfinished, or like a backup copy"
    return ""


def why_unexpected(name: str, dated: Source) -> str:
    """The first cause found for a file not being data; ``dated`` has the partition in its names."""
    last = name.rpartition("/")[2]
    if reason := leftover_reason(last):
        return f"{reason}; remove it"
    if of_kind := _of_another_kind(last.lower(), dated):
        return of_kind
    if last.lower().endswith(UNFINISHED):
        return "it looks unfinished; wait for it, remove it"
    if "manifest" in last.lower() and not dated.manifest:
        return "it looks like a manifest; name it in source.manifest"
    if last != name and selects(dated, last):
        return f"it is in a folder; set files: '**/{dated.glob}' to read folders too"
    return _why_not_matched(name, dated)


def _of_another_kind(lower: str, dated: Source) -> str:
    if lower.endswith((".tar.gz", ".tar.zip")):
        return f"it is packed with tar, which is not supported; ask for files that are uncompressed or in {SUPPORTED}"
    for ending, kind in _OTHER_PACKED.items():
        if lower.endswith(ending):
            return f"it is compressed with {kind}, which is not supported; ask for it uncompressed or in {SUPPORTED}"
    if _SPLIT.search(lower):
        return "it looks like a part of a split file; ask for the whole file"
    if lower.endswith(_OFFICE) and not lower.endswith(dated.format.traits.endings):
        return f"it is a spreadsheet that format {dated.format.value} does not read; ask for {dated.format.value}"
    return ""


def _why_not_matched(name: str, dated: Source) -> str:
    """Why a name does not match the pattern of the policy."""
    if dated.files and matches(dated.files, name, fold=True):
        return f"it differs from {dated.files} in case; name it in source.files"
    if dated.files and any(selects(dated, form) for form in _other_forms(name)):
        return f"it matches {dated.files} except for its compression; name it in source.files"
    return f"it does not match {dated.glob}; name it in source.files"


def _other_forms(name: str) -> list[str]:
    stripped = [name[: -len(end)] for end in PACKED if name.lower().endswith(end)]
    return [*stripped, *(name + end for end in PACKED)]
