"""The row counts of a dataset by partition: those of the last run that passed, in the order of partitions."""

from typing import Any

from data_platform.catalog import Catalog
from data_platform.model.dataset import Stage
from data_platform.model.incident import Resolution
from data_platform.model.partition_key import PartitionKey
from data_platform.model.registration import Actor
from data_platform.model.run import RowCounts
from data_platform.model.signal import SignalKind
from data_platform.model.volume import DeliveredRows
from data_platform_tests.catalog.example import FAILED, NOW, ORDERS, report
from data_platform_tests.catalog.incident.example_finding import finding, group, look
from data_platform_tests.verdicts import all_gates


def record(catalog: Catalog, run_id: str, day: str | None, rows: int, **changes: Any) -> None:
    passed = {"verdicts": all_gates(Stage.GOLD), "stage": Stage.GOLD}
    counts = RowCounts(read=rows, accepted=rows)
    partition = PartitionKey(day) if day else None
    catalog.runs.record(report(run_id=run_id, partition=partition, rows=counts, **{**passed, **changes}), [])


def test_each_partition_has_the_rows_of_its_last_run_that_passed(catalog: Catalog) -> None:
    record(catalog, "run_1", "2026-02-02", 20)
    record(catalog, "run_2", "2026-02-01", 10)
    record(catalog, "run_3", "2026-02-01", 11)
    record(catalog, "run_4", "2026-02-02", 2, verdicts=(FAILED,), version=None)
    record(catalog, "run_5", "2026-02-03", 99, stage=Stage.SILVER, verdicts=all_gates(Stage.SILVER))
    record(catalog, "run_6", None, 7)

    counted = catalog.runs.accepted_rows(ORDERS, limit=10)

    expected = (("2026-02-01", 11), ("2026-02-02", 20))
    assert counted == tuple(DeliveredRows(PartitionKey(day), rows) for day, rows in expected)


def test_only_the_newest_partitions_before_one_are_read(catalog: Catalog) -> None:
    for day in range(1, 6):
        record(catalog, f"run_{day}", f"2026-02-0{day}", day)

    counted = catalog.runs.accepted_rows(ORDERS, before=PartitionKey("2026-02-05"), limit=2)

    assert [one.rows for one in counted] == [3, 4]
    assert catalog.runs.accepted_rows("ds://sales/none", limit=2) == ()


def test_a_row_count_that_people_expected_is_marked(catalog: Catalog) -> None:
    for day in (1, 2, 3):
        record(catalog, f"run_{day}", f"2026-02-0{day}", day)
    unusual = {
        PartitionKey("2026-02-02"): Resolution.EXPECTED,
        PartitionKey("2026-02-03"): Resolution.FALSE_ALARM,
    }
    look(catalog, *(group(finding(ORDERS, partition=day, kind=SignalKind.VOLUME)) for day in unusual))
    for incident in catalog.incidents.active():
        resolution = unusual[incident.partition or PartitionKey("2026-02-01")]
        catalog.incidents.resolve(incident.number, resolution, by=Actor(name="ann", role="DATA_OWNER"), now=NOW)

    assert [one.is_expected for one in catalog.runs.accepted_rows(ORDERS, limit=10)] == [False, True, False]
