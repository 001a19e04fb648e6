"""What the catalog knows around an incident: the facts from which a root cause is concluded, and nothing else.

All facts are values without an order. The same facts in another order, or twice, are the same facts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from data_platform.model.dataset import Stage
    from data_platform.model.deployment import Deployment
    from data_platform.model.lineage import RunState
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.schema import Schema
    from data_platform.model.signal import Finding
    from data_platform.model.verdict import Outcome


@dataclass(frozen=True, kw_only=True)
class StageFact:
    """One judged stage of a run. ``errored`` are gates that could not judge.

    ``inputs`` are datasets with the certified version that was read. ``judged_under`` covers the parts of the policy
    that the stage's gates read; ``policy`` covers all of it.
    """

    run_id: str
    dataset: str
    stage: Stage
    partition: PartitionKey | None
    outcome: Outcome
    started_at: datetime
    finished_at: datetime
    version: int | None = None
    rows_read: int = 0
    signatures: tuple[str, ...] = ()
    errored: tuple[str, ...] = ()
    delivery: str = ""
    policy: str = ""
    judged_under: str = ""
    schema: str = ""
    inputs: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, kw_only=True)
class JobFact:
    """A run of a job that makes ``dataset``, or of a stage without a verdict; ``ended_at`` is None if it runs.

    ``is_dead``: the job has reported no end, and its process is gone. ``schema`` is that of the version that it wrote.
    """

    run_id: str
    process: str
    dataset: str
    partition: PartitionKey | None
    state: RunState
    started_at: datetime
    ended_at: datetime | None = None
    error: str = ""
    is_dead: bool = False
    deploy_ref: str = ""
    schema: str = ""
    rows: int | None = None
    parent_run: str = ""


@dataclass(frozen=True, kw_only=True)
class MarkerFact:
    """``waits_for`` is empty once the delivery was complete, at ``whole_at``."""

    dataset: str
    partition: PartitionKey
    waits_for: str
    whole_at: datetime | None = None


@dataclass(frozen=True, kw_only=True, order=True)
class Derivation:
    """``column`` of ``dataset`` is computed from ``source_column`` of ``source``, directly or over others.

    An empty column is the whole dataset.
    """

    dataset: str
    column: str
    source: str
    source_column: str


@dataclass(frozen=True, kw_only=True)
class CauseFacts:
    """``findings`` are the signals of the incident. ``inputs`` maps a dataset to those that it reads directly.

    ``makers`` maps a dataset to the keys of the processes that make it. ``schemas`` has the columns of fingerprints.
    ``landed`` are datasets that the platform reads from deliveries, ``external`` those that it does not make at all.
    ``mapped`` are datasets of which column lineage is known.
    ``cut`` counts datasets upstream that were left out because there were too many.
    """

    findings: tuple[Finding, ...] = ()
    inputs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    makers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    landed: frozenset[str] = frozenset()
    external: frozenset[str] = frozenset()
    stages: tuple[StageFact, ...] = ()
    jobs: tuple[JobFact, ...] = ()
    markers: tuple[MarkerFact, ...] = ()
    deployments: tuple[Deployment, ...] = ()
    derivations: tuple[Derivation, ...] = ()
    mapped: frozenset[str] = frozenset()
    schemas: Mapping[str, Schema] = field(default_factory=dict)
    cut: int = 0
