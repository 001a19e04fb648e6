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


@dataclass(frozen=True, kw_only=True)
class ChainPlace:
    """A record of a chain up to which it was checked, with what the check of the next one needs to know."""

    dataset_urn: str
    position: int
    mac: str
    row_id: int
    records: int
    unverifiable: int


@dataclass
class Verification:
    """Counts of what was read. ``unchained`` are records from before there were chains.

    ``unverifiable`` counts records whose key was given up: only their order was checked. ``expected`` is the number of
    records that the heads of the chains count. A verification that ended early has checked everything up to
    ``reached``, whose chain is not in the counts yet.
    """

    chains: int = 0
    records: int = 0
    unchained: int = 0
    unverifiable: int = 0
    checkpoints: int = 0
    anchored: str | None = None  # the time of the checkpoint that was kept elsewhere
    expected: int = 0
    reached: ChainPlace | None = None
    breaks: list[Break] = field(default_factory=list)

    @property
    def is_whole(self) -> bool:
        return not self.breaks and self.reached is None

    @property
    def checked(self) -> int:
        """Records, also those of the chain that is not complete."""
        return self.records + (self.reached.records if self.reached else 0)
