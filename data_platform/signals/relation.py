"""What the fold needs of the lineage: what is upstream, which columns are computed from which, and what runs read."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.errors import DataPlatformError
from data_platform.model.process import InputRows
from data_platform.signals.reading import Readings
from data_platform.signals.row_cause import ROW_KINDS, Upstream, column_of
from data_platform.signals.upstream import upstream_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from data_platform.catalog import Catalog
    from data_platform.model.signal import Finding, Key
    from data_platform.policies import Policies

MOST_WALKS = 50
"""The most columns of one look whose lineage is read; findings beyond them fold by their batch alone."""
BEFORE = timedelta(days=15)
"""So long before a finding the runs of datasets without partitions are read."""


@dataclass(frozen=True)
class Relations:
    """``upstream`` maps a dataset to all datasets that it is made from, at any distance.

    ``columns`` has (dataset, column, dataset upstream, its column) if the first is computed from the second.
    ``whole_reads`` has (dataset, input) if the first reads all partitions of the second. ``is_read`` maps a finding
    and one upstream of it, by their keys, to whether the run of the first read the rows of the second; pairs of which
    the runs recorded nothing are left out.
    """

    upstream: Mapping[str, frozenset[str]] = field(default_factory=dict)
    columns: frozenset[tuple[str, str, str, str]] = frozenset()
    whole_reads: frozenset[tuple[str, str]] = frozenset()
    is_read: Mapping[tuple[Key, Key], bool] = field(default_factory=dict)


def find_relations(policies: Policies, catalog: Catalog, findings: Iterable[Finding]) -> Relations:
    about_rows = [finding for finding in findings if finding.kind in ROW_KINDS]
    if not about_rows:
        return Relations()
    concerned = {finding.dataset for finding in about_rows}
    inputs = {one.urn: [item.dataset for item in one.process.inputs] for one in policies.datasets if one.process}
    reached = upstream_of(inputs, concerned)
    upstream = {urn: found for urn, found in reached.items() if found & concerned}
    failed = {(finding.dataset, column_of(finding)) for finding in about_rows} - {(urn, "") for urn in concerned}
    walks = sorted(one for one in failed if one[0] in upstream)[:MOST_WALKS]
    columns = {
        (dataset, column, urn, source)
        for dataset, column in walks
        for urn, source in _sources(catalog, dataset, column)
        if (urn, source) in failed
    }
    whole_reads = _whole_reads(policies, upstream)
    pairs = _pairs(about_rows, upstream, whole_reads)
    return Relations(upstream, frozenset(columns), whole_reads, _is_read(catalog, pairs, upstream))


def _whole_reads(policies: Policies, upstream: Mapping[str, Set[str]]) -> frozenset[tuple[str, str]]:
    """Inputs of which all partitions are read: those that say so, and all inputs of a dataset without partitions."""
    found = set()
    for urn in upstream:
        dataset = policies.find(urn)
        for item in dataset.process.inputs if dataset is not None and dataset.process else ():
            if item.rows is InputRows.ALL or (dataset is not None and dataset.policy.partition is None):
                found.add((urn, item.dataset))
    return frozenset(found)


def _pairs(
    findings: Sequence[Finding], upstream: Mapping[str, Set[str]], whole_reads: Set[tuple[str, str]]
) -> list[tuple[Finding, Finding]]:
    above = Upstream(findings, upstream, whole_reads)
    return [(effect, cause) for effect in findings if effect.run_id for cause in above.of(effect)]


def _is_read(
    catalog: Catalog, pairs: Sequence[tuple[Finding, Finding]], upstream: Mapping[str, Set[str]]
) -> dict[tuple[Key, Key], bool]:
    if not pairs:
        return {}
    involved = {effect.dataset for effect, _ in pairs}.union(*(upstream[effect.dataset] for effect, _ in pairs))
    found = [finding for pair in pairs for finding in pair]
    partitions = {finding.partition for finding in found if finding.partition is not None}
    since = min(finding.occurred_at for finding in found) - BEFORE
    readings = Readings(catalog.cause_records.stages(involved, partitions, since=since))
    answers = ((effect, cause, readings.has_read(effect, cause)) for effect, cause in pairs)
    return {(effect.key, cause.key): answer for effect, cause, answer in answers if answer is not None}


def downstream_of(policies: Policies, urn: str) -> Iterator[tuple[str, int]]:
    """The datasets that declared processes make from ``urn``, nearest first, each with its distance."""
    readers: dict[str, list[str]] = {}
    for dataset in policies.datasets:
        for item in dataset.process.inputs if dataset.process else ():
            readers.setdefault(item.dataset, []).append(dataset.urn)
    reached, level, depth = {urn}, [urn], 0
    while level:
        depth += 1
        level = sorted({name for one in level for name in readers.get(one, ())} - reached)
        reached.update(level)
        yield from ((name, depth) for name in level)


def _sources(catalog: Catalog, dataset: str, column: str) -> set[tuple[str, str]]:
    """The columns from which one is computed, those of a stage as those of its dataset."""
    try:
        hits = catalog.lineage.column_impact(dataset, column, direction="upstream").hits
    except DataPlatformError:  # the catalog has no such dataset yet
        return set()
    return {("/".join(hit.dataset.split("/")[:4]), hit.column) for hit in hits}
