"""Each local date has one deadline, on nights of clock changes too, and grace is time that passes (C01)."""

import json
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_platform.model.deadline import (
    Timeliness,
    due_of,
    due_on,
    first_due_after,
    judge_timeliness,
    last_due_before,
    late_after,
)
from data_platform.model.freshness import Deadline, Freshness, parse_deadline
from data_platform.model.partition_key import PartitionKey
from data_platform.model.policy import DatasetPolicy
from data_platform.model.rhythm import FORMS
from data_platform_tests.case import case_file, expected

INPUT = json.loads(case_file("C01", "input.json").read_text())
DEADLINES, EVALUATIONS = expected("C01")["deadlines"], expected("C01")["evaluations"]
ZONES = (
    "America/New_York", "Europe/London", "America/Havana", "Africa/Cairo", "Australia/Lord_Howe", "Antarctica/Troll",
    "Pacific/Apia", "Asia/Kathmandu", "UTC",
)  # fmt: skip
MINUTE = timedelta(minutes=1)


def instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def promised(case: dict) -> Freshness:
    return Freshness(expected_update_by=case["sla"], grace_period=f"{case['grace_minutes']}m")


def dataset(expected_update_by: str, grace: str, time_zone: str = "America/New_York") -> DatasetPolicy:
    said = {"expected_update_by": expected_update_by, "grace_period": grace}
    return DatasetPolicy.model_validate({
        "urn": "ds://markets/positions_eod", "owner_team": "tests", "tier": "TIER_1", "slo": {"freshness": said},
        "partition": {"key": "day", "start": "2024-01-01", "time_zone": time_zone},
    })  # fmt: skip


@pytest.mark.parametrize("case", DEADLINES, ids=lambda case: f"{case['sla']} on {case['local_date']}")
def test_a_deadline_is_one_instant_of_each_local_date(case: dict) -> None:
    freshness, day = promised(case), date.fromisoformat(case["local_date"])

    due = due_on(freshness.deadline, day)

    assert due == instant(case["deadline_utc"])
    assert due.astimezone(ZoneInfo("America/New_York")).isoformat() == case["deadline_local"]
    assert due + freshness.grace == instant(case["breach_after_utc"])


@pytest.mark.parametrize("case", EVALUATIONS, ids=lambda case: f"{case['expected']} at {case['now']}")
def test_an_update_is_judged_by_instants(case: dict) -> None:
    found = judge_timeliness(promised(case), instant(case["last_update"]), instant(case["now"]))

    assert found == case["expected"].upper()


@pytest.mark.parametrize("sla", INPUT["slas"], ids=lambda sla: sla["dataset"])
def test_each_partition_of_the_case_is_late_once_and_in_order(sla: dict) -> None:
    policy = dataset(sla["sla"], f"{sla['grace_minutes']}m")
    late = [late_after(policy, PartitionKey("2025-01-01").shifted(number)) for number in range(365)]

    assert policy.slo.freshness.deadline.time_zone == "America/New_York"  # ET, and not the zone EST without summer
    gaps = Counter(second - first for first, second in pairwise(late))
    assert gaps[timedelta(days=1)] >= 360  # of 364: all but the nights of two changes, and those after them
    assert timedelta(hours=23) <= min(gaps) < max(gaps) <= timedelta(hours=25)


@pytest.mark.parametrize("case", DEADLINES, ids=lambda case: f"{case['sla']} on {case['local_date']}")
def test_a_partition_is_late_after_the_deadline_and_grace_that_follow_its_day(case: dict) -> None:
    policy = dataset(case["sla"], f"{case['grace_minutes']}m")

    assert late_after(policy, PartitionKey(case["local_date"]).previous) == instant(case["breach_after_utc"])


@pytest.mark.parametrize(
    ("said", "zone", "day", "late"),
    [
        pytest.param("23:30 ET daily", "America/New_York", "2025-03-08", "2025-03-10T04:00:00Z", id="the next evening"),
        pytest.param("02:00 ET weekdays", "America/New_York", "2025-10-31", "2025-11-03T07:30:00Z", id="Friday"),
        pytest.param("02:00 ET weekdays", "America/New_York", "2025-11-02", "2025-11-03T07:30:00Z", id="Sunday"),
        pytest.param("02:00 ET daily", "Asia/Tokyo", "2025-03-09", "2025-03-10T06:30:00Z", id="ends earlier"),
        pytest.param("00:00 ET daily", "America/New_York", "2025-03-08", "2025-03-09T05:30:00Z", id="as it ends"),
        pytest.param("04:30 UTC daily", "America/Havana", "2025-11-01", "2025-11-02T05:00:00Z", id="midnight twice"),
        pytest.param("05:00 UTC daily", "America/Havana", "2025-03-08", "2025-03-09T05:30:00Z", id="no midnight"),
    ],
)  # fmt: skip
def test_a_day_is_due_once_it_is_over_in_its_zone(said: str, zone: str, day: str, late: str) -> None:
    assert late_after(dataset(said, "30m", zone), PartitionKey(day)) == instant(late)


