"""Which partitions have tokens of which key: those that silver holds, and those that consumers see of gold."""

from typing import Any

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform_tests.catalog.example import DAY, NOW, ORDERS, certification, evidence, report

OLD, NEW = {"token_key": "0f"}, {"token_keys": {"0f": 1, "1e": 2}}


def record(catalog: Catalog, number: int, stage: Stage, metadata: dict[str, Any], **changes: Any) -> None:
    catalog.runs.record(report(f"run_{number}", stage=stage, metadata=metadata, **{"version": number, **changes}), [])


def uses(catalog: Catalog, urn: str | None = None) -> list[tuple[Stage, str | None, int, str]]:
    return [(use.stage, use.partition, use.version, use.key_id) for use in catalog.runs.token_uses(urn)]


def test_the_newest_run_of_each_partition_counts_and_of_gold_the_newest_that_consumers_see(catalog: Catalog) -> None:
    record(catalog, 1, Stage.SILVER, OLD)
    record(catalog, 2, Stage.GOLD, OLD)
    record(catalog, 3, Stage.SILVER, NEW, partition="2026-02-16")
    record(catalog, 4, Stage.SILVER, NEW)
    assert uses(catalog) == [
        (Stage.SILVER, DAY, 1, "0f"), (Stage.SILVER, DAY, 2, "1e"),
        (Stage.SILVER, "2026-02-16", 1, "0f"), (Stage.SILVER, "2026-02-16", 2, "1e"),
    ]  # fmt: skip

    catalog.certifications.certify(certification(2), expected=None, evidence=[evidence()])
    record(catalog, 5, Stage.GOLD, {"token_keys": {"1e": 2}})

    assert [use for use in uses(catalog, ORDERS) if use[0] is Stage.GOLD] == [(Stage.GOLD, DAY, 1, "0f")]
    catalog.certifications.certify(certification(5), expected=2, evidence=[evidence("run_5", timestamp=NOW)])
    assert [use for use in uses(catalog, ORDERS) if use[0] is Stage.GOLD] == [(Stage.GOLD, DAY, 2, "1e")]
    assert uses(catalog, "ds://curated/items") == []


def test_a_held_run_has_no_rows_in_the_table(catalog: Catalog) -> None:
    record(catalog, 1, Stage.SILVER, OLD)

    record(catalog, 2, Stage.SILVER, NEW, version=None)

    assert uses(catalog) == [(Stage.SILVER, DAY, 1, "0f")]


def test_a_dataset_without_partitions_and_one_without_tokens(catalog: Catalog) -> None:
    record(catalog, 1, Stage.SILVER, OLD, partition=None)
    record(catalog, 2, Stage.SILVER, {}, partition=DAY)

    assert uses(catalog) == [(Stage.SILVER, None, 1, "0f")]
