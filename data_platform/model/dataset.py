"""What a dataset is called, and the stages that it passes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

_URN = re.compile(r"ds://(?P<zone>[a-z][a-z0-9_]*)/(?P<name>[a-z][a-z0-9_]*)")


class Stage(StrEnum):
    """The road a row travels. The value is the first part of the asset key and of the path."""

    BRONZE = "bronze"
    SILVER = "silver"
    GOLD = "gold"
    CERTIFIED = "gold_certified"


@dataclass(frozen=True, order=True)
class DatasetId:
    """``ds://zone/name``; both parts are lower case letters, digits and ``_``."""

    zone: str
    name: str

    @classmethod
    def parse(cls, urn: str) -> DatasetId:
        """Raises: ValueError, if ``urn`` is not ``ds://zone/name``."""
        match = _URN.fullmatch(urn)
        if match is None:
            raise ValueError(f"{urn!r} is not a dataset URN: expected ds://zone/name in lower case letters, digits, _")
        return cls(match["zone"], match["name"])

    @property
    def urn(self) -> str:
        return f"ds://{self.zone}/{self.name}"

    def __str__(self) -> str:
        return self.urn
