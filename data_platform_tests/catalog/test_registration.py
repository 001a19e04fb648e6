"""A dataset is saved as often as one likes, and changes only when it has changed."""

from datetime import datetime

from data_platform.catalog import Catalog
from data_platform.model.registration import Registration
from data_platform_tests.catalog.example import NOW, ORDERS, later


def save(catalog: Catalog, now: datetime, *, urn: str = ORDERS, tier: str = "TIER_1") -> None:
    catalog.registry.save_dataset(
        urn,
        table="orders",
        owner_team="sales",
        tier=tier,
        description="What was ordered",
        policy_fingerprint="0123456789abcdef",
        now=now,
    )


def test_a_saved_dataset_comes_back(catalog: Catalog) -> None:
    save(catalog, NOW)

    assert catalog.registry.datasets() == (
        Registration(
            urn=ORDERS,
            table="orders",
            owner_team="sales",
            tier="TIER_1",
            description="What was ordered",
            policy_fingerprint="0123456789abcdef",
            created_at=NOW,
            updated_at=NOW,
        ),
    )


def test_saving_the_same_again_changes_nothing(catalog: Catalog) -> None:
    save(catalog, NOW)
    before = catalog.registry.datasets()

    save(catalog, later(5))

    assert catalog.registry.datasets() == before


def test_a_change_is_kept_with_its_time(catalog: Catalog) -> None:
    save(catalog, NOW)

    save(catalog, later(5), tier="TIER_2")

    (found,) = catalog.registry.datasets()
    assert (found.tier, found.created_at, found.updated_at) == ("TIER_2", NOW, later(5))


def test_datasets_come_by_their_urn(catalog: Catalog) -> None:
    for urn in ("ds://b/one", "ds://a/two"):
        save(catalog, NOW, urn=urn)

    assert [d.urn for d in catalog.registry.datasets()] == ["ds://a/two", "ds://b/one"]
