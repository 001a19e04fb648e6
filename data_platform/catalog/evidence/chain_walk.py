"""Walks along one chain, and finds its first break: each record must carry its MAC, and link to the one before."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.catalog.evidence.log import record_of
from data_platform.model.evidence_break import Break, BreakKind, ChainPlace
from data_platform.model.evidence_chain import BROKEN, FIRST

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sqlalchemy.engine import RowMapping

    from data_platform.model.evidence_chain import EvidenceRecord, Head
    from data_platform.model.evidence_key import EvidenceKey, EvidenceKeys

SEARCHED = 20_000
"""Positions on each side at which a record that does not belong where it is may have been written."""


@dataclass
class KeyRing:
    """Reads each key once."""

    keys: EvidenceKeys
    found: dict[str, EvidenceKey | None] = field(default_factory=dict)
    lost: dict[str, bool] = field(default_factory=dict)

    def find(self, key_id: str) -> EvidenceKey | None:
        if key_id not in self.found:
            self.found[key_id] = self.keys.find(key_id)
        return self.found[key_id]

    def is_lost(self, key_id: str) -> bool:
        """Whether somebody gave the key up."""
        if key_id not in self.lost:
            self.lost[key_id] = self.keys.is_lost(key_id)
        return self.lost[key_id]


@dataclass
class ChainWalk:
    """``anchors`` maps positions to the MAC that checkpoints saw there, with the name of the checkpoint."""

    urn: str
    ring: KeyRing
    anchors: Mapping[int, tuple[str, str]]
    found: Break | None = None
    position: int = 0
    mac: str = FIRST
    row_id: int = -sys.maxsize
    records: int = 0
    unverifiable: int = 0

    @classmethod
    def behind(
        cls, place: ChainPlace | None, urn: str, ring: KeyRing, anchors: Mapping[int, tuple[str, str]]
    ) -> ChainWalk:
        """A walk that goes on after ``place`` if that is in the chain of ``urn``, otherwise one from its beginning."""
        if place is None or place.dataset_urn != urn:
            return cls(urn, ring, anchors)
        known = {name: value for name, value in vars(place).items() if name != "dataset_urn"}
        return cls(urn, ring, anchors, **known)

    @property
    def place(self) -> ChainPlace:
        return ChainPlace(
            dataset_urn=self.urn,
            position=self.position,
            mac=self.mac,
            row_id=self.row_id,
            records=self.records,
            unverifiable=self.unverifiable,
        )

    def take(self, row: RowMapping) -> None:
        """Checks the next row, unless an earlier one is broken."""
        self.records += 1
        if self.found is not None:
            return
        try:
            record = record_of(row)
        except (ValueError, TypeError):
            detail = f"the row {row['id']} holds a value that is none of its column"
            self.found = Break(kind=BreakKind.EDITED, dataset_urn=self.urn, detail=detail)
            return
        self.found = self._break_in(record)
        self.position, self.mac, self.row_id = record.position or 0, record.mac or "", record.id

    def end(self, head: Head | None) -> None:
        """Checks the head, and what checkpoints saw behind the last record."""
        if self.found is None:
            self.found = self._break_of_head(head)

    def _break_in(self, record: EvidenceRecord) -> Break | None:
        position = record.position or 0
        if position <= self.position:
            return self._at(record, BreakKind.INSERTED, f"it is a second record at position {position}")
        key = self.ring.find(record.key_id or "")
        if key is None and not self._is_given_up(record):
            return self._at(record, BreakKind.NO_KEY, f"its key {record.key_id} is not there, so it cannot be verified")
        if key is not None and not record.is_sealed_by(key, position):
            return self._misplaced(record, key)
        if position > self.position + 1:
            gone = self._span(self.position + 1, position - 1)
            return self._at(record, BreakKind.MISSING, f"{gone} before it is missing")
        return self._unlinked(record)

    def _unlinked(self, record: EvidenceRecord) -> Break | None:
        if record.previous_mac == BROKEN:
            return self._at(record, BreakKind.CUT, "the head of the chain had been changed before it was added")
        if record.previous_mac != self.mac:
            return self._at(record, BreakKind.REPLACED, "it continues another record than the one before it")
        if record.id <= self.row_id:
            return self._at(record, BreakKind.REORDERED, "its row has a smaller id than the record before it")
        seen, checkpoint = self.anchors.get(record.position or 0, (record.mac, ""))
        if seen != record.mac:
            return self._at(record, BreakKind.REPLACED, f"{checkpoint} saw another record here")
        return None

    def _misplaced(self, record: EvidenceRecord, key: EvidenceKey) -> Break:
        """Names where the record was written, if its content is unchanged."""
        here = record.position or 0
        for place in range(max(1, here - SEARCHED), here + SEARCHED):
            if record.is_sealed_by(key, place):
                return self._at(record, BreakKind.REORDERED, f"it was written at position {place}")
        return self._at(record, BreakKind.EDITED, "its content is not what its MAC was made for")

    def _is_given_up(self, record: EvidenceRecord) -> bool:
        """Whether its key is known to be lost, and no record with a key that is there came before it."""
        if not self.ring.is_lost(record.key_id or "") or self.unverifiable != self.records - 1:
            return False
        self.unverifiable += 1
        return True

    def _break_of_head(self, head: Head | None) -> Break | None:
        anchored = max(self.anchors, default=0)
        if anchored > self.position:
            detail = f"{self._span(self.position + 1, anchored)}, which {self.anchors[anchored][1]} saw, is missing"
            return self._lacks(BreakKind.CUT, detail)
        if head is None:
            return self._lacks(BreakKind.CUT, "its head is missing")
        key = self.ring.find(head.key_id)
        if key is None:
            return self._lacks(BreakKind.NO_KEY, f"the key {head.key_id} of its head is not there")
        if not head.is_sealed_by(key):
            return self._lacks(BreakKind.CUT, "its head was changed, so records behind the last one may be missing")
        if head.position > self.position:
            return self._lacks(BreakKind.CUT, f"{self._span(self.position + 1, head.position)} at its end is missing")
        if (head.position, head.mac) != (self.position, self.mac):
            return self._lacks(BreakKind.INSERTED, f"records follow its head at position {head.position}")
        return None

    def _at(self, record: EvidenceRecord, kind: BreakKind, detail: str) -> Break:
        return Break(
            kind=kind,
            dataset_urn=self.urn,
            position=record.position,
            evidence_id=record.evidence_id,
            run_id=record.evidence.run_id,
            detail=detail,
        )

    def _lacks(self, kind: BreakKind, detail: str) -> Break:
        return Break(kind=kind, dataset_urn=self.urn, position=self.position + 1, detail=detail)

    @staticmethod
    def _span(first: int, last: int) -> str:
        return f"the record at position {first}" if first == last else f"the range of positions {first} to {last}"
