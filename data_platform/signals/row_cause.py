"""Which finding about the rows of a dataset may have caused which one downstream: by what both of them say.

Nothing is caused by what flows in the other direction, and a finding upstream counts only if it can explain what was
found downstream: a gate that raised has not judged the number of its rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.signal import SignalKind, SignalSeverity
from data_platform.signals.root_cause.case import OF_NUMBER
from data_platform.signals.root_cause.symptom import Symptom, effect_of_finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Set

    from data_platform.model.signal import Finding

ROW_KINDS = frozenset({
    SignalKind.CONTRACT, SignalKind.SCHEMA_DRIFT, SignalKind.QUALITY, SignalKind.VOLUME, SignalKind.ANOMALY,
    SignalKind.PERSONAL_DATA,
})  # fmt: skip
"""Kinds of findings about rows, which an input may have caused."""
_WHOLE_BATCH = frozenset({SignalKind.VOLUME, SignalKind.SCHEMA_DRIFT, SignalKind.IDENTITY})


def column_of(finding: Finding) -> str:
    """The column of a failure signature ``KIND:column.field:detail``; empty if it has none."""
    return finding.signature.split(":")[1].partition(".")[0] if ":" in finding.signature else ""


def is_about_the_batch(finding: Finding) -> bool:
    return finding.kind in _WHOLE_BATCH or (finding.kind in ROW_KINDS and not column_of(finding))


def may_explain(cause: Finding, effect: Finding, *, is_column: bool) -> bool:
    """Whether ``cause``, upstream, can be why ``effect`` was found; ``is_column``: its column derives from the other.

    Of a gate that raised only other columns can be the reason. A row count that only warned let its rows pass: it
    explains another row count, rows that came twice and other warnings, and not why a rule about values fails.
    """
    if effect_of_finding(effect).symptom is Symptom.ERROR:
        return cause.kind is SignalKind.SCHEMA_DRIFT
    if is_column:
        return True
    if not is_about_the_batch(cause):
        return False
    only_warned = cause.kind is SignalKind.VOLUME and cause.severity is SignalSeverity.WARNING
    return not only_warned or effect.severity is SignalSeverity.WARNING or _is_of_number(effect)


def _is_of_number(finding: Finding) -> bool:
    return finding.kind is SignalKind.VOLUME or effect_of_finding(finding).symptom in OF_NUMBER


class Upstream:
    """Finds the findings upstream that may matter for one: of its partition, and of datasets without partitions.

    ``whole_reads`` are pairs of a dataset and an input of which it reads all partitions: of those, any partition.
    """

    def __init__(
        self,
        findings: Iterable[Finding],
        upstream: Mapping[str, Set[str]],
        whole_reads: Set[tuple[str, str]] = frozenset(),
    ) -> None:
        self._upstream, self._whole_reads = upstream, whole_reads
        self._by_dataset: dict[str, list[Finding]] = {}
        for finding in findings:
            if finding.kind in ROW_KINDS | _WHOLE_BATCH:
                self._by_dataset.setdefault(finding.dataset, []).append(finding)

    def of(self, effect: Finding) -> Iterator[Finding]:
        if effect.kind not in ROW_KINDS:
            return
        for urn in sorted(self._upstream.get(effect.dataset, frozenset())):
            is_whole = (effect.dataset, urn) in self._whole_reads
            for cause in self._by_dataset.get(urn, ()):
                if is_whole or cause.partition in (effect.partition, None):
                    yield cause
