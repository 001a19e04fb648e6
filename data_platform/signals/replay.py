"""Which alerts would have fired in the past, day by day, by the policies of today and the history of the catalog.

A day that came late was late then, whatever was certified since. Deadlines before the catalog knew a dataset do not
count. Row counts are those of the last run of each day, each judged by the days before it.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from data_platform.gates.volume.backtest import floor_of, judge_history
from data_platform.gates.volume.judgement import NEWEST, judge_rows
from data_platform.model.holiday import holidays_of
from data_platform.model.partition_key import PartitionKey
from data_platform.model.policy import DatasetStatus, Volume
from data_platform.model.replay import LATE, VOLUME_ANOMALY, Replay, ReplayedAlert, ReplayedDay
from data_platform.signals.due_part import parts_within

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from data_platform.catalog import Catalog
    from data_platform.gates.volume.backtest import Judged
    from data_platform.policies import Dataset, Policies
    from data_platform.signals.due_part import PartDue

_DAY = timedelta(days=1)
_MARGIN = 70
"""Days by which a partition may be older than its deadline: a monthly one is due in the month after."""
_ALL = 100_000
_MOST_NAMED = 5


def replay(policies: Policies, catalog: Catalog, now: datetime, days: int) -> Replay:
    """The alerts of the last ``days`` whole days in UTC, and of today."""
    since = datetime.combine(now.astimezone(UTC).date() - days * _DAY, time(), UTC)
    watched = [one for one in policies.datasets if one.policy.status is DatasetStatus.ACTIVE]
    began = catalog.timeliness.beginnings([one.urn for one in watched])
    known = [one for one in watched if one.urn in began]
    alerts = [*_late(known, catalog, began, since, now), *_unusual(known, catalog, since, now)]
    alerts.sort(key=lambda one: (one.fired_at, one.kind, one.dataset, one.partition))
    counts = Counter((one.fired_at.astimezone(UTC).date(), one.kind) for one in alerts)
    dates = [(since + number * _DAY).date() for number in range((now - since) // _DAY + 1)]
    return Replay(
        since=since,
        until=now,
        datasets=len(known),
        alerts=tuple(alerts),
        days=tuple(ReplayedDay(day=one, late=counts[one, LATE], volume=counts[one, VOLUME_ANOMALY]) for one in dates),
    )


def _late(
    datasets: Iterable[Dataset], catalog: Catalog, began: Mapping[str, datetime], since: datetime, now: datetime
) -> Iterator[ReplayedAlert]:
    """Partitions that were not there when their grace was over."""
    listed = list(datasets)
    first = PartitionKey.containing(since, "UTC").shifted(-_MARGIN)
    own, external = ([one.urn for one in listed if bool(one.stages) is has_stages] for has_stages in (True, False))
    there = catalog.timeliness.first_certified(own, since=first)
    there |= catalog.timeliness.first_arrived(external, since=first)
    parts = _part_times(listed, catalog, first)
    for dataset in listed:
        came = there.get(dataset.urn, {})
        alerts: dict[PartitionKey, ReplayedAlert] = {}
        for due in parts_within(dataset.policy, since, now):
            times = parts.get((dataset.urn, due.partition), {})
            at, without = _came(due, came.get(due.partition), times, is_own=bool(dataset.stages))
            if due.late_since >= began[dataset.urn] and (at is None or at > due.late_since):
                alert = _late_alert(dataset, due, at, without)
                alerts[due.partition] = _joined(alerts.get(due.partition, alert), alert)
        yield from alerts.values()


def _part_times(
    datasets: Sequence[Dataset], catalog: Catalog, first: PartitionKey
) -> dict[tuple[str, PartitionKey], dict[str, datetime | None]]:
    declared = [one for one in datasets if one.policy.slo.freshness and one.policy.slo.freshness.parts]
    own, external = ([one.urn for one in declared if bool(one.stages) is wanted] for wanted in (True, False))
    found = catalog.timeliness.part_times(own, since=first) if own else {}
    return found | (catalog.timeliness.reported_part_times(external, since=first) if external else {})


def _came(
    due: PartDue, whole: datetime | None, times: Mapping[str, datetime | None], *, is_own: bool
) -> tuple[datetime | None, list[str]]:
    """When the partition had all parts that were due, and those that it had not in time.

    A part of ours that was not counted was declared later, and is not missing.
    """
    if whole is None:
        return None, list(due.values) if due.is_part else []
    came = {part: times.get(part, whole if is_own else None) for part in due.values}
    late = [part for part, at in came.items() if at is None or at > max(due.late_since, whole)]
    known = [at for at in came.values() if at is not None]
    return (None if len(known) < len(came) else max([whole, *known])), late


def _late_alert(dataset: Dataset, due: PartDue, at: datetime | None, without: Sequence[str]) -> ReplayedAlert:
    missing = f", without {', '.join(without[:_MOST_NAMED])}" if without else ""
    return ReplayedAlert(
        kind=LATE,
        dataset=dataset.urn,
        partition=due.partition,
        owner_team=dataset.policy.owner_team,
        fired_at=due.late_since,
        ended_at=at,
        reason=f"was due at {due.due:%Y-%m-%d %H:%M} UTC{missing}",
    )


def _joined(one: ReplayedAlert, other: ReplayedAlert) -> ReplayedAlert:
    """One alert for each partition: it fired at the first missed deadline, and ended when no part was missing."""
    first = min(one, other, key=lambda alert: alert.fired_at)
    ended = None if one.ended_at is None or other.ended_at is None else max(one.ended_at, other.ended_at)
    return replace(first, ended_at=ended)


def _unusual(datasets: Iterable[Dataset], catalog: Catalog, since: datetime, now: datetime) -> Iterator[ReplayedAlert]:
    """Row counts that are unusual by the rule of the policy, dated by the first certification of their partition."""
    first = PartitionKey.containing(since, "UTC").shifted(-_MARGIN)
    own = [one for one in datasets if one.stages and one.policy.partition]
    there = catalog.timeliness.first_certified([one.urn for one in own], since=first)
    for dataset in own:
        certified = {key: at for key, at in there.get(dataset.urn, {}).items() if since <= at <= now}
        volume = dataset.policy.slo.volume or Volume()
        if certified:
            for partition, reason in _reasons(catalog, dataset.urn, volume, certified):
                yield ReplayedAlert(
                    kind=VOLUME_ANOMALY,
                    dataset=dataset.urn,
                    partition=partition,
                    owner_team=dataset.policy.owner_team,
                    fired_at=certified[partition],
                    ended_at=None,
                    reason=reason,
                )


def _reasons(
    catalog: Catalog, urn: str, volume: Volume, wanted: Mapping[PartitionKey, datetime]
) -> Iterator[tuple[PartitionKey, str]]:
    """Only what one of the rules finds unusual in one pass over the history is judged with all that counts."""
    rows = catalog.runs.accepted_rows(urn, limit=_ALL)
    floor = floor_of(volume.seasonal_threshold_pct)
    steps = judge_history(rows, holidays_of(volume.calendar), rolling_pct=volume.anomaly_threshold_pct)
    for place, step in enumerate(steps):
        if step.partition in wanted and _may_be_unusual(step, floor):
            found = judge_rows(step.rows, step.partition, rows[max(place - NEWEST, 0) : place], volume)
            if found is not None and found.is_unusual and found.monitorable:
                yield step.partition, found.reason


def _may_be_unusual(step: Judged, floor: float) -> bool:
    usual = (step.rolling, step.seasonal.usual(floor) if step.seasonal else None)
    return any(one is not None and not one.includes(step.rows) for one in usual)
