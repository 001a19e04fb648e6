"""A version that waits for the other members of its publish group: frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey

WAITING_FOR_GROUP = "WAITING_FOR_GROUP"
"""The status, the signature and the result in evidence of a version that passed and is not shown yet."""


@dataclass(frozen=True, kw_only=True)
class MissingMember:
    """Why a member keeps the others waiting for ``partition``."""

    dataset_urn: str
    partition: PartitionKey | None
    reason: str


@dataclass(frozen=True, kw_only=True)
class Waiting:
    """A candidate that is not shown yet, and the members for which it waits. ``since`` is when it passed."""

    group: str
    dataset_urn: str
    partition: PartitionKey | None
    version: int
    run_id: str
    since: datetime
    missing: tuple[MissingMember, ...]

    @property
    def reason(self) -> str:
        """One line: for whom it waits, and why."""
        parts = [f"{one.dataset_urn} {one.partition or ''}".rstrip() + f" {one.reason}" for one in self.missing]
        return f"waits for publish group {self.group}: {'; '.join(parts)}"
