"""Evidence as pages show it: the list, one record with the judgement that it is about, and the proof of the chains."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from data_platform.model.evidence_break import ChainPlace, Verification

if TYPE_CHECKING:
    from data_platform.model.evidence import Evidence
    from data_platform.model.evidence_chain import EvidenceRecord
    from data_platform.model.run import RowCounts, RunRow
    from data_platform.model.verdict import Verdict


@dataclass(frozen=True, kw_only=True)
class TopicLine:
    """How far a Kafka topic has the log: ``sent`` records, and those that wait, the oldest since ``waits_since``."""

    topic: str
    sent: int
    sent_at: datetime | None
    waiting: int
    waits_since: datetime | None


@dataclass(frozen=True, kw_only=True)
class CheckpointLine:
    number: int
    made_at: datetime


@dataclass(frozen=True, kw_only=True)
class EvidenceFilter:
    """Empty texts select everything. ``gates`` and ``results`` are the choices."""

    dataset: str
    day: str
    gate: str
    result: str
    run: str
    gates: tuple[str, ...]
    results: tuple[str, ...]

    @property
    def is_set(self) -> bool:
        return any((self.dataset, self.day, self.gate, self.result, self.run))


@dataclass(frozen=True, kw_only=True)
class EvidenceList:
    """``rows`` are newest first; ``cursor`` is the next page. ``checkpoints`` are the newest ones."""

    asked: EvidenceFilter
    rows: tuple[Evidence, ...]
    cursor: str | None
    topics: tuple[TopicLine, ...]
    checkpoints: tuple[CheckpointLine, ...]


@dataclass(frozen=True, kw_only=True)
class JudgedRun:
    """The run of the stage whose gate the record is about."""

    rows: RowCounts
    outcome: str
    version: int | None
    started_at: datetime
    finished_at: datetime
    delivery_id: str
    policy_fingerprint: str
    schema_fingerprint: str
    input_versions: dict[str, int]

    @classmethod
    def of(cls, run: RunRow) -> JudgedRun:
        return cls(**{name: getattr(run, name) for name in cls.__dataclass_fields__})


@dataclass(frozen=True, kw_only=True)
class RecordView:
    """``before`` and ``after`` are the ids of its neighbours in the chain.

    ``is_sealed`` is whether the MAC matches; None if it cannot be known. ``run`` is
    None for a decision that was made outside a stage, and ``verdict`` where the gate left none.
    """

    record: EvidenceRecord
    description: str
    is_sealed: bool | None
    time_zone: str
    before: str | None
    after: str | None
    run: JudgedRun | None
    verdict: Verdict | None


@dataclass(frozen=True, kw_only=True)
class VerificationView:
    """``dataset`` is None for the whole log. ``continuation`` leads to the next part; None if this is the last one.

    A part that finds a break is the last one.
    """

    dataset: str | None
    began_at: datetime
    verification: Verification
    continuation: str | None
    checkpoints: tuple[CheckpointLine, ...]


@dataclass(frozen=True)
class VerificationProgress:
    """What the next part of a verification must know."""

    dataset: str | None
    began_at: datetime
    so_far: Verification

    def document(self) -> list[Any]:
        return [self.dataset, self.began_at.isoformat(), asdict(self.so_far)]

    @classmethod
    def from_document(cls, document: list[Any]) -> VerificationProgress:
        dataset, began_at, so_far = document
        place = ChainPlace(**so_far.pop("reached"))
        return cls(dataset, datetime.fromisoformat(began_at), Verification(**so_far, reached=place))
