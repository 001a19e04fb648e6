"""The state of every dataset in one value: what the pages *Today* and *Datasets* show.

``overview_of`` is a pure function of facts that ``overview_source`` reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from data_platform.model.certification import CertificationStatus

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from data_platform.model.at_risk import AtRisk
    from data_platform.model.certification import Certification
    from data_platform.model.due_partition import DueOfDataset
    from data_platform.model.incident import Incident
    from data_platform.model.lateness import LatePartition
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import RunRow
    from data_platform.policies import Dataset, Policies


class DatasetState(StrEnum):
    """The most urgent thing that is true of a dataset, the worst first."""

    LATE = "late"
    AT_RISK = "at risk"
    HELD = "held"
    UNCERTIFIED = "never certified"
    CERTIFIED = "certified"
    EXTERNAL = "external"
    """The platform does not make it, and it is not late."""


@dataclass(frozen=True, kw_only=True)
class DatasetLine:
    """A declared dataset. ``version`` and ``certified_at`` are what consumers see; ``reason`` says why not more.

    ``incident`` is the number of the active incident that is about it, if there is one. ``held_days`` are partitions
    whose last run was held and that were not certified since, ``held`` is the oldest of them; a newer one may be
    certified.
    """

    urn: str
    name: str
    zone: str
    owner_team: str
    tier: str
    status: str
    description: str
    time_zone: str
    state: DatasetState
    version: int | None = None
    certified_at: datetime | None = None
    partition: PartitionKey | None = None
    reason: str = ""
    incident: int | None = None
    held_days: int = 0
    held: PartitionKey | None = None

    @property
    def states(self) -> tuple[DatasetState, ...]:
        """Everything that is true of it, the most urgent first."""
        is_also_held = self.held_days and self.state is not DatasetState.HELD
        return (self.state, DatasetState.HELD) if is_also_held else (self.state,)


@dataclass(frozen=True, kw_only=True)
class Facts:
    """What is known at ``at``: of all declared datasets, their pointers, deadlines and incidents."""

    at: datetime
    policies: Policies
    certifications: tuple[Certification, ...] = ()
    late: tuple[LatePartition, ...] = ()
    at_risk: tuple[AtRisk, ...] = ()
    due: tuple[DueOfDataset, ...] = ()
    held: tuple[RunRow, ...] = ()
    incidents: tuple[Incident, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Overview:
    """``lines`` are in the order of URNs. Two overviews are never equal, so a page can keep what it made of one."""

    facts: Facts
    lines: tuple[DatasetLine, ...]
    by_urn: Mapping[str, DatasetLine] = field(default_factory=dict)

    @property
    def at(self) -> datetime:
        return self.facts.at


def overview_of(facts: Facts) -> Overview:
    pointers = {one.dataset_urn: one for one in facts.certifications}
    late = {one.dataset: one for one in reversed(facts.late)}
    at_risk = {one.dataset: one for one in reversed(facts.at_risk)}
    incidents = {one.dataset: one.number for one in sorted(facts.incidents, key=lambda one: one.number)}
    held: dict[str, list[PartitionKey]] = {}
    for run in facts.held:
        if run.partition is not None:
            held.setdefault(run.dataset_urn, []).append(run.partition)
    lines = tuple(
        _line(
            dataset,
            pointers.get(dataset.urn),
            late.get(dataset.urn),
            at_risk.get(dataset.urn),
            incidents.get(dataset.urn),
            held.get(dataset.urn, []),
        )
        for dataset in facts.policies.datasets
    )
    return Overview(facts=facts, lines=lines, by_urn={line.urn: line for line in lines})


def _line(
    dataset: Dataset,
    pointer: Certification | None,
    late: LatePartition | None,
    at_risk: AtRisk | None,
    incident: int | None,
    held: list[PartitionKey],
) -> DatasetLine:
    state, reason = _state(dataset, pointer, late, at_risk)
    policy = dataset.policy
    return DatasetLine(
        urn=dataset.urn,
        name=dataset.id.name,
        zone=dataset.id.zone,
        owner_team=policy.owner_team,
        tier=policy.tier,
        status=policy.status,
        description=policy.description,
        time_zone=policy.zone,
        state=state,
        version=pointer.version if pointer else None,
        certified_at=pointer.certified_at if pointer else None,
        partition=pointer.partition if pointer else None,
        reason=reason,
        incident=incident,
        held_days=len(held),
        held=min(held, default=None),
    )


def _state(
    dataset: Dataset, pointer: Certification | None, late: LatePartition | None, at_risk: AtRisk | None
) -> tuple[DatasetState, str]:
    is_held = pointer is not None and pointer.status is CertificationStatus.HELD_AT_PREVIOUS
    if late is not None:
        return DatasetState.LATE, late.reason
    if at_risk is not None:
        waits = f"; waits for {', '.join(at_risk.upstream)}" if at_risk.upstream else ""
        return DatasetState.AT_RISK, f"what must still run takes longer than the time that is left{waits}"
    if is_held and pointer is not None:
        return DatasetState.HELD, pointer.reason
    if pointer is not None and pointer.version is not None:
        return DatasetState.CERTIFIED, ""
    if not dataset.stages:
        return DatasetState.EXTERNAL, "the platform does not make it: its producer reports it"
    return DatasetState.UNCERTIFIED, pointer.reason if pointer else "no run of it has ended yet"
