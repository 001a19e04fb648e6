"""What people read of a group of findings: its title, its owner, and who is affected downstream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import NotFoundError
from data_platform.model.deadline import late_after
from data_platform.model.incident import Affected, BlastRadius
from data_platform.model.incident_event import SignalGroup
from data_platform.model.lateness import LateCause
from data_platform.model.lineage import NodeType
from data_platform.model.signal import SignalKind, SignalSeverity
from data_platform.signals.relation import downstream_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.signal import Finding
    from data_platform.policies import Policies
    from data_platform.signals.situation import Situation

MOST_AFFECTED = 20
LONGEST_TITLE = 300
_PAGE = 1000

_LATE = {
    LateCause.JOB_NOT_TRIGGERED: "its job was not started in time",
    LateCause.JOB_FAILED: "its job failed",
    LateCause.JOB_RUNNING_SLOW: "its job takes longer than usual",
    LateCause.PARTIAL_WRITE: "it was written, and not certified",
    LateCause.HELD_BY_GATE: "a gate holds it",
}


def describe(
    situation: Situation, findings: tuple[Finding, ...], known_roots: Collection[tuple[str, PartitionKey | None]]
) -> SignalGroup:
    """The group for the catalog. Its blast radius is left out if an active incident has the same root already."""
    policies, root = situation.policies, findings[0]
    waits_for = root.upstream[-1] if root.upstream else None
    urn = waits_for if waits_for is not None and policies.find(waits_for) is not None else root.dataset
    dataset = policies.find(urn)
    is_known = (urn, root.partition) in known_roots
    return SignalGroup(
        findings=findings,
        dataset=urn,
        partition=root.partition,
        title=title_of(root)[:LONGEST_TITLE],
        owner_team=dataset.policy.owner_team if dataset else "",
        tier=dataset.policy.tier if dataset else "",
        blast_radius=None if is_known else find_blast_radius(situation, urn, root.partition),
    )


def title_of(root: Finding) -> str:
    """One line that stays the same as long as the cause does."""
    subject = f"{root.dataset} {root.partition}" if root.partition else root.dataset
    if root.upstream:
        missing = f"{root.upstream[-1]} {root.partition or ''}".strip()
        return f"{missing} has not come, and {root.dataset} waits for it"
    if root.kind is SignalKind.FRESHNESS:
        missing = "its completion marker has not come" if root.details.get("marker") else ""
        return f"{subject} is late: {missing or _LATE.get(LateCause(root.signature), root.signature)}"
    if root.kind is SignalKind.AT_RISK:
        return f"{subject} may be late"
    verb = " was held" if root.severity is SignalSeverity.CRITICAL and root.gate else ""
    return f"{subject}{verb}: {root.reason}"


def find_blast_radius(situation: Situation, urn: str, partition: PartitionKey | None) -> BlastRadius:
    """The datasets downstream, by the declared processes and by the lineage of what has run."""
    policies = situation.policies
    depths = dict(downstream_of(policies, urn))
    owners: dict[str, str | None] = {}
    for name, depth, owner in _recorded_downstream(situation.catalog, urn):
        depths[name] = min(depth, depths.get(name, depth))
        owners[name] = owner
    affected = [
        _affected(policies, name, depth, owners.get(name), partition, situation.now)
        for name, depth in sorted(depths.items(), key=lambda item: (item[1], item[0]))
        if name != urn
    ]
    teams = sorted({one.owner_team for one in affected if one.owner_team})
    return BlastRadius(affected=tuple(affected[:MOST_AFFECTED]), total=len(affected), owners=tuple(teams))


def _affected(
    policies: Policies, urn: str, depth: int, owner: str | None, partition: PartitionKey | None, now: datetime
) -> Affected:
    dataset = policies.find(urn)
    if dataset is None:
        return Affected(dataset=urn, owner_team=owner, tier=None, depth=depth)
    late = late_after(dataset.policy, partition) if partition and dataset.policy.partition else None
    return Affected(
        dataset=urn,
        owner_team=dataset.policy.owner_team,
        tier=dataset.policy.tier,
        depth=depth,
        deadline=late if late is not None and late > now else None,
    )


def _recorded_downstream(catalog: Catalog, urn: str) -> Iterator[tuple[str, int, str | None]]:
    """The nearest thousand datasets; an edge to a job and one from it count as one step."""
    try:
        page = catalog.lineage.impact(urn, only=NodeType.DATASET, limit=_PAGE)
    except NotFoundError:  # it has never run
        return
    for hit in page.hits.items:
        yield hit.node.name, max(1, (hit.depth + 1) // 2), hit.node.owner_team
