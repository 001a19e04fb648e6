"""What is there of recent partitions, what runs and what failed, on each database."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

from data_platform.catalog import Catalog
from data_platform.legacy.arrival import arrival_event
from data_platform.model.dataset import Stage
from data_platform.model.lateness import StageBegin, StageEnd
from data_platform.model.lineage import RunState
from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Outcome
from data_platform.openlineage.event import read_event
from data_platform.openlineage.legacy_event import partition_facet, run_event
from data_platform_tests.catalog.example import FAILED, NOW, ORDERS, intent, later, report
from data_platform_tests.catalog.legacy.estate import Estate

SINCE, DAY = PartitionKey("2026-02-10"), PartitionKey("2026-02-14")
RATES, JOB = "ds://market/rates", "AUTOSYS/NIGHT/RATES"


def record(catalog: Catalog, run_id: str, stage: Stage, day: PartitionKey, **changes: Any) -> None:
    catalog.runs.record(report(run_id=run_id, stage=stage, partition=day, **changes), [])


def test_certified_partitions_and_the_last_result_of_each(catalog: Catalog) -> None:
    record(catalog, "run_1", Stage.CERTIFIED, SINCE.previous)
    record(catalog, "run_2", Stage.CERTIFIED, SINCE)
    record(catalog, "run_3", Stage.CERTIFIED, DAY, verdicts=(FAILED,), version=None)
    record(catalog, "run_4", Stage.GOLD, DAY, finished_at=later(5))

    certified = catalog.timeliness.certified([ORDERS, RATES], since=SINCE)
    ends = catalog.timeliness.stage_ends([ORDERS], since=SINCE)

    assert certified == {ORDERS: frozenset({SINCE})}
    assert set(ends) == {(ORDERS, SINCE), (ORDERS, DAY)}
    assert ends[ORDERS, DAY] == StageEnd(stage=Stage.GOLD, outcome=Outcome.PASSED, finished_at=later(5), reason="")
    assert catalog.timeliness.stage_ends([RATES], since=SINCE) == {}


def test_what_writes_now_is_alive_while_it_has_its_lease(catalog: Catalog) -> None:
    for number in range(5):
        record(catalog, f"run_{number}", Stage.GOLD, SINCE.shifted(number), finished_at=later(1 + number))
    catalog.runs.open_intent(intent(run_id="run_now", partition=DAY))
    catalog.leases.take(ORDERS, owner="run_now", now=NOW, ttl=timedelta(minutes=2))

    alive, dead = (catalog.timeliness.stage_begins(now=at)[ORDERS, DAY] for at in (later(1), later(3)))

    usual = timedelta(minutes=4).total_seconds()
    begin = StageBegin(stage=Stage.GOLD, run_id="run_now", started_at=NOW, usual_seconds=usual, is_alive=True)
    assert alive == begin
    assert (dead.run_id, dead.is_alive) == ("run_now", False)


def test_what_arrived_of_an_external_dataset_and_the_job_that_makes_it(catalog: Catalog) -> None:
    for day in (SINCE.previous, SINCE, DAY):
        event = arrival_event(RATES, "v1", day, time=NOW, process=JOB, run=str(uuid4()))
        catalog.events.ingest([event], now=NOW)

    assert catalog.timeliness.arrived([RATES, ORDERS], since=SINCE) == {RATES: frozenset({SINCE, DAY})}
    assert catalog.timeliness.producers([RATES, ORDERS]) == {RATES: JOB}


def test_jobs_that_failed_or_have_not_ended(catalog: Catalog) -> None:
    for kind, at in (("COMPLETE", NOW), ("FAIL", later(1)), ("START", later(2))):
        facets = partition_facet(str(DAY))
        event = run_event(
            kind, JOB, str(uuid4()), time=at, error="MAXRUNALARM" if kind == "FAIL" else None, facets=facets
        )
        catalog.events.ingest([read_event(event)], now=at)

    found = catalog.timeliness.unfinished_jobs(since=NOW)

    assert [(job.process, job.state, job.seen_at, job.error) for job in found] == [
        (JOB, RunState.FAILED, later(1), "MAXRUNALARM"),
        (JOB, RunState.RUNNING, later(2), ""),
    ]
    assert {job.nominal_start and PartitionKey.of_nominal_start(job.nominal_start, "UTC") for job in found} == {DAY}
    assert catalog.timeliness.unfinished_jobs(since=later(5)) == ()


NIGHT = """\
insert_job: NIGHT job_type: b
date_conditions: 1
days_of_week: all
start_times: "05:00"
timezone: America/New_York

insert_job: RATES job_type: c
box_name: NIGHT

insert_job: ALONE job_type: c
"""


def test_the_schedule_of_a_legacy_job_is_that_of_its_box(catalog: Catalog) -> None:
    Estate(catalog).apply(NIGHT)
    event = run_event("COMPLETE", JOB, str(uuid4()), time=later(1), facets=partition_facet(str(DAY)))
    catalog.events.ingest([read_event(event)], now=later(1))

    found = catalog.timeliness.legacy_jobs([JOB, "AUTOSYS/ALONE", "SPARK/jobs/x"])

    assert set(found) == {JOB, "AUTOSYS/ALONE"}
    assert (found[JOB].starts, found[JOB].last_started) == ("all 05:00 America/New_York", later(1))
    assert (found["AUTOSYS/ALONE"].starts, found["AUTOSYS/ALONE"].last_started) == ("", None)


def test_a_schedule_that_a_producer_of_events_invented_is_left_out(catalog: Catalog) -> None:
    event = run_event("COMPLETE", JOB, str(uuid4()), time=NOW)
    event["job"]["facets"]["autosys_schedule"] = {
        "_producer": "https://example.com", "_schemaURL": "https://example.com/s", "start_times": 5, "active": "yes",
    }  # fmt: skip
    catalog.events.ingest([read_event(event)], now=NOW)

    assert catalog.timeliness.legacy_jobs([JOB])[JOB].schedule is None
