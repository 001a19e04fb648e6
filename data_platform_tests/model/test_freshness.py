"""A freshness policy names its deadline, the days that have data, and the days that have none."""

from datetime import date
from typing import Any

import pytest
from pydantic import ValidationError

from data_platform.model.freshness import Freshness, parse_deadline
from data_platform.model.time_zone import FIXED, HALF_YEAR, ZONES


def freshness(**changes: Any) -> Freshness:
    return Freshness(**{"expected_update_by": "02:00 ET daily", **changes})


@pytest.mark.parametrize(
    ("changes", "day", "expected"),
    [
        pytest.param({}, "2025-06-08", True, id="every day"),
        pytest.param({"quiet_days": ["Sunday"]}, "2025-06-08", False, id="a day of the week"),
        pytest.param({"quiet_days": [date(2025, 6, 8)]}, "2025-06-08", False, id="a date, as YAML reads it"),
        pytest.param({"quiet_days": ["2025-06-08"]}, "2026-06-08", True, id="the date of another year"),
        pytest.param({"quiet_days": ["12-24"]}, "2031-12-24", False, id="a day of each year"),
        pytest.param({"quiet_days": ["02-29"]}, "2024-02-29", False, id="a leap day"),
        pytest.param({"quiet_days": ["02-29"]}, "2025-02-28", True, id="no leap day"),
        pytest.param({"quiet_days": ["holidays"], "calendar": "US"}, "2025-07-04", False, id="a holiday"),
        pytest.param({"quiet_days": ["holidays"], "calendar": "US"}, "2025-07-05", True, id="a Saturday"),
        pytest.param(
            {"data_days": "business days", "calendar": "NYSE"}, "2025-04-18", False, id="the market is closed"
        ),
        pytest.param({"data_days": "business days", "calendar": "US"}, "2025-04-18", True, id="the country is not"),
        pytest.param({"data_days": "on last business day"}, "2025-05-30", True, id="the month end"),
        pytest.param({"data_days": "on last business day"}, "2025-05-31", False, id="a Saturday after it"),
    ],
)
def test_a_day_has_data_or_not(changes: dict[str, Any], day: str, expected: bool) -> None:
    assert freshness(**changes).expects(date.fromisoformat(day)) is expected


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        pytest.param({"calendar": "US"}, "calendar changes nothing here; write 'business", id="an unused calendar"),
        pytest.param({"quiet_days": ["holidays"]}, "quiet_days has holidays; say which", id="whose holidays"),
        pytest.param({"quiet_days": ["Sundays"]}, "is no quiet day; .*; write Sunday$", id="a plural"),
        pytest.param({"quiet_days": ["sunday"]}, "; write Sunday$", id="a small letter"),
        pytest.param({"quiet_days": ["2025-02-29"]}, "'2025-02-29' is no quiet day", id="no such date"),
        pytest.param({"quiet_days": ["02-30"]}, "'02-30' is no quiet day", id="no such day of a year"),
        pytest.param({"quiet_days": ["20250101"]}, "'20250101' is no quiet day", id="another form of date"),
        pytest.param({"data_days": "workdays"}, "write 'business days'", id="another word"),
        pytest.param({"calendar": "NYC"}, "'NYC' is no calendar of holidays", id="no such calendar"),
        pytest.param({"expected_update_by": "02:00 Europe/Berln daily"}, "; write Europe/Berlin$", id="a slip"),
    ],
)  # fmt: skip
def test_an_error_says_what_to_write(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValidationError) as raised:
        freshness(**changes)

    [error] = raised.value.errors()
    with pytest.raises(ValueError, match=problem):
        raise ValueError(error["msg"])


@pytest.mark.parametrize("zone", HALF_YEAR)
def test_a_name_of_summer_or_winter_time_is_refused_with_the_zone_that_has_both(zone: str) -> None:
    near = HALF_YEAR[zone].partition(",")[0]

    with pytest.raises(ValueError, match=f"'{zone}' is the time of a part of the year; write {near}"):
        parse_deadline(f"02:00 {zone} daily")

    assert parse_deadline(f"02:00 {near} daily").time_zone == ZONES[near]


def test_each_abbreviation_means_one_zone() -> None:
    assert not set(ZONES) & set(HALF_YEAR)
    assert not set(ZONES) & set(FIXED)
    assert {parse_deadline(f"02:00 {name} daily").time_zone for name in ZONES} == set(ZONES.values())


@pytest.mark.parametrize(
    ("changes", "cron"),
    [
        pytest.param({}, "0 2 * * *", id="daily"),
        pytest.param({"expected_update_by": "02:00 ET  weekdays"}, "0 2 * * 1-5", id="weekdays, with two spaces"),
        pytest.param({"expected_update_by": "02:00 ET on day 5 monthly"}, None, id="monthly"),
        pytest.param({"quiet_days": ["Sunday"]}, None, id="with quiet days"),
    ],
)
def test_only_deadlines_of_each_day_have_a_cron(changes: dict[str, Any], cron: str | None) -> None:
    assert freshness(**changes).cron == cron


@pytest.mark.parametrize(
    ("deadlines", "problem"),
    [
        pytest.param([{"values": ["LON"], "expected_update_by": "06:00 ET daily"}], "not in values", id="no part"),
        pytest.param(
            [{"values": ["US"], "expected_update_by": f"0{hour}:00 ET daily"} for hour in (6, 7)], "twice", id="two"
        ),
        pytest.param([{"values": ["US"], "expected_update_by": "6 o'clock"}], "is not a deadline", id="no deadline"),
    ],
)
def test_a_deadline_of_parts_is_of_declared_parts_once(deadlines: list[dict[str, object]], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        Freshness.model_validate(
            {"expected_update_by": "05:00 ET daily", "parts": {"values": ["APAC", "US"], "deadlines": deadlines}}
        )
