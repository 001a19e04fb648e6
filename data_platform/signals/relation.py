"""What the fold needs of the lineage: the datasets upstream of others, and which columns are computed from which."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from data_platform.errors import DataPlatformError
from data_platform.signals.fold import ROW_KINDS, column_of, upstream_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from data_platform.catalog import Catalog
    from data_platform.model.signal import Finding
    from data_platform.policies import Policies

MOST_WALKS = 50
"""The most columns of one look whose lineage is read; findings beyond them fold by their batch alone."""


@dataclass(frozen=True)
class Relations:
    """``upstream`` maps a dataset to all datasets that it is made from, at any distance.

    ``columns`` has (dataset, column, dataset upstream, its column) if the first is computed from the second.
    """

    upstream: Mapping[str, frozenset[str]] = field(default_factory=dict)
    columns: frozenset[tuple[str, str, str, str]] = frozenset()


def find_relations(policies: Policies, catalog: Catalog, findings: Iterable[Finding]) -> Relations:
    about_rows = [finding for finding in findings if finding.kind in ROW_KINDS]
    if not about_rows:
        return Relations()
    concerned = {finding.dataset for finding in about_rows}
    inputs = {one.urn: [item.dataset for item in one.process.inputs] for one in policies.datasets if one.process}
    upstream = {urn: found for urn, found in upstream_of(inputs).items() if urn in concerned and found & concerned}
    failed = {(finding.dataset, column_of(finding)) for finding in about_rows} - {(urn, "") for urn in concerned}
    walks = sorted(one for one in failed if one[0] in upstream)[:MOST_WALKS]
    columns = {
        (dataset, column, urn, source)
        for dataset, column in walks
        for urn, source in _sources(catalog, dataset, column)
        if (urn, source) in failed
    }
    return Relations(upstream, frozenset(columns))


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
