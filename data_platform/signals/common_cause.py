"""Joins groups of findings that have one root cause in evidence: two jobs that one bad deployment broke, or a fault
upstream that passed its gates and is found twice downstream.

Only groups that may have one are examined: those concerned by the same deployment, and those of a dataset and of one
upstream of it. The cause is concluded as ``data-platform rca`` does it, so the order of findings does not count.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.internal import JOBS
from data_platform.model.root_cause import CauseKind
from data_platform.model.signal import SignalSeverity
from data_platform.signals.disjoint import DisjointSets
from data_platform.signals.fold import rank_of
from data_platform.signals.progress import producers_of
from data_platform.signals.root_cause.explain import conclude
from data_platform.signals.root_cause.gather import BEFORE, gather_around
from data_platform.signals.root_cause.place import Records
from data_platform.signals.upstream import upstream_of
from data_platform.stage.run_event import job_name

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from data_platform.model.deployment import Deployment
    from data_platform.model.root_cause import Candidate
    from data_platform.model.signal import Finding
    from data_platform.signals.situation import Situation

Group = tuple["Finding", ...]
MOST_GROUPS = 40
"""The most groups of one look whose cause is looked for; the others stay apart until one of these has ended."""


def join_by_cause(situation: Situation, groups: Sequence[Group]) -> tuple[Group, ...]:
    """The groups in the order of their roots, each root being the one where the common cause is, or the first."""
    causes = _causes(situation, _related(situation, groups))
    sets: dict[Hashable, list[Group]] = {}
    for group in groups:
        cause = causes.get(group[0].key)
        sets.setdefault(_identity(cause) if cause else group[0].key, []).append(group)
    joined = [_joined(listed, causes.get(listed[0][0].key)) for listed in sets.values()]
    return tuple(sorted(joined, key=lambda group: rank_of(group[0])))


def _identity(cause: Candidate) -> Hashable:
    """A deployment is the same one wherever it is found; any other cause belongs to its slice."""
    if cause.kind is CauseKind.DEPLOYMENT and cause.deploy_ref:
        return cause.kind, cause.deploy_ref
    return cause.kind, cause.dataset, cause.partition


def _joined(groups: Sequence[Group], cause: Candidate | None) -> Group:
    def place(group: Group) -> tuple[object, ...]:
        root = group[0]
        is_there = cause is not None and (root.dataset, root.partition) == (cause.dataset, cause.partition)
        return (not is_there, *rank_of(root))

    return tuple(finding for group in sorted(groups, key=place) for finding in group)


def _causes(situation: Situation, groups: Iterable[Group]) -> dict[Hashable, Candidate]:
    """The cause of each group that has one, by the key of its root; facts are read once for all of one partition."""
    listed = sorted(groups, key=lambda group: (_is_warning(group), *rank_of(group[0])))[:MOST_GROUPS]
    by_partition: dict[str, list[Group]] = {}
    for group in listed:
        by_partition.setdefault(str(group[0].partition or ""), []).append(group)
    causes: dict[Hashable, Candidate] = {}
    for same in by_partition.values():
        findings = [finding for group in same for finding in group]
        records = Records(gather_around(situation.catalog, same[0][0], findings, now=situation.now))
        for group in same:
            cause = conclude(records, group, group[0]).cause
            if cause is not None:
                causes[group[0].key] = cause
    return causes


def _is_warning(group: Group) -> bool:
    return all(finding.severity is SignalSeverity.WARNING for finding in group)


def _related(situation: Situation, groups: Sequence[Group]) -> list[Group]:
    """Groups of which two may have one cause, and one is critical."""
    sets = DisjointSets()
    for one, other in (*_of_one_deployment(situation, groups), *_along_lineage(situation, groups)):
        sets.join(one, other)
    members: dict[Hashable, list[Group]] = {}
    for group in groups:
        members.setdefault(sets.root(group[0].key), []).append(group)
    several = [listed for listed in members.values() if len(listed) > 1 and not all(map(_is_warning, listed))]
    return [group for listed in several for group in listed]


def _subject(group: Group) -> str:
    """Where the fault of a group is first, as far as its findings say."""
    root = group[0]
    return root.upstream[-1] if root.upstream else root.dataset


def _along_lineage(situation: Situation, groups: Sequence[Group]) -> Iterator[tuple[Hashable, Hashable]]:
    """Pairs of groups of one partition, of which one is upstream of the other."""
    datasets = situation.policies.datasets
    inputs = {one.urn: [item.dataset for item in one.process.inputs] for one in datasets if one.process}
    upstream = upstream_of(inputs, {_subject(group) for group in groups})
    of_slice = {(_subject(group), group[0].partition): group[0].key for group in groups}
    for group in groups:
        for urn in upstream.get(_subject(group), ()):
            if (other := of_slice.get((urn, group[0].partition))) is not None:
                yield group[0].key, other


def _of_one_deployment(situation: Situation, groups: Sequence[Group]) -> Iterator[tuple[Hashable, Hashable]]:
    since = min((finding.occurred_at for group in groups for finding in group), default=situation.now) - BEFORE
    deployments = situation.catalog.deployments.between(since, situation.now) if len(groups) > 1 else ()
    if not deployments:
        return
    producers = producers_of(situation.policies, situation.catalog)
    by_reference: dict[str, list[Hashable]] = {}
    for group in groups:
        for reference in _references(situation, group, deployments, producers):
            by_reference.setdefault(reference, []).append(group[0].key)
    for first, *others in by_reference.values():
        yield from ((first, other) for other in others)


def _references(
    situation: Situation, group: Group, deployments: Iterable[Deployment], producers: Mapping[str, str]
) -> set[str]:
    """Deployments of what makes the dataset of a group."""
    urn = _subject(group)
    dataset = situation.policies.find(urn)
    own = {f"{JOBS}/{job_name(dataset, stage)}" for stage in dataset.stages} if dataset is not None else set()
    named = {str(finding.details["job"]) for finding in group if "job" in finding.details}
    makers = frozenset(own | named | ({producers[urn]} if urn in producers else set()))
    return {one.deploy_ref for one in deployments if one.concerns(urn, makers)}
