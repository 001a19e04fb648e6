"""The alerts of the past: by the policies of today, and by what was certified when."""

import re
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

from data_platform.catalog import Catalog
from data_platform.cli.replay_plot import svg_of
from data_platform.legacy.arrival import arrival_event
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import RowCounts
from data_platform.model.verdict import Gate, Outcome, Verdict
from data_platform.policies import Policies
from data_platform.signals.replay import replay
from data_platform_tests.signals.test_lateness import FLIGHTS, JOB, RATES, due_later, end, with_parts
from data_platform_tests.verdicts import all_gates

NOW = datetime(2025, 6, 11, 15, 0, tzinfo=UTC)
FIRST = PartitionKey("2025-05-20")
LATE = timedelta(hours=3)


def in_time(day: PartitionKey) -> datetime:
    """Half an hour before the deadline of flights, 06:00 in New York."""
    return datetime.combine(day.next.value, datetime.min.time(), UTC) + timedelta(hours=9, minutes=30)


def certify(catalog: Catalog, day: PartitionKey, at: datetime, rows: int = 100) -> None:
    end(catalog, FLIGHTS, Stage.GOLD, day, at=at, rows=RowCounts(read=rows, accepted=rows))
    end(catalog, FLIGHTS, Stage.CERTIFIED, day, at=at, rows=RowCounts(read=rows, accepted=rows))


def report(catalog: Catalog, day: PartitionKey, at: datetime) -> None:
    """A job outside reports rates."""
    event = arrival_event(RATES, f"v{at:%d%H}", day, time=at, process=JOB, run=str(uuid4()))
    catalog.events.ingest([event], now=at)


def fill(catalog: Catalog, *, without: int = -1, late: int = -1, small: int = -1) -> None:
    """22 days of flights until yesterday; the numbers are days after ``FIRST``."""
    for number in range(22):
        day = FIRST.shifted(number)
        if number != without:
            at = in_time(day) + (LATE if number == late else timedelta(0))
            certify(catalog, day, at, rows=40 if number == small else 100 + number % 3)


def test_nothing_fires_when_all_came_in_time(policies: Policies, catalog: Catalog) -> None:
    fill(catalog)

    result = replay(policies, catalog, NOW, 30)

    assert (result.alerts, result.datasets, len(result.days)) == ((), 1, 31)
    assert (result.days[0].day, result.days[-1].day) == (date(2025, 5, 12), date(2025, 6, 11))


def test_a_day_that_came_late_was_late_then(policies: Policies, catalog: Catalog) -> None:
    fill(catalog, late=9)

    [alert] = replay(policies, catalog, NOW, 30).alerts

    assert (alert.kind, alert.dataset, alert.partition) == ("LATE", FLIGHTS, FIRST.shifted(9))
    assert (alert.fired_at, alert.ended_at) == (
        datetime(2025, 5, 30, 10, 30, tzinfo=UTC),
        in_time(FIRST.shifted(9)) + LATE,
    )
    assert alert.reason == "was due at 2025-05-30 10:00 UTC"


def test_a_backfill_of_today_changes_nothing_but_the_end(policies: Policies, catalog: Catalog) -> None:
    fill(catalog, without=9)
    before = replay(policies, catalog, NOW, 30)
    certify(catalog, FIRST.shifted(9), NOW - timedelta(minutes=1))
    certify(catalog, FIRST.shifted(4), NOW)  # one that came in time is repeated

    after = replay(policies, catalog, NOW, 30)

    [[missing], [filled]] = before.alerts, after.alerts
    assert (missing.partition, missing.ended_at) == (FIRST.shifted(9), None)
    assert (filled.fired_at, filled.ended_at) == (missing.fired_at, NOW - timedelta(minutes=1))


def test_deadlines_before_the_first_run_and_outside_the_days_do_not_count(policies: Policies, catalog: Catalog) -> None:
    fill(catalog, late=3)

    assert replay(policies, catalog, NOW, 10).alerts == ()
    assert len(replay(policies, catalog, NOW, 3000).alerts) == 1


