"""The metrics of the columns by partition: those of the last silver that passed, in the order of partitions."""

from dataclasses import replace
from typing import Any

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform.model.delivery_history import DeliveredFields, FieldMetrics
from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Gate, Outcome
from data_platform_tests.catalog.example import ORDERS, report
from data_platform_tests.verdicts import all_gates


def record(
    catalog: Catalog, run_id: str, day: str | None, null_rate: float, outcome: Outcome = Outcome.PASSED, **more: Any
) -> None:
    metadata = {"rows": 10, "fields": {"Qty": {"null_rate": null_rate, **more}}}
    verdicts = tuple(
        replace(one, metadata=metadata, outcome=outcome) if one.gate is Gate.DQ else one
        for one in all_gates(Stage.SILVER)
    )
    partition, version = PartitionKey(day) if day else None, 1 if outcome.qualifies else None
    catalog.runs.record(
        report(run_id=run_id, partition=partition, stage=Stage.SILVER, verdicts=verdicts, version=version), []
    )


def test_each_partition_has_the_metrics_of_its_last_run_that_passed(catalog: Catalog) -> None:
    record(catalog, "run_1", "2026-02-02", 0.2, shares={"A": 1.0}, infinite=3)
    record(catalog, "run_2", "2026-02-01", 0.1)
    record(catalog, "run_3", "2026-02-01", 0.3, min=1.0)
    record(catalog, "run_4", "2026-02-02", 0.9, outcome=Outcome.FAILED)
    record(catalog, "run_5", None, 0.5)

    assert catalog.runs.field_metrics(ORDERS, limit=10) == (
        DeliveredFields(PartitionKey("2026-02-01"), 10, {"qty": FieldMetrics(null_rate=0.3, min=1.0)}),
        DeliveredFields(PartitionKey("2026-02-02"), 10, {"qty": FieldMetrics(null_rate=0.2, shares={"A": 1.0})}),
    )


def test_only_the_newest_partitions_before_one_are_read(catalog: Catalog) -> None:
    for day in range(1, 6):
        record(catalog, f"run_{day}", f"2026-02-0{day}", day / 10)

    found = catalog.runs.field_metrics(ORDERS, before=PartitionKey("2026-02-05"), limit=2)

    assert [one.fields["qty"].null_rate for one in found] == [0.3, 0.4]
    assert catalog.runs.field_metrics("ds://sales/none", limit=2) == ()
