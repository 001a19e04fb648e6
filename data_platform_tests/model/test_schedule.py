"""A schedule is a deadline's text or a cron, and each time belongs to the last day that was over."""

from zoneinfo import ZoneInfo

import pytest
from dagster._utils.schedules import is_valid_cron_schedule
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from data_platform.model.schedule import Schedule, parse_schedule

NEW_YORK = ZoneInfo("America/New_York")


@pytest.mark.parametrize(
    ("text", "cron", "zone"),
    [
        pytest.param("02:00 ET daily", "0 2 * * *", "America/New_York", id="words"),
        pytest.param("23:30 Europe/Berlin weekdays", "30 23 * * 1-5", "Europe/Berlin", id="weekdays"),
        pytest.param("0 2 * * 2-6", "0 2 * * 2-6", None, id="a cron, in the zone of the days"),
        pytest.param(" */15  0,12 1 1-6/2 * ", "*/15 0,12 1 1-6/2 *", None, id="a cron with lists, steps and spaces"),
        pytest.param("0 0 31 2 5", "0 0 * 2 5", None, id="the 31st of February or any Friday, as Dagster takes it"),
        pytest.param("0 0 31 1,4 *", "0 0 31 1,4 *", None, id="one of its months has the day"),
    ],
)
def test_a_schedule_is_text_or_a_cron(text: str, cron: str, zone: str | None) -> None:
    assert parse_schedule(text) == Schedule(cron, zone)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("at two", "'at two' is not a deadline; expected HH:MM .*, or a cron of five fields", id="neither"),
        pytest.param("", "or a cron of five fields", id="nothing"),
        pytest.param("02:00 localtime daily", "'localtime' is not a time zone", id="this machine's own zone"),
        pytest.param("02:00 Mars daily", "'Mars' is not a time zone", id="no such zone"),
        pytest.param("02:00 ET business days", "is no schedule; write daily or weekdays, or a cron", id="no cron"),
        pytest.param("02:00 ET monthly", "'monthly' is not a cadence", id="no such cadence"),
        pytest.param("60 2 * * *", "'60' is no minute of a cron; allowed: 0 to 59", id="too many minutes"),
        pytest.param("0 2 0 * *", "'0' is no day of month of a cron; allowed: 1 to 31", id="day 0"),
        pytest.param("0 2 * * 5-1", "'5-1' is no day of week of a cron", id="backward"),
        pytest.param("*/0 2 * * *", "'\\*/0' is no minute", id="a step of nothing"),
        pytest.param("*/90 2 * * *", "'\\*/90' is no minute", id="a step beyond the range"),
        pytest.param("5/15 2 * * *", "'5/15' is no minute of a cron; expected such as", id="a step of one number"),
        pytest.param("1,,2 2 * * *", "'' is no minute of a cron", id="an empty place"),
        pytest.param("0 2 * * 1 2025", "or a cron of five fields", id="six fields"),
        pytest.param("0 0 31 2,4 *", "'0 0 31 2,4 \\*' never comes: no month", id="a day that no month has"),
    ],
)
def test_an_invalid_schedule_is_an_error_with_an_example(text: str, problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        parse_schedule(text)


@st.composite
def fields(draw: st.DrawFn, highest: int) -> str:
    """One field of a cron, right or a little beyond what is allowed."""
    numbers = st.integers(0, highest + 1)
    first, last, step = draw(numbers), draw(numbers), draw(numbers)
    forms = ["*", f"{first}", f"{first}-{last}", f"{first}-{last}/{step}", f"*/{step}", f"{first},{last}"]
    return draw(st.sampled_from(forms))


@settings(deadline=None)
@example(("*", "*", "30", "2", "0"))
@given(st.tuples(fields(59), fields(23), fields(31), fields(12), fields(7)))
def test_dagster_takes_every_cron_that_we_take(found: tuple[str, ...]) -> None:
    try:
        cron = parse_schedule(" ".join(found)).cron
    except ValueError:
        assume(condition=False)

    assert is_valid_cron_schedule(cron)
