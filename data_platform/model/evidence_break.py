"""What a verification of the evidence log found: how much was checked, and the first break of each chain."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum


class BreakKind(StrEnum):
    EDITED = "edited"
    REORDERED = "reordered"
    MISSING = "missing"
    INSERTED = "inserted"
    CUT = "cut"
    REPLACED = "replaced"
    NO_KEY = "no key"


@dataclass(frozen=True, kw_only=True)
class Break:
    """``dataset_urn`` is empty for what belongs to no single chain: the register, checkpoints, older records."""

    kind: BreakKind
    detail: str
    dataset_urn: str = ""
    position: int | None = None
    evidence_id: str | None = None
    run_id: str | None = None


@dataclass
class Verification:
    """Counts of what was read. ``unchained`` are records from before there were chains.

    ``unverifiable`` counts records whose key was given up: only their order was checked.
    """

    chains: int = 0
    records: int = 0
    unchained: int = 0
    unverifiable: int = 0
    checkpoints: int = 0
    anchored: str | None = None  # the time of the checkpoint that was kept elsewhere
    breaks: list[Break] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return not self.breaks
