"""The root cause of an incident, with its evidence: what the rules concluded, what they ruled out, and what to do."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.partition_key import PartitionKey


class CauseKind(StrEnum):
    """Kinds of causes. Of two at the same dataset the one that stands first here is the cause of the other."""

    DEPLOYMENT = "DEPLOYMENT"
    SCHEMA_CHANGE = "SCHEMA_CHANGE"
    TRUNCATED_DELIVERY = "TRUNCATED_DELIVERY"
    DUPLICATE_DELIVERY = "DUPLICATE_DELIVERY"
    POLICY_EDIT = "POLICY_EDIT"
    GATE_ERROR = "GATE_ERROR"
    NEW_VALUE = "NEW_VALUE"
    PERSONAL_DATA = "PERSONAL_DATA"
    JOB_FAILED = "JOB_FAILED"
    JOB_RUNNING_SLOW = "JOB_RUNNING_SLOW"
    PARTIAL_WRITE = "PARTIAL_WRITE"
    WRONG_DAY = "WRONG_DAY"
    NOT_DELIVERED = "NOT_DELIVERED"
    JOB_NOT_TRIGGERED = "JOB_NOT_TRIGGERED"
    BROKEN_ROWS = "BROKEN_ROWS"


class Strength(StrEnum):
    """SEEN: the dataset itself shows the effect. LINKED: it changed, and lineage leads from it to the effect.

    POSSIBLE: it changed in that time, and nothing more is known.
    """

    SEEN = "SEEN"
    LINKED = "LINKED"
    POSSIBLE = "POSSIBLE"


class EvidenceKind(StrEnum):
    """The nodes on the way from an incident to its cause."""

    INCIDENT = "INCIDENT"
    SIGNAL = "SIGNAL"
    SIGNATURE = "SIGNATURE"
    RUN = "RUN"
    DAG_RUN = "DAG_RUN"
    DATASET = "DATASET"
    CAUSE = "CAUSE"


@dataclass(frozen=True, kw_only=True)
class EvidenceStep:
    """One node of the chain. ``name`` identifies it (a run id, a dataset), ``text`` says what it shows."""

    kind: EvidenceKind
    name: str
    text: str
    at: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """A possible cause. ``at`` is when it happened, in UTC. ``depth`` counts datasets upstream from the incident."""

    kind: CauseKind
    strength: Strength
    dataset: str
    partition: PartitionKey | None
    at: datetime | None
    reason: str
    depth: int = 0
    path: tuple[str, ...] = ()
    run_id: str | None = None
    dag_run_id: str | None = None
    deploy_ref: str | None = None


@dataclass(frozen=True, kw_only=True)
class RuledOut:
    """Something that happened, and why it is not the cause."""

    what: str
    dataset: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class RootCause:
    """``cause`` is None if nothing in evidence explains the incident. ``others`` are the next best, the best first."""

    incident: int
    dataset: str
    partition: PartitionKey | None
    summary: str
    cause: Candidate | None = None
    remedy: str = ""
    evidence: tuple[EvidenceStep, ...] = ()
    others: tuple[Candidate, ...] = ()
    ruled_out: tuple[RuledOut, ...] = ()
    ruled_out_total: int = 0
