"""The key figures of incidents and of coverage, by tier."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import TYPE_CHECKING

from data_platform.model.kpi import IncidentTimes, Share, TierKpi, WeekKpi
from data_platform.model.policy import DatasetStatus, Tier
from data_platform.policies.lint.dataset_check import promises_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from data_platform.catalog import Catalog
    from data_platform.model.incident import Incident
    from data_platform.policies import Dataset, Policies

ALL_TIERS = "*"
_DAY = timedelta(days=1)


def find_kpi(policies: Policies, catalog: Catalog, since: datetime) -> tuple[TierKpi, ...]:
    """Of all tiers together, then of each. Incidents that were opened at ``since`` or later count."""
    incidents = catalog.incidents.opened_since(since)
    evidence = catalog.incidents.evidence_shares(since)
    datasets = [one for one in policies.datasets if one.policy.status is DatasetStatus.ACTIVE and one.stages]
    return tuple(
        _of_tier(
            tier,
            [one for one in incidents if tier in (ALL_TIERS, one.tier)],
            [one for one in datasets if tier in (ALL_TIERS, one.policy.tier)],
            evidence,
        )
        for tier in (ALL_TIERS, *Tier)
    )


def find_trend(catalog: Catalog, now: datetime, days: int) -> tuple[WeekKpi, ...]:
    """The weeks that cover the last ``days`` days, oldest first; the last one ends today."""
    last = now.astimezone(UTC).date() - 6 * _DAY
    begins = [last - 7 * number * _DAY for number in reversed(range(-(-days // 7)))]
    incidents = catalog.incidents.opened_since(datetime.combine(begins[0], time(), UTC))
    weeks: dict[date, list[Incident]] = {begin: [] for begin in begins}
    for one in incidents:
        age = (one.opened_at.astimezone(UTC).date() - begins[0]).days // 7
        if age < len(begins):  # the clock of whoever opened it may be ahead
            weeks[begins[age]].append(one)
    return tuple(WeekKpi(begin=begin, times=IncidentTimes.of(found)) for begin, found in weeks.items())


def _of_tier(
    tier: str, incidents: Sequence[Incident], datasets: Sequence[Dataset], evidence: Mapping[str, Share]
) -> TierKpi:
    shares = [evidence[one.urn] for one in datasets if one.urn in evidence]
    return TierKpi(
        tier=str(tier),
        times=IncidentTimes.of(incidents),
        with_contract=Share(part=sum(promises_rows(one.bundle) for one in datasets), whole=len(datasets)),
        with_evidence=Share(part=sum(one.part for one in shares), whole=sum(one.whole for one in shares)),
    )
