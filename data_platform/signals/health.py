"""The health of datasets: how the last days of each were certified, delivered and judged, as one score of its parts.

A part that does not apply, such as a deadline that nobody declared, is left out, and is never a full mark. Warnings
cost half of a day of their part.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING

from data_platform.model.health import DatasetHealth, GroupHealth, HealthPart, PartScore
from data_platform.model.partition_key import PartitionKey
from data_platform.model.policy import DatasetStatus
from data_platform.model.verdict import Gate
from data_platform.signals.due import late_partitions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.model.health import GateScore
    from data_platform.policies import Dataset, Policies

DAYS = 14
_GATES = {
    HealthPart.CONTRACT: Gate.G4_CONTRACT,
    HealthPart.SCHEMA: Gate.G3_SCHEMA,
    HealthPart.PERSONAL_DATA: Gate.G5_PII,
    HealthPart.QUALITY: Gate.DQ,
}
_WARNING_COSTS = 0.5


def find_health(
    policies: Policies, catalog: Catalog, now: datetime, *, datasets: Iterable[str] | None = None, days: int = DAYS
) -> tuple[DatasetHealth, ...]:
    """The datasets that the platform lands or derives, the least healthy first; those without a score are last.

    ``datasets`` are URNs, None for all. Partitions of the last ``days`` days count.
    """
    wanted = None if datasets is None else set(datasets)
    own = [
        one
        for one in policies.datasets
        if one.stages and one.policy.status is DatasetStatus.ACTIVE and (wanted is None or one.urn in wanted)
    ]
    since = PartitionKey.containing(now, "UTC").shifted(-days)
    urns = [one.urn for one in own]
    scores = catalog.timeliness.gate_scores(urns, since=since)
    certified = catalog.timeliness.first_certified(urns, since=since)
    found = [_health(one, scores.get(one.urn, {}), certified.get(one.urn, {}), since, now) for one in own]
    return tuple(sorted(found, key=lambda one: (one.score is None, one.score, one.dataset)))


def rolled_up(found: Iterable[DatasetHealth], name_of: Callable[[DatasetHealth], str]) -> tuple[GroupHealth, ...]:
    """By the group that ``name_of`` gives, the least healthy first."""
    groups: dict[str, list[DatasetHealth]] = {}
    for one in found:
        groups.setdefault(name_of(one), []).append(one)
    rolled = [_group(name, members) for name, members in groups.items()]
    return tuple(sorted(rolled, key=lambda group: (group.score is None, group.score, group.name)))


def _group(name: str, members: list[DatasetHealth]) -> GroupHealth:
    scored = {one.dataset: one.score for one in members if one.score is not None}
    worst = min(scored, key=lambda urn: (scored[urn], urn), default=None)
    return GroupHealth(
        name=name,
        datasets=len(members),
        score=round(fmean(scored.values()), 1) if scored else None,
        worst=worst,
        worst_score=scored[worst] if worst else None,
    )


def _health(
    dataset: Dataset,
    gates: Mapping[Gate, GateScore],
    certified: Mapping[PartitionKey, datetime],
    since: PartitionKey,
    now: datetime,
) -> DatasetHealth:
    parts = [
        *_certified(dataset, gates, certified),
        *_on_time(dataset, certified, since, now),
        *_judged(dataset, gates),
    ]
    weight = sum(part.part.weight for part in parts)
    points = sum(part.score * part.part.weight for part in parts)
    return DatasetHealth(
        dataset=dataset.urn,
        owner_team=dataset.policy.owner_team,
        tier=dataset.policy.tier,
        score=round(100 * points / weight, 1) if weight else None,
        parts=tuple(parts),
    )


def _certified(
    dataset: Dataset, gates: Mapping[Gate, GateScore], certified: Mapping[PartitionKey, datetime]
) -> Iterator[PartScore]:
    """The partitions that were judged, and how many of them consumers see."""
    judged = max((score.days for score in gates.values()), default=0)
    good = gates[Gate.CERTIFICATION].passed if Gate.CERTIFICATION in gates else len(certified)
    if judged:
        hint = f"data-platform history {dataset.urn}"
        yield PartScore(part=HealthPart.CERTIFIED, score=min(good / judged, 1.0), good=good, of=judged, hint=hint)


def _on_time(
    dataset: Dataset, certified: Mapping[PartitionKey, datetime], since: PartitionKey, now: datetime
) -> Iterator[PartScore]:
    due = [one for one in late_partitions(dataset.policy, now) if one.partition >= since]
    good = sum(one.partition in certified and certified[one.partition] <= one.late_since for one in due)
    if due:
        hint = "data-platform signals freshness"
        yield PartScore(part=HealthPart.ON_TIME, score=good / len(due), good=good, of=len(due), hint=hint)


def _judged(dataset: Dataset, gates: Mapping[Gate, GateScore]) -> Iterator[PartScore]:
    for part, gate in _GATES.items():
        found = gates.get(gate)
        if found is None or not found.days:
            continue
        clean = found.passed - found.warned
        passed = (clean + (1 - _WARNING_COSTS) * found.warned) / found.days
        score = min(passed, found.compliance) if found.compliance is not None else passed
        hint = f"data-platform why {dataset.urn}"
        yield PartScore(part=part, score=score, good=clean, of=found.days, hint=hint)
