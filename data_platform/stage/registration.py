"""Stores what policy files declare about a dataset and its process in the catalog, for users who do not read files."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.model.internal import JOBS
from data_platform.model.rhythm import BUSINESS_DAYS, parse_rhythm

if TYPE_CHECKING:
    from datetime import datetime

    from data_platform.installation import Platform
    from data_platform.model.freshness import Freshness
    from data_platform.policies import Dataset

_DAYS = {"daily": 1, "weekdays": 3, "business days": 5}
_MONTH = 35
"""The longest time between two deadlines, in days: from Friday's to Monday's, over Easter, from month to month."""


def declare(platform: Platform, dataset: Dataset, now: datetime) -> None:
    policy, process = dataset.policy, dataset.process
    platform.catalog.registry.save_dataset(
        dataset.urn,
        table=dataset.table,
        owner_team=policy.owner_team,
        owner_email=policy.owner_email or None,
        tier=policy.tier.value,
        tags=policy.tags,
        category=policy.category or None,
        status=policy.status.value,
        description=policy.description,
        policy_fingerprint=dataset.fingerprint,
        partitioning=policy.partition.scheme if policy.partition else None,
        sla=_sla(policy.slo.freshness),
        now=now,
    )
    if process is not None:
        platform.catalog.registry.save_process(
            f"{JOBS}/{process.name}",
            description=process.description,
            team=process.owner_team,
            technology="SPARK",
            trigger_mode=process.trigger.value,
            now=now,
        )


def _sla(freshness: Freshness | None) -> tuple[str, timedelta] | None:
    """The maximal age of a version when the next one is due. The deadline itself is judged elsewhere."""
    if freshness is None:
        return None
    deadline, grace = freshness.deadline, freshness.grace
    name = f"{deadline.cadence} by {deadline.hour:02}:{deadline.minute:02} {deadline.time_zone}, grace {grace}"
    return name, timedelta(days=_longest_gap(freshness)) + grace


def _longest_gap(freshness: Freshness) -> int:
    rhythms = (freshness.deadline.rhythm, parse_rhythm(freshness.data_days))
    if any(rhythm.is_monthly for rhythm in rhythms):
        return _MONTH
    usual = max(_DAYS[rhythm.kind] for rhythm in rhythms)
    return max(usual, _DAYS[BUSINESS_DAYS]) if freshness.quiet_days else usual
