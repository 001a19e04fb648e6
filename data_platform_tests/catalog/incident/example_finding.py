"""Findings and groups of them; a test names only what it is about."""

from datetime import UTC, datetime, timedelta
from typing import Any

from data_platform.catalog import Catalog
from data_platform.model.incident_event import IncidentEvent, SignalGroup
from data_platform.model.partition_key import PartitionKey
from data_platform.model.signal import Finding, SignalKind, SignalSeverity

NOW = datetime(2026, 2, 15, 7, 15, 32, 123456, tzinfo=UTC)
DAY = PartitionKey("2026-02-14")
ORDERS, CUSTOMERS = "ds://curated/orders", "ds://curated/customers"


def later(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


def finding(dataset: str = ORDERS, **changes: Any) -> Finding:
    values: dict[str, Any] = {
        "kind": SignalKind.FRESHNESS, "partition": DAY, "signature": "JOB_NOT_TRIGGERED",
        "severity": SignalSeverity.CRITICAL, "occurred_at": NOW - timedelta(minutes=5), "reason": "nothing has started",
    }  # fmt: skip
    return Finding(dataset=dataset, **{**values, **changes})


def group(*findings: Finding, **changes: Any) -> SignalGroup:
    root = findings[0]
    values: dict[str, Any] = {
        "dataset": root.dataset, "partition": root.partition, "title": f"{root.dataset}: {root.signature}",
        "owner_team": "shop", "tier": "TIER_1",
    }  # fmt: skip
    return SignalGroup(findings=findings, **{**values, **changes})


def look(catalog: Catalog, *groups: SignalGroup, at: datetime = NOW) -> tuple[IncidentEvent, ...]:
    """A look that found the groups, and whatever people silenced before is left out of them."""
    findings = [one for each in groups for one in each.findings]
    silenced = catalog.signals.silenced(one.key for one in findings)
    loud = [each for each in groups if not any(one.key in silenced for one in each.findings)]
    events = catalog.incidents.reconcile(
        findings, loud, silenced=silenced, revision=catalog.incidents.revision(), now=at
    )
    assert events is not None
    return events


def changes_of(events: tuple[IncidentEvent, ...]) -> list[tuple[int, str]]:
    return [(event.incident, event.what.value) for event in events]
