"""Handles manifests that are not JSON: reads the lists of ``sha256sum`` and similar tools, and names other forms."""

from __future__ import annotations

import re

from data_platform.ingestion.manifest.digest import DIGITS

_GNU = re.compile(r"(?P<escaped>\\?)(?P<digest>[0-9a-fA-F]{32,128})[ \t]+\*?(?P<file>\S.*)")
_BSD = re.compile(r"(?P<algorithm>MD5|SHA1|SHA224|SHA256|SHA384|SHA512) ?\((?P<file>.+)\) = (?P<digest>[0-9a-fA-F]+)")
_LENGTHS = frozenset(DIGITS.values())
_FORMS = (
    (re.compile(r"\s*<"), "it looks like XML"),
    (re.compile(r"\s*(?:load data|options\s*\()", re.IGNORECASE), "it looks like a control file of SQL*Loader"),
    (re.compile(r"[\w$ -]+="), "it looks like names and values, as in a control file"),
    (re.compile(r"[\w -]+:(?:\s|$)"), "it looks like YAML"),
    (re.compile(r"[^\s,;|]+[,;|]"), "it looks like CSV"),
    (re.compile(r"\S+\.\w+\s*$", re.MULTILINE), "it looks like a list of names"),
)


def read_digest_list(text: str) -> list[dict[str, str]] | None:
    """A file and its checksum for each line; None, if ``text`` is not such a list."""
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith(("#", ";"))]
    matches = [match for line in lines if (match := _GNU.fullmatch(line) or _BSD.fullmatch(line))]
    if not matches or len(matches) < len(lines) or any(len(match["digest"]) not in _LENGTHS for match in matches):
        return None
    return [{"file": _file(match), "checksum": match["digest"]} for match in matches]


def _file(match: re.Match[str]) -> str:
    name = match["file"].strip()
    return name.replace("\\\\", "\\") if match.groupdict().get("escaped") else name


def describe_form(text: str, reason: str) -> str:
    """What a manifest that is not JSON looks like, and which forms are supported."""
    if text.lstrip().startswith(("{", "[")):
        return reason
    if not text.strip(" \t\r\n\0"):
        return "the manifest is empty, and may be cut off or still on its way; ask for it again"
    looks = next((form for pattern, form in _FORMS if pattern.match(text)), reason)
    return f"{looks}. A manifest is JSON, JSON lines, or the list that sha256sum or md5sum writes; ask for one of these"
