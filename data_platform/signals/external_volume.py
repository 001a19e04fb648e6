"""Findings about external datasets whose jobs report row counts or sizes: no gate of ours judges them.

The delivery of the newest partition is judged by those before it, as DQ judges a delivery of ours
(``gates.volume``), and so is the partition that was reported last. A later delivery that is usual clears a finding.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from data_platform.gates.volume.judgement import NEWEST, judge_rows
from data_platform.model.policy import DatasetStatus, Volume
from data_platform.model.signal import Finding, SignalKind, SignalSeverity
from data_platform.model.volume import DeliveredRows

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from data_platform.catalog import Catalog
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.reported_size import ReportedSize
    from data_platform.policies import Dataset
    from data_platform.signals.situation import Situation

NEWEST_DAYS = timedelta(days=10)
"""A dataset without a report since then is examined only if a signal of it is active."""

Judged = tuple[tuple[Any, ...], tuple[Finding, ...]]
_JUDGED: WeakKeyDictionary[Catalog, dict[str, Judged]] = WeakKeyDictionary()
"""The last findings of each dataset, with what they were computed from: to judge two years of days takes long."""


def find_external_volume(situation: Situation) -> list[Finding]:
    external = {
        one.urn: one
        for one in situation.policies.datasets
        if not one.stages and one.policy.partition and one.policy.status is DatasetStatus.ACTIVE
    }
    arrivals, since = situation.catalog.arrivals, situation.now - NEWEST_DAYS
    states = arrivals.report_states(external, since=since)
    active = {signal.finding.dataset for signal in situation.active_of({SignalKind.VOLUME})} & set(external)
    expected = arrivals.expected({*states, *active})
    judged = _JUDGED.setdefault(situation.catalog, {})
    findings: list[Finding] = []
    for urn in sorted({*states, *active}):
        dataset = external[urn]
        usual = expected.get(urn, frozenset())
        state = (*states.get(urn, ()), (dataset.policy.slo.volume or Volume()).model_dump_json(), usual)
        if urn not in judged or judged[urn][0] != state:
            judged[urn] = (state, tuple(_of_dataset(situation.catalog, dataset, usual)))
        findings += judged[urn][1]
    return findings


def _of_dataset(catalog: Catalog, dataset: Dataset, expected: Collection[PartitionKey]) -> Iterator[Finding]:
    sizes = catalog.arrivals.reported_sizes(dataset.urn, limit=NEWEST + 1)
    if not sizes:
        return
    volume = dataset.policy.slo.volume or Volume()
    for one in {sizes[-1], max(sizes, key=lambda size: size.at)}:
        before = [size for size in sizes if size.partition < one.partition]
        rows = _delivered([(size.partition, size.rows) for size in before], expected)
        yield from _of_rows(dataset, one, rows, volume)
        bytes_before = _delivered([(size.partition, size.bytes) for size in before], expected)
        if found := _unusual(one, bytes_before, one.bytes, volume, "bytes"):
            yield _finding(dataset, one, "VOLUME_ANOMALY:bytes", found)


def _of_rows(dataset: Dataset, one: ReportedSize, before: Sequence[DeliveredRows], volume: Volume) -> Iterator[Finding]:
    if one.rows is not None and one.rows < volume.min_rows_per_partition:
        signature = "EMPTY_BATCH" if one.rows == 0 else "ROW_COUNT"
        reason = f"row count {one.rows} < min_rows_per_partition {volume.min_rows_per_partition}"
        yield _finding(dataset, one, signature, reason, SignalSeverity.CRITICAL)
    elif found := _unusual(one, before, one.rows, volume, "rows"):
        yield _finding(dataset, one, "VOLUME_ANOMALY", found)


def _delivered(
    numbers: Iterable[tuple[PartitionKey, int | None]], expected: Collection[PartitionKey]
) -> list[DeliveredRows]:
    return [DeliveredRows(day, number, day in expected) for day, number in numbers if number is not None]


def _unusual(one: ReportedSize, before: Sequence[DeliveredRows], number: int | None, volume: Volume, unit: str) -> str:
    """What is unusual about ``number`` of rows or bytes; empty if it is usual, or too little is known."""
    if number is None:
        return ""
    found = judge_rows(number, one.partition, before, volume, unit=unit)
    return found.reason if found and found.is_unusual and found.monitorable else ""


def _finding(
    dataset: Dataset,
    one: ReportedSize,
    signature: str,
    reason: str,
    severity: SignalSeverity = SignalSeverity.WARNING,
) -> Finding:
    return Finding(
        kind=SignalKind.VOLUME,
        dataset=dataset.urn,
        partition=one.partition,
        signature=signature,
        severity=severity,
        occurred_at=one.at,
        reason=reason,
        run_id=one.run,
        details={"rows": one.rows, "bytes": one.bytes},
    )
