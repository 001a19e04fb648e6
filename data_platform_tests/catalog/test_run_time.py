"""How long stages and jobs take, when partitions were there first, and when whole datasets were updated."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from data_platform.catalog import Catalog
from data_platform.legacy.arrival import arrival_event
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run_time import MOST_RUNS, RunTime
from data_platform.openlineage.event import read_event
from data_platform.openlineage.legacy_event import run_event
from data_platform_tests.catalog.example import FAILED, NOW, ORDERS, later, report

FIRST = PartitionKey("2025-12-01")
RATES, JOB = "ds://market/rates", "AUTOSYS/NIGHT/RATES"
MINUTE = timedelta(minutes=1)


def record(catalog: Catalog, stage: Stage, day: PartitionKey | None, **changes: Any) -> None:
    run = f"run_{uuid4().hex[:8]}"
    catalog.runs.record(report(run_id=run, stage=stage, partition=day, started_at=NOW, **changes), [])


def test_only_the_newest_runs_of_a_stage_count(catalog: Catalog) -> None:
    for number in range(MOST_RUNS + 3):
        minutes = 90 if number < 3 else 10
        record(catalog, Stage.GOLD, FIRST.shifted(number), finished_at=later(minutes))
    record(catalog, Stage.SILVER, FIRST, finished_at=later(1))

    assert catalog.timeliness.stage_times([ORDERS, RATES]) == {(ORDERS, Stage.GOLD): RunTime(10 * MINUTE, 10 * MINUTE)}


def test_the_time_of_a_job_is_that_of_its_completed_runs(catalog: Catalog) -> None:
    for number in range(7):
        run, end = str(uuid4()), "FAIL" if number == 0 else "COMPLETE"
        for kind, at in (("START", NOW), (end, later(100 if number == 0 else number))):
            catalog.events.ingest([read_event(run_event(kind, JOB, run, time=at))], now=at)

    assert catalog.timeliness.job_times([JOB, "AUTOSYS/OTHER"]) == {JOB: RunTime(3 * MINUTE, 5 * MINUTE)}


def test_the_first_report_of_a_partition_counts(catalog: Catalog) -> None:
    for day, at in ((FIRST, later(5)), (FIRST, later(9)), (FIRST.next, later(7)), (FIRST.previous, NOW)):
        event = arrival_event(RATES, f"v{at:%M}", day, time=at, process=JOB, run=str(uuid4()))
        catalog.events.ingest([event], now=at)
    record(catalog, Stage.GOLD, FIRST, finished_at=later(30))

    arrived = catalog.timeliness.first_arrived([RATES, ORDERS], since=FIRST)

    assert arrived == {RATES: {FIRST: later(5), FIRST.next: later(7)}}
    assert catalog.timeliness.beginnings([RATES, ORDERS, "ds://no/such"]) == {RATES: NOW, ORDERS: NOW}


def test_a_whole_dataset_was_updated_by_its_last_certification(catalog: Catalog) -> None:
    record(catalog, Stage.CERTIFIED, None, finished_at=later(1))
    record(catalog, Stage.CERTIFIED, None, finished_at=later(2))
    record(catalog, Stage.CERTIFIED, FIRST, finished_at=later(3))
    record(catalog, Stage.CERTIFIED, None, finished_at=later(4), verdicts=(FAILED,), version=None)
    event = arrival_event(RATES, "v1", FIRST, time=later(6), process=JOB, run=str(uuid4()))
    catalog.events.ingest([event], now=later(6))

    assert catalog.timeliness.updated([ORDERS, RATES]) == {ORDERS: later(2), RATES: later(6)}
    [(urn, end)] = catalog.timeliness.whole_ends([ORDERS, RATES]).items()
    assert (urn, end.finished_at, end.outcome.qualifies) == (ORDERS, later(4), False)
