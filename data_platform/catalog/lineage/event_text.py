"""Pieces that every part of an OpenLineage event is made of: names, texts, facets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from data_platform.catalog.registry_table import NAME_BYTES
from data_platform.errors import InputError
from data_platform.model.lineage import Name

_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def read_name(given: dict[str, Any], field: str) -> Name:
    """``namespace`` and ``name``; control characters and lone surrogates are refused, since no store keeps them.

    Raises:
        InputError: One is missing, empty, or both together are too long for an index.
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
    if (size := len(name.full.encode())) > NAME_BYTES:
        raise InputError(f"{field}.name", f"{size} bytes with its namespace: at most {NAME_BYTES}")
    return name


def read_text(value: Any) -> str:
    """What a store can keep of it; empty if it is no text."""
    return _CONTROL.sub("\ufffd", value) if isinstance(value, str) else ""


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True)
class Facets:
    """``kept`` are all that are not null; ``mapping`` is one that is understood, empty where it is not an object."""

    kept: dict[str, Any]
    field: str
    warnings: list[str]

    @classmethod
    def of(cls, given: Any, field: str, warnings: list[str]) -> Facets:
        if given is None:
            return cls({}, field, warnings)
        if not isinstance(given, dict):
            warnings.append(f"{field}: not a JSON object, passed over")
            return cls({}, field, warnings)
        return cls({key: value for key, value in given.items() if value is not None}, field, warnings)

    def mapping(self, key: str) -> dict[str, Any]:
        value = self.kept.get(key)
        if value is None:
            return {}
        if isinstance(value, dict):
            return value
        self.warnings.append(f"{self.field}.{key}: not a JSON object, passed over")
        return {}

    def entries(self, key: str, inner: str) -> list[dict[str, Any]]:
        """The objects of a facet's list."""
        listed = self.mapping(key).get(inner)
        if listed is None:
            return []
        if not isinstance(listed, list):
            self.warnings.append(f"{self.field}.{key}.{inner}: not a list, passed over")
            return []
        return [item for item in listed if isinstance(item, dict)]

    def owner(self) -> tuple[str | None, str | None]:
        """Team and mail of the ``ownership`` facet: ``team:x`` or plain is a team, an @ makes a mail."""
        team = email = None
        for item in self.entries("ownership", "owners"):
            name = read_text(item.get("name")).strip()[:200]
            if "@" in name:
                email = email or name
            elif name:
                team = team or name.removeprefix("team:")
        return team, email
