"""A run of a stage, and its results."""

from __future__ import annotations

import re
import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from data_platform.model.group_waiting import WAITING_FOR_GROUP
from data_platform.model.stage_gate import outcome_of
from data_platform.model.verdict import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from data_platform.model.dataset import DatasetId, Stage
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.schema import Schema
    from data_platform.model.verdict import Verdict


JUDGED_UNDER = "judged_under"
"""The metadata key of a report for the fingerprint of those parts of the policy that the stage's gates read."""


SOURCE = "source"
"""The metadata key of a bronze stage that read a table: which database, table, interval and snapshot."""

ENFORCEMENT = "enforcement"
"""The metadata key for the mode under which the stage ran."""

FAILED_BEFORE = "failed_before"
"""The metadata key for the stages before that failed without holding: one line for each, with its run and rules.

Their rows are in this stage too, so its version is not certified, whatever its own gates found.
"""


BASELINE = "baseline"
"""The metadata key of a bronze or silver stage whose gates compare with ``baseline.json``."""


def new_run_id(now: datetime) -> str:
    """``run_20260215_1f0c9a2b77d4``: the form of a required run id, with 48 random bits."""
    return f"run_{now:%Y%m%d}_{uuid.uuid4().hex[:12]}"


def quarantine_name(dataset: DatasetId, day: datetime, run_id: str) -> str:
    """``sales__orders_20260215_run_abc123``: the form of FR-10, with the zone. The run's date appears once."""
    tail = re.sub(r"[^A-Za-z0-9]+", "_", re.sub(r"^run_\d{8}_", "", run_id))
    return f"{dataset.identifier}_{day:%Y%m%d}_run_{tail}"


@dataclass(frozen=True, kw_only=True)
class RowCounts:
    """Row counts, which must add up: ``read == accepted + quarantined + dropped``."""

    read: int = 0
    accepted: int = 0
    quarantined: int = 0
    dropped: int = 0

    @property
    def conserved(self) -> bool:
        return self.read == self.accepted + self.quarantined + self.dropped


@dataclass(frozen=True, kw_only=True)
class StageReport:
    """What one stage did with one batch: where it wrote, its counts, and the verdicts of its gates.

    ``version`` is the Delta version that the verdicts are about; None if nothing was committed there.
    ``quarantine_table`` is ``quarantine.<name>`` if rows or the whole batch were quarantined. ``derived`` means that a
    process makes the dataset, so its gates are those of a derived one; a gate without a verdict does not pass.
    """

    dataset: DatasetId
    stage: Stage
    partition: PartitionKey | None
    run_id: str
    path: str
    version: int | None
    rows: RowCounts
    verdicts: tuple[Verdict, ...]
    started_at: datetime
    finished_at: datetime
    schema: Schema | None = None
    quarantine_table: str | None = None
    quarantine_path: str | None = None
    delivery_id: str = ""
    policy_fingerprint: str = ""
    input_versions: dict[str, int] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    derived: bool = False

    @property
    def outcome(self) -> Outcome:
        return outcome_of(self.verdicts, self.stage, derived=self.derived)

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED

    @property
    def qualifies(self) -> bool:
        """Whether its version may be certified."""
        return _qualifies(self.outcome, self.metadata)

    @property
    def waits(self) -> bool:
        """Whether it passed, and its version waits for the other members of its publish group."""
        return WAITING_FOR_GROUP in self.metadata

    @property
    def proceeds(self) -> bool:
        """Whether it was not held, so that the stage after it runs."""
        return _proceeds(self.outcome, self.version)


@dataclass(frozen=True, kw_only=True)
class RunRow:
    """A recorded ``StageReport`` in short: outcomes by gate, and rows by failure signature, the most frequent first."""

    run_id: str
    dataset_urn: str
    stage: Stage
    partition: PartitionKey | None
    outcome: Outcome
    path: str
    version: int | None
    rows: RowCounts
    started_at: datetime
    finished_at: datetime
    reason: str = ""
    signatures: dict[str, int | None] = field(default_factory=dict)
    verdicts: dict[str, Outcome] = field(default_factory=dict)
    quarantine_table: str | None = None
    quarantine_path: str | None = None
    delivery_id: str = ""
    policy_fingerprint: str = ""
    schema_fingerprint: str = ""
    input_versions: dict[str, int] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        return self.outcome is Outcome.PASSED

    @property
    def qualifies(self) -> bool:
        """Whether its version may be certified."""
        return _qualifies(self.outcome, self.metadata)

    @property
    def proceeds(self) -> bool:
        """Whether it was not held: its rows are in the table, and the stage after it may read them."""
        return _proceeds(self.outcome, self.version)


def _qualifies(outcome: Outcome, metadata: Mapping[str, Any]) -> bool:
    return outcome.qualifies and not metadata.get(FAILED_BEFORE)


def _proceeds(outcome: Outcome, version: int | None) -> bool:
    """A failed stage has a version only if its enforcement mode did not hold it."""
    return outcome.qualifies or (outcome is Outcome.FAILED and version is not None)
