"""Which deliveries a rule would have reported, and which drops it would have noticed, measured on series of days."""

import random
from collections.abc import Callable
from datetime import date, timedelta

import pytest

from data_platform.gates.volume.backtest import Backtest, backtest, floor_of, judge_history
from data_platform.gates.volume.seasonal import FLOOR, SeasonalRule
from data_platform.model.holiday import holidays_of
from data_platform.model.volume import DeliveredRows
from data_platform_tests.gates.volume.series import BEGIN, business_day_before, flights, last_business_day, series


def judged(deliveries: list[DeliveredRows], calendar: str | None = None) -> Backtest:
    return backtest(judge_history(deliveries, holidays_of(calendar), rolling_pct=40), rolling_pct=40)


def test_flights_have_about_one_alert_a_year_and_nearly_every_drop_is_noticed() -> None:
    found = judged(flights(), "US")

    assert found.seasonal is not None
    assert found.seasonal.alerts_per_year <= 1.3
    assert found.seasonal.recall[40] >= 0.98
    assert [alert.first for alert in found.alerts] == ["2013-11-29"]  # the day after Thanksgiving
    assert found.monitorable


@pytest.mark.parametrize(
    "special",
    [
        pytest.param(last_business_day, id="the last business day of the month"),
        pytest.param(lambda day: (day + timedelta(days=1)).day == 1, id="the last day"),
        pytest.param(lambda day: day.day == 1, id="the first day"),
        pytest.param(lambda day: day.day == 15, id="the 15th"),
        pytest.param(lambda day: (day + timedelta(days=3)).day <= 3, id="the last three days"),
        pytest.param(lambda day: day.weekday() == 4 and 15 <= day.day <= 21, id="the third Friday"),
        pytest.param(lambda day: day.weekday() == 0 and (day + timedelta(days=7)).day <= 7, id="the last Monday"),
        pytest.param(
            lambda day: day == business_day_before(day.replace(day=25)), id="the 25th or the business day before"
        ),
        pytest.param(lambda day: (day + timedelta(days=1)).day == 1 and day.month % 3 == 0, id="the end of a quarter"),
        pytest.param(lambda day: day.toordinal() % 14 == 3, id="each second week"),
    ],
)
@pytest.mark.parametrize("factor", [0.4, 3.0])
def test_month_ends_are_learned(special: Callable[[date], bool], factor: float) -> None:
    found = judged(series(1461, special=lambda day: factor if special(day) else 1.0))

    assert found.seasonal is not None
    assert found.seasonal.alerts_per_year <= 1
    assert found.seasonal.recall[40] >= 0.98


@pytest.mark.parametrize("factor", [0.05, 0.5, 1.5])
def test_holidays_are_learned_from_each_other(factor: float) -> None:
    """Of four years, each holiday is new in the first, and hardly known in the second."""
    holidays = holidays_of("US")

    found = judged(series(1461, special=lambda day: factor if day in holidays else 1.0), "US")

    assert found.seasonal is not None
    assert found.seasonal.alerts_per_year <= 1
    assert found.seasonal.recall[40] >= 0.97


def test_the_end_of_a_year_beside_a_holiday_is_one_effect_and_not_two() -> None:
    found = judged(series(3300, special=lambda day: 5.0 if (day.month, day.day) == (12, 31) else 1.0), "US")

    assert [alert.first for alert in found.alerts] == ["2019-12-31"]


def test_empty_deliveries_have_no_rows_to_lose() -> None:
    """A dataset that has no rows on Sundays is monitorable by its other days."""
    found = judged(series(400, special=lambda day: 0.0 if day.weekday() == 6 else 1.0))

    assert found.monitorable
    assert found.alerts == ()
    assert found.seasonal is not None
    assert found.seasonal.recall[40] >= 0.98


def test_a_series_without_a_rhythm_is_not_monitorable() -> None:
    found = judged(series(1000, noise=0.6))

    assert found.monitorable is False
    assert found.suggested_pct is None


def test_a_shift_of_the_level_is_one_alert_and_then_usual() -> None:
    begin = BEGIN + timedelta(days=200)

    found = judged(series(400, special=lambda day: 0.5 if day >= begin else 1.0))

    assert len(found.alerts) == 1
    [alert] = found.alerts
    assert alert.first == begin.isoformat()
    assert alert.first.steps_to(alert.last) < 10


def test_a_flat_series_has_no_alert_and_every_drop_is_noticed() -> None:
    found = judged([DeliveredRows(one.partition, 16) for one in series(200)])

    assert found.alerts == ()
    assert found.seasonal is not None
    assert found.seasonal.recall == {30: 1, 40: 1, 50: 1}


def test_a_few_rows_that_vary_by_chance_are_not_monitorable() -> None:
    chance = random.Random(11)  # noqa: S311 - made-up counts
    few = [DeliveredRows(one.partition, sum(chance.random() < 0.5 for _ in range(12))) for one in series(730)]

    found = judged(few)

    assert found.monitorable is False
    assert found.seasonal is not None
    assert found.seasonal.alerts_per_year < 3


def test_too_few_deliveries_are_not_judged() -> None:
    found = judged(series(60))

    assert (found.judged, found.seasonal, found.monitorable) == (0, None, None)


def test_a_delivery_is_no_part_of_what_it_is_judged_by() -> None:
    days = series(300)
    changed = [*days[:-1], DeliveredRows(days[-1].partition, 0)]

    last, other = (judge_history(one, {}, rolling_pct=40)[-1] for one in (days, changed))

    assert (last.seasonal, last.rolling) == (other.seasonal, other.rolling)
    assert other.rows == 0


def test_empty_days_are_learned_like_others() -> None:
    """On Sundays nothing is delivered."""
    days = [DeliveredRows(one.partition, 0 if one.partition.value.weekday() == 6 else one.rows) for one in series(300)]

    found = judged(days)

    assert found.alerts == ()
    rule = SeasonalRule()
    for one in days:
        rule.learn(one.partition.value, one.rows)
    sunday = rule.expect(date(2019, 10, 27))
    monday = rule.expect(date(2019, 10, 28))
    assert sunday is not None
    assert monday is not None
    assert not sunday.usual().includes(10_000)
    assert not monday.usual().includes(0)


def test_a_threshold_is_the_drop_that_becomes_unusual() -> None:
    assert floor_of(25) == pytest.approx(0.2877, abs=1e-4)
    assert floor_of(25) < FLOOR
