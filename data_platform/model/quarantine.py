"""Quarantined rows: which table has them, why, and whether they still need attention."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.dataset import Stage
    from data_platform.model.partition_key import PartitionKey

VIOLATIONS = "_violations"
"""The column of quarantined rows that lists the signature of every rule that the row breaks."""

OWN_COLUMNS = ("_file", "_line", "_raw", "_malformed", VIOLATIONS, "_resolved", "_partition")
"""The columns that the platform adds to those of a delivery, in bronze and in quarantine."""

Level = Literal["row", "batch"]


class Supersedes(StrEnum):
    """Which open entries of its partition a stage closes: their rows were judged again, or are in its own entry."""

    ALL = "ALL"
    SAME_DELIVERY = "SAME_DELIVERY"  # some files could not be read: rows of another delivery were not judged again
    NONE = "NONE"  # nothing was read


class QuarantineStatus(StrEnum):
    """Only OPEN needs attention."""

    OPEN = "OPEN"
    SUPERSEDED = "SUPERSEDED"  # a later run judged the same slice again
    RESOLVED = "RESOLVED"  # every row was delivered again, corrected
    DISCARDED = "DISCARDED"  # somebody decided that no open row is wanted
    RELEASED = "RELEASED"  # an approved release let every open row through, and a run merged them


@dataclass(frozen=True, kw_only=True)
class QuarantineEntry:
    """One quarantine table. ``level`` is what was quarantined: single rows, or the whole batch.

    ``signatures`` counts the rows by failure signature; None if the count is not recorded. Its rows are
    ``open_rows + resolved_rows + discarded_rows + released_rows``; the catalog refuses counts that do not add up.
    """

    name: str  # orders_20260215_run_abc123
    path: str
    dataset_urn: str
    stage: Stage
    partition: PartitionKey | None
    run_id: str
    level: Level
    rows: int
    resolved_rows: int
    signatures: dict[str, int | None]
    delivery_id: str
    created_at: datetime
    status: QuarantineStatus = QuarantineStatus.OPEN
    discarded_rows: int = 0
    released_rows: int = 0
    assignee: str | None = None
    closed_by: str | None = None
    closed_at: datetime | None = None
    closed_reason: str | None = None

    @property
    def open_rows(self) -> int:
        """Rows that were neither delivered again, nor discarded, nor released."""
        return self.rows - self.resolved_rows - self.discarded_rows - self.released_rows

    @property
    def full_name(self) -> str:
        return f"quarantine.{self.name}"

    @property
    def resolved(self) -> bool:
        return self.resolved_rows == self.rows > 0
