"""``data-platform kpi`` shows the key figures by tier."""

from datetime import UTC, datetime, timedelta

from data_platform.model.incident import Resolution
from data_platform.model.registration import Actor
from data_platform.model.signal import SignalKind
from data_platform_tests.catalog.incident.example_finding import finding, group, look
from data_platform_tests.cli.shop import ORDERS, Shop

ANN = Actor(name="ann", role="DATA_OWNER")


def test_the_figures_are_those_of_the_period_by_tier(shop: Shop) -> None:
    now = datetime.now(UTC)
    with shop.catalog() as catalog:
        for age, tier in ((timedelta(days=60), "TIER_3"), (timedelta(days=1), "TIER_3"), (timedelta(0), "TIER_1")):
            at = now - age - timedelta(minutes=1)
            late = finding(ORDERS, occurred_at=at - timedelta(minutes=2), signature=f"{age}", kind=SignalKind.JOB)
            look(catalog, group(late, tier=tier), at=at)
        catalog.incidents.resolve(3, Resolution.FALSE_ALARM, by=ANN, now=now)

    document, text = shop.json("kpi"), shop.run("kpi")

    tiers = {one["tier"]: one for one in document["tiers"]}
    assert list(tiers) == ["*", "TIER_1", "TIER_2", "TIER_3"]
    assert {name: one["times"]["incidents"] for name, one in tiers.items()} == {
        "*": 2, "TIER_1": 1, "TIER_2": 0, "TIER_3": 1,
    }  # fmt: skip
    assert tiers["*"]["times"]["detect"] == {"count": 2, "median_seconds": 120.0, "p95_seconds": 120.0}
    assert tiers["*"]["times"]["false_positives"] == {"part": 1, "whole": 2, "ratio": 0.5}
    assert tiers["TIER_3"]["with_contract"] == {"part": 2, "whole": 2, "ratio": 1.0}
    assert text.stdout.splitlines()[1].split()[:4] == ["all", "2", "0", "2m"]