def test_an_unusual_row_count_is_judged_by_the_days_before_it(policies: Policies, catalog: Catalog) -> None:
    fill(catalog, small=15)

    result = replay(policies, catalog, NOW, 30)

    [alert] = result.alerts
    assert (alert.kind, alert.partition, alert.fired_at) == (
        "VOLUME_ANOMALY", FIRST.shifted(15), in_time(FIRST.shifted(15)),
    )  # fmt: skip
    assert alert.reason.startswith("40 rows, 60 % fewer than the 101 expected by the 15 deliveries before")
    assert (result.late, result.volume, result.by_dataset) == (0, 1, {FLIGHTS: 1})


def test_an_external_dataset_is_late_by_its_first_report(policies: Policies, catalog: Catalog) -> None:
    nine = datetime(2025, 6, 9, 9, 0, tzinfo=UTC)
    report(catalog, PartitionKey("2025-06-07"), nine - timedelta(days=1))
    report(catalog, PartitionKey("2025-06-08"), nine)
    report(catalog, PartitionKey("2025-06-10"), NOW - timedelta(hours=10))
    report(catalog, PartitionKey("2025-06-08"), NOW)  # delivered again

    result = replay(policies, catalog, NOW, 30)

    assert [(one.partition, one.ended_at) for one in result.alerts] == [("2025-06-08", nine), ("2025-06-09", None)]
    assert {one.dataset for one in result.alerts} == {RATES}


def test_the_plot_has_a_bar_for_each_day_with_alerts(policies: Policies, catalog: Catalog) -> None:
    fill(catalog, late=9, small=15)

    picture = svg_of(replay(policies, catalog, NOW, 30))

    assert re.findall("<title>(.*?)</title>", picture) == [
        "Alerts by day", "2025-05-30: 1 late, 0 unusual row counts", "2025-06-05: 0 late, 1 unusual row counts",
    ]  # fmt: skip


def test_a_part_that_came_late_was_late_then(policies: Policies, catalog: Catalog) -> None:
    """LGA is due three hours after the rest; a day that was certified without EWR was late until it came."""
    declared = due_later(policies, ("LGA", "09:00"))
    early, late = FIRST.shifted(3), FIRST.shifted(5)
    for number in range(22):
        day = FIRST.shifted(number)
        certify_in_parts(catalog, day, in_time(day), EWR=0 if day == late else 1, JFK=1, LGA=0 if day == early else 1)
    certify_in_parts(catalog, early, in_time(early) + timedelta(hours=2), EWR=1, JFK=1, LGA=1)
    certify_in_parts(catalog, late, in_time(late) + LATE, EWR=1, JFK=1, LGA=1)

    [alert] = replay(declared, catalog, NOW, 30).alerts

    assert (alert.partition, alert.ended_at) == (late, in_time(late) + LATE)
    assert alert.reason == "was due at 2025-05-26 10:00 UTC, without EWR"


def test_a_part_of_a_job_outside_that_never_came_is_late_still(policies: Policies, catalog: Catalog) -> None:
    nine = datetime(2025, 6, 9, 3, 0, tzinfo=UTC)
    for day, parts in (("2025-06-08", {"APAC": 1, "EMEA": 1}), ("2025-06-09", {"APAC": 1}), ("2025-06-10", {})):
        at = nine + timedelta(days=PartitionKey("2025-06-08").steps_to(PartitionKey(day)))
        event = arrival_event(
            RATES, "v1", PartitionKey(day), time=at, process=JOB, run=str(uuid4()), metadata={"parts": parts}
        )
        catalog.events.ingest([event], now=at)
    datasets = tuple(with_parts(one, "APAC", "EMEA") if one.urn == RATES else one for one in policies.datasets)

    alerts = replay(replace(policies, datasets=datasets), catalog, NOW, 30).alerts

    assert [(str(one.partition), one.ended_at, one.reason.partition(", ")[2]) for one in alerts] == [
        ("2025-06-09", None, "without EMEA"), ("2025-06-10", None, "without APAC, EMEA"),
    ]  # fmt: skip


def certify_in_parts(catalog: Catalog, day: PartitionKey, at: datetime, **rows: int) -> None:
    counted = Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, metadata={"parts": rows})
    others = [verdict for verdict in all_gates(Stage.SILVER) if verdict.gate is not Gate.DQ]
    end(catalog, FLIGHTS, Stage.SILVER, day, verdicts=(*others, counted), at=at - timedelta(minutes=5))
    certify(catalog, day, at)