@pytest.mark.parametrize(
    ("said", "zone", "days", "due"),
    [
        pytest.param(
            {"expected_update_by": "06:00 ET on day 5 monthly"}, "America/New_York", ("2025-02-01", "2025-02-28"),
            "2025-03-05T11:00:00Z", id="all days of the month before",
        ),
        pytest.param(
            {"expected_update_by": "06:00 ET on last day monthly"}, "America/New_York", ("2024-02-01", "2024-02-29"),
            "2024-03-31T10:00:00Z", id="the month that is over, with a leap day",
        ),
        pytest.param(
            {"expected_update_by": "18:00 CET on business day 3", "calendar": "DE"}, "Europe/Berlin",
            ("2024-12-01", "2024-12-31"), "2025-01-06T17:00:00Z", id="business days",
        ),
        pytest.param(
            {"expected_update_by": "02:30 ET on day 9 monthly"}, "America/New_York", ("2025-02-01", "2025-02-28"),
            "2025-03-09T07:00:00Z", id="on the night when clocks go forward",
        ),
        pytest.param(
            {"expected_update_by": "01:30 ET on day 2 monthly"}, "America/New_York", ("2025-10-01", "2025-10-31"),
            "2025-11-02T06:30:00Z", id="on the night when they go back",
        ),
        pytest.param(
            {"expected_update_by": "01:45 Australia/Lord_Howe on day 5 monthly"}, "Australia/Lord_Howe",
            ("2025-03-01", "2025-03-31"), "2025-04-04T14:45:00Z", id="the day before the night with half an hour twice",
        ),
        pytest.param(
            {"expected_update_by": "01:45 Australia/Lord_Howe on day 6 monthly"}, "Australia/Lord_Howe",
            ("2025-03-01", "2025-03-31"), "2025-04-05T15:15:00Z", id="the night with half an hour twice",
        ),
        pytest.param(
            {"expected_update_by": "00:00 UTC on day 1 monthly"}, "UTC", ("2025-01-01", "2025-01-31"),
            "2025-02-01T00:00:00Z", id="as the month ends",
        ),
        pytest.param(
            {"expected_update_by": "06:00 IST on day 1 monthly"}, "America/New_York", ("2025-01-01", "2025-01-31"),
            "2025-03-01T00:30:00Z", id="the month ends later than the deadline in India",
        ),
        pytest.param(
            {"expected_update_by": "06:00 ET business days", "calendar": "US"}, "America/New_York",
            ("2025-07-03", "2025-07-06"), "2025-07-07T10:00:00Z", id="over a holiday and a weekend",
        ),
        pytest.param(
            {"expected_update_by": "06:00 Pacific/Apia daily"}, "Pacific/Apia", ("2011-12-29", "2011-12-29"),
            "2011-12-30T10:00:00Z", id="the deadline is on the day that Samoa skipped",
        ),
    ],
)  # fmt: skip
def test_when_days_are_due(said: dict, zone: str, days: tuple[str, str], due: str) -> None:
    freshness = Freshness(**said)
    first, last = map(PartitionKey, days)
    outside = (first.previous, last.next)

    dues = {due_of(freshness, first.shifted(number), zone) for number in range(first.steps_to(last) + 1)}

    assert dues == {instant(due)}
    assert not dues & {due_of(freshness, one, zone) for one in outside}


@pytest.mark.parametrize(
    ("said", "zone", "day"),
    [
        pytest.param({"quiet_days": ["2025-06-10"]}, "UTC", "2025-06-10", id="a quiet day"),
        pytest.param({"data_days": "business days"}, "UTC", "2025-06-08", id="no data on Sundays"),
        pytest.param({}, "Pacific/Apia", "2011-12-30", id="a day that Samoa skipped"),
    ],
)
def test_a_day_without_data_is_never_due(said: dict, zone: str, day: str) -> None:
    freshness = Freshness(**{"expected_update_by": "02:00 ET daily", **said})

    assert due_of(freshness, PartitionKey(day), zone) is None
    assert due_of(freshness, PartitionKey(day).next, zone) is not None


