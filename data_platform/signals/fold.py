"""Folds findings into groups with one root cause each, from the findings and the lineage alone.

Two findings belong together if

1. they are of the same dataset and partition,
2. they are of the same dataset and have the same signature: a fault that repeats each day,
3. one of them waits for the dataset of the other, or both wait for the same one,
4. one is about rows of a derived dataset, and the other about rows that its run has read: about the whole batch of an
   input, or about a column from which the failed column is computed. What the run has read is known by the versions
   that it recorded; where they are not known, it is the same partition of the input,
5. they name the same job.

The result does not depend on the order of the findings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.lateness import LateCause
from data_platform.model.signal import SignalKind, SignalSeverity
from data_platform.signals.disjoint import DisjointSets
from data_platform.signals.row_cause import Upstream, column_of, may_explain

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

    from data_platform.model.signal import Finding
    from data_platform.signals.relation import Relations

_ORDER = (
    SignalKind.JOB, SignalKind.IDENTITY, SignalKind.SCHEMA_DRIFT, SignalKind.CONTRACT, SignalKind.PERSONAL_DATA,
    SignalKind.QUALITY, SignalKind.VOLUME, SignalKind.ANOMALY, SignalKind.FRESHNESS, SignalKind.AT_RISK,
)  # fmt: skip
"""Of findings about one partition, the first kind names the cause best."""
_PLACE = {kind: place for place, kind in enumerate(_ORDER)}


def fold(findings: Iterable[Finding], relations: Relations) -> tuple[tuple[Finding, ...], ...]:
    """The groups, each with its root first, in the order of their roots."""
    ordered = sorted(findings, key=rank_of)
    caused = _Caused(ordered, relations)
    sets = DisjointSets()
    for finding in ordered:
        for link in _links(finding):
            sets.join(finding.key, link)
        for cause in (*caused.by_waiting(finding), *caused.by_rows(finding)):
            sets.join(finding.key, cause)
    groups: dict[Hashable, list[Finding]] = {}
    for finding in ordered:
        groups.setdefault(sets.root(finding.key), []).append(finding)
    rooted = [_root_first(group, caused.effects) for group in groups.values()]
    return tuple(sorted(rooted, key=lambda group: rank_of(group[0])))


def _links(finding: Finding) -> Iterator[Hashable]:
    """Names that findings of one group share."""
    yield "slice", finding.dataset, finding.partition
    if finding.signature != LateCause.UPSTREAM_LATE:
        yield "repeated", finding.dataset, finding.kind, finding.signature
    if (job := finding.details.get("job")) is not None:
        yield "job", job


class _Caused:
    """Finds the findings that caused another one; ``effects`` collects the keys of those that have a cause."""

    def __init__(self, findings: Sequence[Finding], relations: Relations) -> None:
        self.effects: set[Hashable] = set()
        self._relations = relations
        self._upstream = Upstream(findings, relations.upstream, relations.whole_reads)
        self._by_slice: dict[tuple[str, str], list[Finding]] = {}
        for finding in findings:
            self._by_slice.setdefault((finding.dataset, str(finding.partition or "")), []).append(finding)

    def by_waiting(self, finding: Finding) -> Iterator[Hashable]:
        """What a dataset waits for: findings of the first dataset of its chain, or its name if it has none."""
        if not finding.upstream:
            return
        first = finding.upstream[-1]
        causes = [one for one in self._of(first, finding) if one.key != finding.key]
        if not causes:
            yield "waits for", first
            return
        self.effects.add(finding.key)
        yield from (cause.key for cause in causes)

    def by_rows(self, finding: Finding) -> Iterator[Hashable]:
        for cause in self._upstream.of(finding):
            derived = (finding.dataset, column_of(finding), cause.dataset, column_of(cause)) in self._relations.columns
            if self._is_read(finding, cause) and may_explain(cause, finding, is_column=derived):
                self.effects.add(finding.key)
                yield cause.key

    def _is_read(self, finding: Finding, cause: Finding) -> bool:
        """Whether the run of ``finding`` read the rows of ``cause``; assumed of the same partition if nobody knows."""
        is_read = self._relations.is_read.get((finding.key, cause.key))
        return cause.partition in (finding.partition, None) if is_read is None else is_read

    def _of(self, urn: str, finding: Finding) -> list[Finding]:
        """Findings of the same partition, and of all rows of a dataset without partitions."""
        same = self._by_slice.get((urn, str(finding.partition or "")), [])
        return same if finding.partition is None else [*same, *self._by_slice.get((urn, ""), [])]


def _root_first(group: Sequence[Finding], effects: set[Hashable]) -> tuple[Finding, ...]:
    root = min(group, key=lambda finding: (finding.key in effects, len(finding.upstream), *rank_of(finding)))
    return (root, *(finding for finding in group if finding is not root))


def rank_of(finding: Finding) -> tuple[str, bool, int, str, str]:
    is_warning = finding.severity is not SignalSeverity.CRITICAL
    return str(finding.partition or ""), is_warning, _PLACE[finding.kind], finding.dataset, finding.signature
