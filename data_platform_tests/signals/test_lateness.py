"""Which days are late, and why: by the deadline in its zone, and by what the catalog has of the day."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import pytest
from pydantic import BaseModel

from data_platform.catalog import Catalog
from data_platform.legacy.arrival import arrival_event
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.freshness import Freshness, PartDeadline, Parts
from data_platform.model.intent import Intent
from data_platform.model.lateness import LateCause, LatePartition
from data_platform.model.partition_key import PartitionKey
from data_platform.model.policy import DatasetPolicy, DatasetStatus, Slo
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.verdict import Gate, Outcome, Verdict
from data_platform.openlineage.event import read_event
from data_platform.openlineage.legacy_event import partition_facet, run_event
from data_platform.policies import Dataset, Policies
from data_platform.signals.lateness import find_late
from data_platform_tests.catalog.template import filled_catalog
from data_platform_tests.verdicts import all_gates

Model = TypeVar("Model", bound=BaseModel)

FLIGHTS, DELAYS, SUMMARY, RATES = "ds://ops/flights", "ds://ops/delays", "ds://ops/summary", "ds://market/rates"
JOB = "AUTOSYS/NIGHT/LOAD_RATES"
DAY = PartitionKey("2025-06-10")
NOW = datetime(2025, 6, 11, 15, 0, tzinfo=UTC)
"""11:00 in New York: the deadlines of the day before are all over."""
LATE_SINCE = datetime(2025, 6, 11, 10, 30, tzinfo=UTC)


def record_the_days_before(catalog: Catalog) -> None:
    """Everything before ``DAY`` is there."""
    for back in range(1, 13):
        for urn in (FLIGHTS, DELAYS, SUMMARY):
            end(catalog, urn, Stage.CERTIFIED, DAY.shifted(-back))
        arrive(catalog, DAY.shifted(-back))


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with filled_catalog(tmp_path, record_the_days_before) as opened:
        yield opened


def end(
    catalog: Catalog,
    urn: str,
    stage: Stage,
    day: PartitionKey = DAY,
    *,
    at: datetime = NOW - timedelta(hours=6),
    **changes: Any,
) -> None:
    values: dict[str, Any] = {
        "dataset": DatasetId.parse(urn), "stage": stage, "partition": day, "run_id": f"run_{uuid4().hex[:8]}",
        "path": str(stage), "version": 1, "rows": RowCounts(read=1, accepted=1), "verdicts": all_gates(stage),
        "started_at": at - timedelta(minutes=10), "finished_at": at,
    }  # fmt: skip
    catalog.runs.record(StageReport(**{**values, **changes}), [])


def replace_in(model: Model, **changes: object) -> Model:
    return model.model_copy(update=changes)


def arrive(catalog: Catalog, day: PartitionKey, *, process: str | None = JOB) -> None:
    event = arrival_event(RATES, "v1", day, time=NOW - timedelta(days=1), process=process, run=str(uuid4()))
    catalog.events.ingest([event], now=NOW - timedelta(days=1))


def begin(catalog: Catalog, at: datetime, *, lease_until: datetime | None = None) -> None:
    """Silver of flights writes the day since ``at``."""
    catalog.runs.open_intent(
        Intent(
            run_id="run_now",
            dataset_urn=FLIGHTS,
            stage=Stage.SILVER,
            partition=DAY,
            path="silver",
            before=1,
            opened_at=at,
        )
    )
    if lease_until is not None:
        catalog.leases.take(FLIGHTS, owner="run_now", now=at, ttl=lease_until - at)


def report_job(
    catalog: Catalog,
    kind: str,
    process: str,
    *,
    at: datetime = NOW - timedelta(hours=2),
    error: str | None = None,
    run: str = "",
) -> None:
    facets = partition_facet(str(DAY))
    document = run_event(kind, process, run or str(uuid4()), time=at, error=error, facets=facets)
    catalog.events.ingest([read_event(document)], now=at)


def found(policies: Policies, catalog: Catalog, urn: str, now: datetime = NOW) -> LatePartition:
    [late] = [one for one in find_late(policies, catalog, now) if one.dataset == urn]
    return late


def test_a_day_is_late_from_the_end_of_grace_on(policies: Policies, catalog: Catalog) -> None:
    arrive(catalog, DAY)

    before = find_late(policies, catalog, LATE_SINCE - timedelta(seconds=1))
    [late] = find_late(policies, catalog, LATE_SINCE)

    assert before == ()
    assert (late.dataset, late.partition, late.late_since) == (FLIGHTS, DAY, LATE_SINCE)
    assert (late.due, late.watermark) == (LATE_SINCE - timedelta(minutes=30), DAY.previous)


def test_nothing_is_late_when_all_days_are_there(policies: Policies, catalog: Catalog) -> None:
    for urn in (FLIGHTS, DELAYS, SUMMARY):
        end(catalog, urn, Stage.CERTIFIED)
    arrive(catalog, DAY)

    assert find_late(policies, catalog, NOW) == ()


def test_a_backfill_makes_no_newer_day_fresh(policies: Policies, catalog: Catalog) -> None:
    end(catalog, FLIGHTS, Stage.CERTIFIED, DAY.shifted(-5), at=NOW)

    late = found(policies, catalog, FLIGHTS)

    assert (late.partition, late.watermark) == (DAY, DAY.previous)


def test_nothing_has_started(policies: Policies, catalog: Catalog) -> None:
    late = found(policies, catalog, FLIGHTS)

    assert (late.cause, late.severity) == (LateCause.JOB_NOT_TRIGGERED, "CRITICAL")
    assert late.reason == "nothing has started for this day"


def held(catalog: Catalog) -> None:
    failed = Verdict(gate=Gate.DQ, outcome=Outcome.FAILED, reason="row count 1 < min_rows 5")
    passed = [verdict for verdict in all_gates(Stage.SILVER) if verdict.gate is not Gate.DQ]
    end(catalog, FLIGHTS, Stage.SILVER, verdicts=(*passed, failed), version=None)


def partial(catalog: Catalog) -> None:
    end(catalog, FLIGHTS, Stage.GOLD)


def failed(catalog: Catalog) -> None:
    report_job(catalog, "FAIL", "DATA_PLATFORM/ops/flights/silver", error="the disk is full")


def slow(catalog: Catalog) -> None:
    for back in range(1, 7):
        end(catalog, FLIGHTS, Stage.SILVER, DAY.shifted(-back))
    begin(catalog, LATE_SINCE - timedelta(hours=1), lease_until=NOW + timedelta(minutes=5))


def dead(catalog: Catalog) -> None:
    begin(catalog, LATE_SINCE - timedelta(hours=1), lease_until=NOW - timedelta(minutes=5))


def started_late(catalog: Catalog) -> None:
    begin(catalog, LATE_SINCE + timedelta(hours=1), lease_until=NOW + timedelta(minutes=5))


@pytest.mark.parametrize(
    ("happened", "cause", "reason"),
    [
        pytest.param(held, "HELD_BY_GATE", "silver failed: DQ: row count 1 < min_rows 5", id="held"),
        pytest.param(
            partial, "PARTIAL_WRITE", "gold passed at 2025-06-11 09:00 UTC, and was not certified", id="partial"
        ),
        pytest.param(failed, "JOB_FAILED", "the disk is full", id="failed"),
        pytest.param(
            slow,
            "JOB_RUNNING_SLOW",
            "silver began at 2025-06-11 09:30 UTC, 330 minutes ago; 95 % of its runs take 10 minutes",
            id="slow",
        ),
        pytest.param(dead, "JOB_FAILED", "silver began at 2025-06-11 09:30 UTC, and its process is dead", id="dead"),
        pytest.param(
            started_late,
            "JOB_NOT_TRIGGERED",
            "silver began at 2025-06-11 11:30 UTC, too late, and is running",
            id="started late",
        ),
    ],
)
def test_the_cause_is_what_happened_last(
    policies: Policies, catalog: Catalog, happened: Callable[[Catalog], None], cause: str, reason: str
) -> None:
    happened(catalog)

    late = found(policies, catalog, FLIGHTS)

    assert (late.cause.value, late.reason) == (cause, reason)
    assert late.severity == ("WARNING" if cause == "JOB_RUNNING_SLOW" else "CRITICAL")


def with_parts(dataset: Dataset, *values: str, column: str = "", deadlines: tuple[PartDeadline, ...] = ()) -> Dataset:
    freshness = dataset.policy.slo.freshness
    assert freshness is not None
    parts = Parts(column=column, values=values, deadlines=deadlines)
    slo = replace_in(dataset.policy.slo, freshness=Freshness(**{**freshness.model_dump(), "parts": parts}))
    return replace(dataset, policy=replace_in(dataset.policy, slo=slo))


def in_parts(policies: Policies, *values: str, deadlines: tuple[PartDeadline, ...] = ()) -> Policies:
    """Flights with parts: the airports."""
    datasets = (
        with_parts(one, *values, column="origin", deadlines=deadlines) if one.urn == FLIGHTS else one
        for one in policies.datasets
    )
    return replace(policies, datasets=tuple(datasets))


def certify_parts(catalog: Catalog, at: datetime = NOW - timedelta(hours=6), **rows: int) -> None:
    """Silver counts the rows of each airport, and the day is certified."""
    counted = Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, metadata={"parts": rows})
    others = [verdict for verdict in all_gates(Stage.SILVER) if verdict.gate is not Gate.DQ]
    end(catalog, FLIGHTS, Stage.SILVER, verdicts=(*others, counted), at=at)
    end(catalog, FLIGHTS, Stage.GOLD, at=at)
    end(catalog, FLIGHTS, Stage.CERTIFIED, at=at)


def test_a_day_that_is_certified_without_a_declared_part_is_late(policies: Policies, catalog: Catalog) -> None:
    declared = in_parts(policies, "EWR", "JFK", "LGA")
    certify_parts(catalog, EWR=3, JFK=0, LGA=0)

    late = found(declared, catalog, FLIGHTS)

    assert (late.cause.value, late.without) == ("PARTIAL_WRITE", ("JFK", "LGA"))
    assert late.reason == "certified at 2025-06-11 09:00 UTC without rows of JFK, LGA"
    assert (late.watermark, late.late_since) == (DAY.previous, LATE_SINCE)


def test_a_day_is_there_when_a_later_version_has_all_parts(policies: Policies, catalog: Catalog) -> None:
    declared = in_parts(policies, "EWR", "JFK")
    certify_parts(catalog, EWR=3, JFK=0)
    certify_parts(catalog, NOW - timedelta(hours=1), EWR=3, JFK=1)

    assert [one for one in find_late(declared, catalog, NOW) if one.dataset == FLIGHTS] == []


def test_a_newer_version_that_was_held_completes_no_day(policies: Policies, catalog: Catalog) -> None:
    """Its silver had all parts, and the certified version is still the one before."""
    declared = in_parts(policies, "EWR", "JFK")
    certify_parts(catalog, EWR=3, JFK=0)
    counted = Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, metadata={"parts": {"EWR": 3, "JFK": 1}})
    others = [verdict for verdict in all_gates(Stage.SILVER) if verdict.gate is not Gate.DQ]
    end(catalog, FLIGHTS, Stage.SILVER, verdicts=(*others, counted), at=NOW - timedelta(hours=1))
    end(catalog, FLIGHTS, Stage.GOLD, verdicts=all_gates(Stage.GOLD, Outcome.FAILED), at=NOW - timedelta(hours=1))

    assert found(declared, catalog, FLIGHTS).cause is LateCause.HELD_BY_GATE


def test_a_part_that_was_declared_after_the_count_is_not_missing(policies: Policies, catalog: Catalog) -> None:
    certify_parts(catalog, EWR=3)

    declared = in_parts(policies, "EWR", "SFO")

    assert [one for one in find_late(declared, catalog, NOW) if one.dataset == FLIGHTS] == []


def test_a_failure_before_a_later_result_is_no_cause(policies: Policies, catalog: Catalog) -> None:
    failed(catalog)
    end(catalog, FLIGHTS, Stage.GOLD, at=NOW - timedelta(hours=1))

    assert found(policies, catalog, FLIGHTS).cause is LateCause.PARTIAL_WRITE


def test_a_dataset_waits_for_the_first_one_in_the_chain(policies: Policies, catalog: Catalog) -> None:
    late = found(policies, catalog, SUMMARY)

    assert (late.cause, late.upstream) == (LateCause.UPSTREAM_LATE, (DELAYS, FLIGHTS))
    assert late.reason == "waits for ds://ops/flights 2025-06-10"


def test_the_chain_ends_at_a_dataset_that_has_a_cause_of_its_own(policies: Policies, catalog: Catalog) -> None:
    end(catalog, DELAYS, Stage.GOLD)

    assert found(policies, catalog, SUMMARY).upstream == (DELAYS,)


def test_a_dataset_that_was_held_itself_does_not_wait(policies: Policies, catalog: Catalog) -> None:
    end(catalog, FLIGHTS, Stage.CERTIFIED)
    end(catalog, DELAYS, Stage.SILVER)

    assert found(policies, catalog, DELAYS).cause is LateCause.PARTIAL_WRITE
    assert found(policies, catalog, SUMMARY).upstream == (DELAYS,)


@pytest.mark.parametrize(
    ("kind", "at", "cause"),
    [
        pytest.param("FAIL", NOW, LateCause.JOB_FAILED, id="failed"),
        pytest.param("START", LATE_SINCE - timedelta(hours=6), LateCause.JOB_RUNNING_SLOW, id="running"),
        pytest.param("START", LATE_SINCE, LateCause.JOB_NOT_TRIGGERED, id="started after the end of grace"),
        pytest.param(None, NOW, LateCause.JOB_NOT_TRIGGERED, id="nothing came"),
    ],
)
def test_a_job_outside_is_judged_by_its_reports(
    policies: Policies, catalog: Catalog, kind: str | None, at: datetime, cause: LateCause
) -> None:
    if kind is not None:
        report_job(catalog, kind, JOB, at=at, error="MAXRUNALARM" if kind == "FAIL" else None)

    late = found(policies, catalog, RATES)

    assert late.late_since == datetime(2025, 6, 11, 6, 30, tzinfo=UTC)
    assert (late.cause, late.watermark) == (cause, DAY.previous)


def test_a_dead_daemon_is_named_with_the_marker_that_it_did_not_look_for(policies: Policies, catalog: Catalog) -> None:
    catalog.scheduler.record({"on_certification"}, now=LATE_SINCE - timedelta(hours=9))
    end(catalog, FLIGHTS, Stage.CERTIFIED)

    late = found(policies, catalog, DELAYS)

    assert late.cause is LateCause.JOB_NOT_TRIGGERED
    assert late.reason == (
        "Dagster's daemon, or its sensor dead_runs, has not ticked since 2025-06-11 01:30 UTC; on_certification is "
        "switched off in Dagster since 2025-06-11 01:30 UTC"
    )


def test_a_run_that_takes_its_usual_time_began_too_late(policies: Policies, catalog: Catalog) -> None:
    slow(catalog)

    late = found(policies, catalog, FLIGHTS, LATE_SINCE)  # an hour after it began, and 10 minutes are usual
    assert late.cause is LateCause.JOB_RUNNING_SLOW
    for back in range(1, 7):
        end(catalog, FLIGHTS, Stage.SILVER, DAY.shifted(-back), started_at=NOW - timedelta(hours=8))

    late = found(policies, catalog, FLIGHTS, LATE_SINCE)
    assert late.cause is LateCause.JOB_NOT_TRIGGERED
    assert late.reason == "silver began at 2025-06-11 09:30 UTC, too late, and is running"


def with_freshness(policies: Policies, urn: str, **changes: Any) -> Policies:
    """The policies with another freshness policy of ``urn``."""

    def changed(policy: DatasetPolicy) -> DatasetPolicy:
        assert policy.slo.freshness is not None
        freshness = Freshness(**{**policy.slo.freshness.model_dump(), **changes})
        return policy.model_copy(update={"slo": Slo(freshness=freshness)})

    datasets = (replace(one, policy=changed(one.policy)) if one.urn == urn else one for one in policies.datasets)
    return replace(policies, datasets=tuple(datasets))


@pytest.mark.parametrize(
    ("quiet", "cause", "upstream"),
    [
        pytest.param([], LateCause.UPSTREAM_LATE, (FLIGHTS,), id="its input is missing"),
        pytest.param(["2025-05-28"], LateCause.JOB_NOT_TRIGGERED, (), id="its input has no data of that day"),
    ],
)
def test_a_monthly_dataset_is_late_by_days_that_are_older_than_those_of_others(
    policies: Policies, catalog: Catalog, quiet: list[str], cause: LateCause, upstream: tuple[str, ...]
) -> None:
    monthly = with_freshness(policies, DELAYS, expected_update_by="06:00 ET on business day 3")
    for number in range(27):  # of May, the 28th is missing
        end(catalog, DELAYS, Stage.CERTIFIED, PartitionKey("2025-05-01").shifted(number))

    late = found(with_freshness(monthly, FLIGHTS, quiet_days=quiet), catalog, DELAYS)

    assert (late.partition, late.due) == ("2025-05-28", datetime(2025, 6, 4, 10, 0, tzinfo=UTC))
    assert (late.cause, late.upstream) == (cause, upstream)


def test_a_draft_is_not_watched(policies: Policies, catalog: Catalog) -> None:
    drafts = tuple(
        replace(one, policy=one.policy.model_copy(update={"status": DatasetStatus.DRAFT})) for one in policies.datasets
    )

    assert find_late(replace(policies, datasets=drafts), catalog, NOW) == ()


def due_later(policies: Policies, *deadlines: tuple[str, str]) -> Policies:
    """Flights with the parts EWR, JFK and LGA, and deadlines of some in New York."""
    own = tuple(PartDeadline(values=(part,), expected_update_by=f"{at} ET daily") for part, at in deadlines)
    return in_parts(policies, "EWR", "JFK", "LGA", deadlines=own)


def test_a_part_that_is_due_later_is_not_missing_before(policies: Policies, catalog: Catalog) -> None:
    """LGA is due at 09:00 in New York, the rest at 06:00; the grace is half an hour."""
    declared = due_later(policies, ("LGA", "09:00"))
    certify_parts(catalog, EWR=3, JFK=1, LGA=0)
    later = LATE_SINCE + timedelta(hours=3)

    before = find_late(declared, catalog, later - timedelta(seconds=1))
    late = found(declared, catalog, FLIGHTS, later)

    assert [one for one in before if one.dataset == FLIGHTS] == []
    assert (late.cause.value, late.without, late.late_since) == ("PARTIAL_WRITE", ("LGA",), later)
    assert late.reason.endswith("without rows of LGA")


def test_a_part_that_is_due_earlier_is_late_before_the_day(policies: Policies, catalog: Catalog) -> None:
    declared = due_later(policies, ("EWR", "04:00"))
    earlier = LATE_SINCE - timedelta(hours=2)

    late = found(declared, catalog, FLIGHTS, earlier)
    then = found(declared, catalog, FLIGHTS, LATE_SINCE)

    assert (late.cause.value, late.without, late.late_since) == ("JOB_NOT_TRIGGERED", ("EWR",), earlier)
    assert (set(then.without), then.late_since) == ({"EWR", "JFK", "LGA"}, earlier)  # all of them, since the first


def test_missing_parts_are_one_late_day_since_the_first_deadline(policies: Policies, catalog: Catalog) -> None:
    declared = due_later(policies, ("EWR", "04:00"), ("LGA", "09:00"))
    certify_parts(catalog, EWR=3, JFK=0, LGA=0)

    late = found(declared, catalog, FLIGHTS)

    assert (set(late.without), late.late_since) == ({"JFK", "LGA"}, LATE_SINCE)


def report_parts(catalog: Catalog, version: str, day: PartitionKey = DAY, **rows: int) -> None:
    at = NOW - timedelta(hours=10)
    event = arrival_event(RATES, version, day, time=at, process=JOB, run=str(uuid4()), metadata={"parts": rows})
    catalog.events.ingest([event], now=at)


@pytest.fixture
def rates_in_parts(policies: Policies, catalog: Catalog) -> Policies:
    """Rates of three regions, which their job reports; all days before are there."""
    for back in range(1, 13):
        report_parts(catalog, "v2", DAY.shifted(-back), APAC=1, EMEA=1, US=1)
    datasets = (with_parts(one, "APAC", "EMEA", "US") if one.urn == RATES else one for one in policies.datasets)
    return replace(policies, datasets=tuple(datasets))


def test_the_parts_of_a_job_outside_are_those_that_it_reports(rates_in_parts: Policies, catalog: Catalog) -> None:
    """Each report may be of one part; a later one of no rows takes a part back."""
    report_parts(catalog, "v1", APAC=7)
    report_parts(catalog, "v2", EMEA=0)

    late = found(rates_in_parts, catalog, RATES)
    report_parts(catalog, "v3", EMEA=5, US=2)

    assert (late.cause.value, late.without) == ("PARTIAL_WRITE", ("EMEA", "US"))
    assert (late.reason, late.watermark) == ("reported without rows of EMEA, US", DAY.previous)
    assert [one for one in find_late(rates_in_parts, catalog, NOW) if one.dataset == RATES] == []


def test_a_report_that_names_no_parts_is_of_none(rates_in_parts: Policies, catalog: Catalog) -> None:
    arrive(catalog, DAY)

    assert found(rates_in_parts, catalog, RATES).without == ("APAC", "EMEA", "US")
