"""Reads the elements of all parts of an OpenLineage event: names, texts, facets."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Any

from data_platform.errors import InputError
from data_platform.model.lineage import NAME_BYTES, Name

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


NAMESPACE_BYTES = 1000
"""The most bytes of a namespace that is cut, so that there is room for a name."""

WHOLE_NAME = "dataPlatform_wholeName"
"""The facet with the whole name of a dataset or job whose name was cut."""

_HASH_CHARACTERS = 32


def read_name(given: dict[str, Any], field: str, warnings: list[str] | None = None) -> Name:
    """Reads ``namespace`` and ``name``; control characters and lone surrogates are rejected: no database stores them.

    With a list for ``warnings``, a name that is too long for an index is cut (``fitting``), and a warning is added.

    Raises:
        InputError: One of them is missing or empty; or they are too long in total, and there is no list for warnings.
    """
    parts = []
    for key in ("namespace", "name"):
        value = given.get(key)
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{field}.{key}", "missing or empty: expected text")
        if _UNPRINTABLE.search(value):
            raise InputError(f"{field}.{key}", "holds control characters or half of a surrogate pair")
        parts.append(value)
    name = Name(*parts)
    if (size := len(name.full.encode())) <= NAME_BYTES:
        return name
    message = f"{size} bytes with its namespace: at most {NAME_BYTES}"
    if warnings is None:
        raise InputError(f"{field}.name", message)
    warnings.append(f"{field}.name: {message}; cut, and a hash of the whole name put behind it")
    return fitting(name)


def fitting(name: Name) -> Name:
    """Returns a name that fits into an index. A namespace of more than 1,000 bytes, and a name that exceeds 2,000 bytes
    with it, are cut and end with ``~`` and the first 32 hexadecimal digits of the whole part's SHA-256."""
    if len(name.full.encode()) <= NAME_BYTES:
        return name
    namespace = _cut(name.namespace, NAMESPACE_BYTES)
    return Name(namespace, _cut(name.name, NAME_BYTES - 1 - len(namespace.encode())))


def whole_name(given: dict[str, Any], kept: Name) -> dict[str, Any]:
    """Returns a facet with the name as it was sent, if the name was cut."""
    whole = {key: given[key] for key in ("namespace", "name")}
    return {} if Name(**whole) == kept else {WHOLE_NAME: whole}


def _cut(text: str, most_bytes: int) -> str:
    if len(text.encode()) <= most_bytes:
        return text
    mark = f"~{hashlib.sha256(text.encode()).hexdigest()[:_HASH_CHARACTERS]}"
    return text.encode()[: most_bytes - len(mark)].decode(errors="ignore") + mark


def read_text(value: Any) -> str:
    """Returns the text with control characters replaced, so that a database can store it; empty if it is not text."""
    return _CONTROL.sub("\ufffd", value) if isinstance(value, str) else ""


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class Facets:
    """``kept`` has all facets that are not null; ``mapping`` returns one, empty if it is not an object."""

    kept: dict[str, Any]
    field: str
    warnings: list[str]

    @classmethod
    def of(cls, given: Any, field: str, warnings: list[str]) -> Facets:
        if given is None:
            return cls({}, field, warnings)
        if not isinstance(given, dict):
            warnings.append(f"{field}: not a JSON object, skipped")
            return cls({}, field, warnings)
        return cls({key: value for key, value in given.items() if value is not None}, field, warnings)

    def mapping(self, key: str) -> dict[str, Any]:
        value = self.kept.get(key)
        if value is None:
            return {}
        if isinstance(value, dict):
            return value
        self.warnings.append(f"{self.field}.{key}: not a JSON object, skipped")
        return {}

    def entries(self, key: str, inner: str) -> list[dict[str, Any]]:
        """Returns the objects in a facet's list."""
        listed = self.mapping(key).get(inner)
        if listed is None:
            return []
        if not isinstance(listed, list):
            self.warnings.append(f"{self.field}.{key}.{inner}: not a list, skipped")
            return []
        return [item for item in listed if isinstance(item, dict)]

    def owner(self) -> tuple[str | None, str | None]:
        """Returns team and email of the ``ownership`` facet: with @ it is an email, else a team, as ``team:x``."""
        team = email = None
        for item in self.entries("ownership", "owners"):
            name = read_text(item.get("name")).strip()[:200]
            if "@" in name:
                email = email or name
            elif name:
                team = team or name.removeprefix("team:")
        return team, email
