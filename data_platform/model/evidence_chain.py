"""How records of evidence are linked: each MAC covers the record, its position, and the MAC of the record before it.

Each dataset has one chain. Its head holds the position and MAC of the last record under a seal of its own, so that
nobody without the key can cut the end of a chain. The register is one more head: the number of chains, and the MAC of
the newest checkpoint. A checkpoint names the heads of all chains; whoever keeps a copy elsewhere can prove what was
in the log at that time, also against somebody who has the key.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC
from typing import TYPE_CHECKING, Any

from data_platform.model.evidence import FIELDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from data_platform.model.evidence import Evidence
    from data_platform.model.evidence_key import EvidenceKey

REGISTER = ""
"""The URN of the register; no dataset has it."""
FIRST = ""
"""The previous MAC of the first record of a chain."""
BROKEN = "0" * 64
"""The previous MAC of a record that was added when the head of its chain had been changed by another program."""
CHECKPOINT_KIND = "data-platform evidence checkpoint"
_CONTENT = (*FIELDS, "stage", "partition", "evidence_id")
_ADDED = ("enforcement", "waivers")
"""Fields that older records do not have: their MAC covers them only if one of them has a value."""
_OF_GROUP = ("group_name", "publication_id")
"""The same, of records about a publish group only."""


@dataclass(frozen=True, kw_only=True)
class EvidenceRecord:
    """A record with its link. ``position`` is None for one from before there were chains, and so are the others."""

    id: int
    evidence: Evidence
    position: int | None
    previous_mac: str | None
    mac: str | None
    key_id: str | None

    @property
    def evidence_id(self) -> str:
        return self.evidence.evidence_id

    def is_sealed_by(self, key: EvidenceKey, position: int) -> bool:
        """Whether the record was written with ``key`` at this position."""
        return key.matches(record_text(self.evidence, position, self.previous_mac or "", key.id), self.mac or "")


@dataclass(frozen=True, kw_only=True)
class Head:
    """The end of a dataset's chain; of the register the number of chains, and the MAC of the newest checkpoint."""

    dataset_urn: str
    position: int
    mac: str
    key_id: str
    seal: str = ""

    def sealed(self, key: EvidenceKey) -> Head:
        values = {"position": self.position, "mac": self.mac, "key_id": key.id}
        return Head(dataset_urn=self.dataset_urn, **values, seal=key.mac(self._text(key.id)))  # type: ignore[arg-type]

    def is_sealed_by(self, key: EvidenceKey) -> bool:
        return key.matches(self._text(key.id), self.seal)

    def _text(self, key_id: str) -> str:
        return _canonical(["head", self.dataset_urn, self.position, self.mac, key_id])


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """``heads`` are URN, position and MAC of each chain; ``unchained`` counts older records, with their digest."""

    number: int
    made_at: str
    key_id: str
    previous_mac: str
    unchained: int
    unchained_digest: str
    heads: tuple[tuple[str, int, str], ...]
    mac: str = ""

    @property
    def records(self) -> int:
        return self.unchained + sum(position for _, position, _ in self.heads)

    def sealed(self, key: EvidenceKey) -> Checkpoint:
        return Checkpoint(**{**vars(self), "mac": key.mac(_canonical(self._content()))})

    def is_sealed_by(self, key: EvidenceKey) -> bool:
        return key.matches(_canonical(self._content()), self.mac)

    def document(self) -> dict[str, Any]:
        """JSON-ready, and small: one entry for each dataset. ``from_document`` reads it."""
        return {**self._content(), "records": self.records, "mac": self.mac}

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Checkpoint:
        """Raises: ValueError, if it is not a checkpoint."""
        try:
            if document["kind"] != CHECKPOINT_KIND:
                raise ValueError("not a checkpoint")
            heads = tuple((str(urn), int(position), str(mac)) for urn, position, mac in document["heads"])
            counts = {name: int(document[name]) for name in ("number", "unchained")}
            names = ("made_at", "key_id", "previous_mac", "unchained_digest", "mac")
            return cls(**counts, **{name: str(document[name]) for name in names}, heads=heads)  # type: ignore[arg-type]
        except (KeyError, TypeError):
            raise ValueError("not a checkpoint") from None

    def _content(self) -> dict[str, Any]:
        values = {name: value for name, value in vars(self).items() if name not in ("mac", "heads")}
        return {"kind": CHECKPOINT_KIND, **values, "heads": [list(head) for head in self.heads]}


def record_text(evidence: Evidence, position: int, previous_mac: str, key_id: str) -> str:
    """The text that the MAC of a record covers."""
    return _canonical(["record", _content(evidence), position, previous_mac, key_id])


def digest_of_unchained(records: Iterable[EvidenceRecord]) -> tuple[int, str]:
    """Returns the number of records, and a digest of their keys, contents and order."""
    count, digest = 0, hashlib.sha256()
    for record in records:
        count += 1
        digest.update(_canonical([record.id, _content(record.evidence)]).encode() + b"\n")
    return count, digest.hexdigest()


def _content(evidence: Evidence) -> list[Any]:
    moment = evidence.timestamp.astimezone(UTC).isoformat(timespec="microseconds")
    values = [moment if name == "timestamp" else getattr(evidence, name) for name in _CONTENT]
    added, of_group = ([getattr(evidence, name) for name in names] for names in (_ADDED, _OF_GROUP))
    if any(value is not None for value in of_group):
        return values + added + of_group
    return values if all(value is None for value in added) else values + added


def _canonical(value: Any) -> str:
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), sort_keys=True, default=str)
