"""*KPIs*: how fast incidents are noticed and ended, how often the platform is wrong, what is covered, and health."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.partition_key import PartitionKey
from data_platform.model.policy import DatasetStatus
from data_platform.policies.lint.dataset_check import promises_rows
from data_platform.portal.chart import Chart, Series
from data_platform.signals.health import find_health, rolled_up
from data_platform.signals.kpi import find_kpi, find_trend

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.model.health import DatasetHealth, GroupHealth
    from data_platform.model.kpi import TierKpi, Times, WeekKpi
    from data_platform.policies import Dataset, Policies

PERIODS = (30, 90, 365)
"""Days that a page may ask for."""
MOST_NAMES = 25
MOST_GROUPS = 30


@dataclass(frozen=True, kw_only=True)
class Gap:
    """Datasets that lack something; ``names`` are the first of ``total`` URNs, and ``remedy`` is what to do."""

    what: str
    remedy: str
    names: tuple[str, ...]
    total: int


@dataclass(frozen=True, kw_only=True)
class HealthGroups:
    """``groups`` are the least healthy of ``total``."""

    by: str
    groups: tuple[GroupHealth, ...]
    total: int


@dataclass(frozen=True, kw_only=True)
class KpiView:
    """The last ``days`` days before ``at``. ``tiers`` begins with all tiers together."""

    at: datetime
    days: int
    periods: tuple[int, ...]
    datasets: int
    tiers: tuple[TierKpi, ...]
    charts: tuple[Chart, ...]
    health: tuple[HealthGroups, ...]
    gaps: tuple[Gap, ...]


def read_kpi(policies: Policies, catalog: Catalog, now: datetime, days: int) -> KpiView:
    since = PartitionKey.containing(now, "UTC").shifted(-days).starts_at("UTC")
    healthy = find_health(policies, catalog, now)
    own = [one for one in policies.datasets if one.policy.status is DatasetStatus.ACTIVE and one.stages]
    return KpiView(
        at=now,
        days=days,
        periods=PERIODS,
        datasets=len(own),
        tiers=find_kpi(policies, catalog, since),
        charts=trend_charts(find_trend(catalog, now, days)),
        health=(
            _groups("owner", healthy, lambda one: one.owner_team),
            _groups("zone", healthy, lambda one: one.zone),
        ),
        gaps=_gaps(own),
    )


def trend_charts(weeks: Sequence[WeekKpi]) -> tuple[Chart, ...]:
    """By week: how many incidents there were, and the medians of their times."""
    if not any(week.times.incidents for week in weeks):
        return (
            _chart("incidents", "Incidents by week", "incidents", (), ()),
            _chart("times", _TIMES, "minutes", (), ()),
        )
    counts = (
        Series(label="incidents", numbers=tuple(week.times.incidents for week in weeks)),
        Series(label="false positives", numbers=tuple(week.times.false_positives.part for week in weeks)),
    )
    times = (
        _medians("to detect", [week.times.detect for week in weeks]),
        _medians("to acknowledge", [week.times.acknowledge for week in weeks]),
        _medians("to resolve", [week.times.resolve for week in weeks]),
    )
    return _chart("incidents", "Incidents by week", "incidents", weeks, counts), _chart(
        "times", _TIMES, "minutes", weeks, times
    )


_TIMES = "Median times by week, in minutes"


def _medians(label: str, times: Iterable[Times]) -> Series:
    minutes = (None if one.median_seconds is None else round(one.median_seconds / 60, 1) for one in times)
    return Series(label=label, numbers=tuple(minutes))


def _chart(name: str, title: str, unit: str, weeks: Sequence[WeekKpi], series: tuple[Series, ...]) -> Chart:
    days = tuple(PartitionKey.of_value(week.begin) for week in weeks)
    return Chart(name=name, title=title, unit=unit, days=days, series=series, step="week")


def _groups(by: str, healthy: Iterable[DatasetHealth], name_of: Callable[[DatasetHealth], str]) -> HealthGroups:
    found = rolled_up(healthy, name_of)
    return HealthGroups(by=by, groups=found[:MOST_GROUPS], total=len(found))


def _gaps(own: Sequence[Dataset]) -> tuple[Gap, ...]:
    return (
        _gap(
            "without a contract", "declare required_fields or invariants in policy_bundle.yaml", own, _has_no_contract
        ),
        _gap("without an owner's address", "set owner_email in dataset.yaml", own, _has_no_owner),
        _gap("without a deadline", "set slo.freshness in dataset.yaml", own, _has_no_deadline),
    )


def _gap(what: str, remedy: str, own: Iterable[Dataset], lacks: Callable[[Dataset], bool]) -> Gap:
    names = [one.urn for one in own if lacks(one)]
    return Gap(what=what, remedy=remedy, names=tuple(names[:MOST_NAMES]), total=len(names))


def _has_no_contract(one: Dataset) -> bool:
    return not promises_rows(one.bundle)


def _has_no_owner(one: Dataset) -> bool:
    return not (one.policy.owner_team and one.policy.owner_email)


def _has_no_deadline(one: Dataset) -> bool:
    return one.policy.slo.freshness is None
