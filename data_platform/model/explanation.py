"""Why consumers see a version, or why a day was held: what the records of runs and verdicts contain about it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.model.dataset import Stage
    from data_platform.model.group_waiting import Waiting
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import RowCounts
    from data_platform.model.verdict import Outcome, Verdict


class ExplanationState(StrEnum):
    CERTIFIED = "CERTIFIED"
    HELD = "HELD"
    PASSED = "PASSED"
    """The last stage that ran has passed, and nothing of it is certified."""


@dataclass(frozen=True, kw_only=True)
class ExplainedStage:
    """One run of one stage. ``version`` is None if nothing of it stayed in the table."""

    stage: Stage
    outcome: Outcome
    run_id: str
    started_at: datetime
    finished_at: datetime
    version: int | None
    rows: RowCounts
    reason: str
    policy_fingerprint: str
    quarantine_table: str | None
    verdicts: tuple[Verdict, ...]
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ExplainedDelivery:
    """The files of a landed dataset. ``producer`` is from G2_IDENTITY, ``details`` are problems with the files."""

    id: str
    files: tuple[str, ...] = ()
    producer: str | None = None
    details: tuple[str, ...] = ()
    passed_over: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ExplainedInput:
    """A certified version that a process has read, and the run and partition that had certified it."""

    dataset_urn: str
    version: int
    certified_at: datetime | None = None
    run_id: str = ""
    partition: PartitionKey | None = None

    @property
    def command(self) -> str:
        """The command that explains it."""
        return f"data-platform why {self.dataset_urn} v{self.version}"


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """``stages`` are the runs behind the result, from the first stage on.

    ``version`` is the certified version, and ``judged_version`` the one that the gates judged, with the same rows; both
    are None unless CERTIFIED. ``other_partitions`` counts the others in the version. ``next_steps`` are for a held day.
    ``waiting`` are versions that passed, and wait for the other members of the publish group.
    """

    dataset_urn: str
    state: ExplanationState
    partition: PartitionKey | None
    version: int | None = None
    judged_version: int | None = None
    certified_at: datetime | None = None
    other_partitions: int = 0
    stages: tuple[ExplainedStage, ...] = ()
    delivery: ExplainedDelivery | None = None
    inputs: tuple[ExplainedInput, ...] = ()
    next_steps: tuple[str, ...] = ()
    waiting: tuple[Waiting, ...] = ()
