"""Names of datasets: the URN, and what is derived from it: asset keys, identifiers, paths in the lake.

Each derived name is unique across zones, and depends only on the URN: a dataset that is added later never changes the
name of another one. Two rules keep them unique. No zone contains ``__``, so ``zone__name`` can be read in one way only.
No name ends in ``__`` and a stage, so the key of a stage is never the key of another dataset.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

AssetPath: TypeAlias = tuple[str, str]

_URN = re.compile(r"ds://(?P<zone>[a-z][a-z0-9_]*)/(?P<name>[a-z][a-z0-9_]*)")


SEPARATOR = "__"
LANDING = "landing"
"""The name of the asset for a landed dataset's deliveries; stages are named by their values."""


class Stage(StrEnum):
    """The stages of the pipeline, in order. The value is the first part of the table's path."""

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

    @property
    def identifier(self) -> str:
        """``zone__name``, for names that may not contain ``/``: views, quarantine tables, pools, ops."""
        return f"{self.zone}{SEPARATOR}{self.name}"

    @property
    def landing_key(self) -> AssetPath:
        return (self.zone, f"{self.name}{SEPARATOR}{LANDING}")

    def asset_key(self, stage: Stage) -> AssetPath:
        """``ops/flights`` is the certified view, and ``ops/flights__gold`` the stage before it."""
        return (self.zone, self.name if stage is Stage.CERTIFIED else f"{self.name}{SEPARATOR}{stage}")

    @classmethod
    def of_asset_key(cls, key: Sequence[str]) -> tuple[DatasetId, Stage | None]:
        """The dataset and the stage of an asset key of the platform; the stage is None for the key of its deliveries.

        Raises:
            ValueError: ``key`` is not the key of a dataset.
        """
        zone, name = key if len(key) == 2 else ("", "")
        base, _, last = name.rpartition(SEPARATOR)
        if base and last in _RESERVED:
            return cls.parse(f"ds://{zone}/{base}"), None if last == LANDING else Stage(last)
        return cls.parse(f"ds://{zone}/{name}"), Stage.CERTIFIED

    def require_unique_names(self) -> None:
        """Raises: ValueError, if an asset key or identifier of this dataset could be that of another one."""
        if SEPARATOR in self.zone:
            raise ValueError(
                f"the zone {self.zone!r} contains {SEPARATOR!r}, which separates zone and name in views and quarantine "
                "tables: use a single _"
            )
        _, _, last = self.name.rpartition(SEPARATOR)
        if last != self.name and last in _RESERVED:
            raise ValueError(
                f"the name {self.name!r} ends in {SEPARATOR}{last}, the asset key of a stage of another dataset: "
                "choose another name"
            )

    def __str__(self) -> str:
        return self.urn


_RESERVED = {LANDING, *(stage.value for stage in Stage)}
