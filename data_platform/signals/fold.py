"""Folds findings into groups with one root cause each, from the findings and the lineage alone.

Two findings belong together if

1. they are of the same dataset and partition,
2. they are of the same dataset and have the same signature: a fault that repeats each day,
3. one of them waits for the dataset of the other, or both wait for the same one,
4. one is about rows of a derived dataset, and the other, of the same partition, about the whole batch of an input or
   about a column from which the failed column is computed,
5. they name the same job.

The result does not depend on the order of the findings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.lateness import LateCause
from data_platform.model.signal import SignalKind, SignalSeverity

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence

    from data_platform.model.signal import Finding
    from data_platform.signals.relation import Relations

ROW_KINDS = frozenset({
    SignalKind.CONTRACT, SignalKind.SCHEMA_DRIFT, SignalKind.QUALITY, SignalKind.VOLUME, SignalKind.ANOMALY,
    SignalKind.PERSONAL_DATA,
})  # fmt: skip
"""Kinds of findings about rows, which an input may have caused."""
_WHOLE_BATCH = frozenset({SignalKind.VOLUME, SignalKind.SCHEMA_DRIFT, SignalKind.IDENTITY})
_ORDER = (
    SignalKind.JOB, SignalKind.IDENTITY, SignalKind.SCHEMA_DRIFT, SignalKind.CONTRACT, SignalKind.PERSONAL_DATA,
    SignalKind.QUALITY, SignalKind.VOLUME, SignalKind.ANOMALY, SignalKind.FRESHNESS, SignalKind.AT_RISK,
)  # fmt: skip
"""Of findings about one partition, the first kind names the cause best."""
_PLACE = {kind: place for place, kind in enumerate(_ORDER)}


def fold(findings: Iterable[Finding], relations: Relations) -> tuple[tuple[Finding, ...], ...]:
    """The groups, each with its root first, in the order of their roots."""
    ordered = sorted(findings, key=_rank)
    caused = _Caused(ordered)
    sets = _Sets()
    for finding in ordered:
        for link in _links(finding):
            sets.join(finding.key, link)
        for cause in (*caused.by_waiting(finding), *caused.by_rows(finding, relations)):
            sets.join(finding.key, cause)
    groups: dict[Hashable, list[Finding]] = {}
    for finding in ordered:
        groups.setdefault(sets.root(finding.key), []).append(finding)
    rooted = [_root_first(group, caused.effects) for group in groups.values()]
    return tuple(sorted(rooted, key=lambda group: _rank(group[0])))


def column_of(finding: Finding) -> str:
    """The column of a failure signature ``KIND:column:detail``; empty if it has none."""
    return finding.signature.split(":")[1] if ":" in finding.signature else ""


def is_about_the_batch(finding: Finding) -> bool:
    return finding.kind in _WHOLE_BATCH or (finding.kind in ROW_KINDS and not column_of(finding))


def _links(finding: Finding) -> Iterator[Hashable]:
    """Names that findings of one group share."""
    yield "slice", finding.dataset, finding.partition
    if finding.signature != LateCause.UPSTREAM_LATE:
        yield "repeated", finding.dataset, finding.kind, finding.signature
    if (job := finding.details.get("job")) is not None:
        yield "job", job


class _Caused:
    """Finds the findings that caused another one; ``effects`` collects the keys of those that have a cause."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.effects: set[Hashable] = set()
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

    def by_rows(self, finding: Finding, relations: Relations) -> Iterator[Hashable]:
        if finding.kind not in ROW_KINDS:
            return
        column = column_of(finding)
        for urn in relations.upstream.get(finding.dataset, ()):
            for cause in self._of(urn, finding):
                is_column = (finding.dataset, column, urn, column_of(cause)) in relations.columns
                if cause.kind in ROW_KINDS | _WHOLE_BATCH and (is_column or is_about_the_batch(cause)):
                    self.effects.add(finding.key)
                    yield cause.key

    def _of(self, urn: str, finding: Finding) -> list[Finding]:
        """Findings of the same partition, and of all rows of a dataset without partitions."""
        same = self._by_slice.get((urn, str(finding.partition or "")), [])
        return same if finding.partition is None else [*same, *self._by_slice.get((urn, ""), [])]


class _Sets:
    """Disjoint sets of names."""

    def __init__(self) -> None:
        self._parent: dict[Hashable, Hashable] = {}

    def root(self, name: Hashable) -> Hashable:
        way = []
        while (parent := self._parent.setdefault(name, name)) != name:
            way.append(name)
            name = parent
        for step in way:
            self._parent[step] = name
        return name

    def join(self, one: Hashable, other: Hashable) -> None:
        self._parent[self.root(one)] = self.root(other)


def _root_first(group: Sequence[Finding], effects: set[Hashable]) -> tuple[Finding, ...]:
    root = min(group, key=lambda finding: (finding.key in effects, len(finding.upstream), *_rank(finding)))
    return (root, *(finding for finding in group if finding is not root))


def _rank(finding: Finding) -> tuple[str, bool, int, str, str]:
    is_warning = finding.severity is not SignalSeverity.CRITICAL
    return str(finding.partition or ""), is_warning, _PLACE[finding.kind], finding.dataset, finding.signature


def upstream_of(inputs: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """Every dataset upstream of each dataset, from its direct inputs; a dataset in a cycle is not its own."""
    found: dict[str, frozenset[str]] = {}
    for urn in inputs:
        reached: set[str] = set()
        waiting = list(inputs[urn])
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached.add(name)
                waiting += found.get(name) or inputs.get(name, ())
        found[urn] = frozenset(reached - {urn})
    return found