def test_a_dataset_without_a_deadline_is_never_late() -> None:
    policy = dataset("02:00 ET daily", "30m").model_copy(update={"slo": DatasetPolicy.model_fields["slo"].default})

    assert late_after(policy, PartitionKey("2025-03-09")) is None


@pytest.mark.parametrize(
    ("last", "now", "found"),
    [
        pytest.param(None, "2025-06-02T12:00:00Z", Timeliness.BREACHED, id="never updated"),
        pytest.param("2025-06-02T06:00:00Z", "2025-06-02T06:00:01Z", Timeliness.FRESH, id="at the deadline itself"),
        pytest.param("2025-06-01T05:00:00Z", "2025-06-02T06:30:00Z", Timeliness.PENDING_IN_GRACE, id="last second"),
        pytest.param("2025-06-02T09:00:00Z", "2025-06-02T10:00:00Z", Timeliness.FRESH, id="there again"),
        pytest.param("2025-05-30T05:00:00Z", "2025-06-02T05:00:00Z", Timeliness.BREACHED, id="missed yesterday's too"),
        pytest.param("2025-06-02T05:00:00+02:00", "2025-06-02T06:10:00Z", Timeliness.FRESH, id="with an offset"),
    ],
)  # fmt: skip
def test_what_is_judged_at_the_edges(last: str | None, now: str, found: Timeliness) -> None:
    freshness = Freshness(expected_update_by="02:00 ET daily", grace_period="30m")

    assert judge_timeliness(freshness, last and instant(last), instant(now)) is found


@pytest.mark.parametrize(("last", "now"), [("2025-03-09T02:30:00", "2025-03-09T07:05:00Z"), (None, "2025-03-09T07:05")])
def test_a_time_without_an_offset_is_refused(last: str | None, now: str) -> None:
    freshness = Freshness(expected_update_by="02:00 ET daily")

    with pytest.raises(ValueError, match="is no instant"):
        judge_timeliness(freshness, last and instant(last), instant(now))


@pytest.mark.parametrize(("zone", "hint"), [("EST", "write ET, or Etc/GMT"), ("MST", "MT"), ("HST", "Honolulu")])
def test_a_zone_that_has_no_summer_time_is_not_taken_for_the_one_that_has(zone: str, hint: str) -> None:
    with pytest.raises(ValueError, match=hint):
        parse_deadline(f"02:00 {zone} daily")


@settings(deadline=None)
@given(
    zone=st.sampled_from(ZONES),
    day=st.dates(date(2011, 1, 1), date(2027, 12, 31)),
    clock=st.tuples(st.integers(0, 23), st.sampled_from([0, 15, 30, 59])),
)
def test_a_deadline_is_the_local_clock_time(zone: str, day: date, clock: tuple[int, int]) -> None:
    wall = datetime(day.year, day.month, day.day, *clock)
    start = wall.replace(tzinfo=UTC) - timedelta(hours=16)
    minutes = [start + number * MINUTE for number in range(40 * 60)]
    shown = [(at, at.astimezone(ZoneInfo(zone)).replace(tzinfo=None)) for at in minutes]
    same = [at for at, local in shown if local == wall]

    due = due_on(Deadline(*clock, zone, "daily"), day)

    assert due == (same[-1] if same else next(at for at, local in shown if local > wall))


@settings(deadline=None)
@given(
    zone=st.sampled_from(ZONES),
    moment=st.datetimes(datetime(2011, 1, 8), datetime(2027, 12, 20), timezones=st.just(UTC)),
    hour=st.integers(0, 23),
    cadence=st.sampled_from([*FORMS, "on day 31 monthly", "on business day 23"]),
    calendar=st.sampled_from([None, "US", "XNYS"]),
)
def test_there_is_no_deadline_between_the_last_and_the_next(
    zone: str, moment: datetime, hour: int, cadence: str, calendar: str | None
) -> None:
    deadline = Deadline(hour, 30, zone, cadence, calendar)
    days = [moment.date() + timedelta(days=number) for number in range(-40, 41)]
    dues = [due_on(deadline, day) for day in days if deadline.falls_on(day)]

    assert last_due_before(deadline, moment) == max(due for due in dues if due < moment)
    assert first_due_after(deadline, moment) == min(due for due in dues if due >= moment)
