"""A text answers with the time of its run, and today is a day of the dataset's zone."""

from datetime import UTC, datetime

import pytest

from data_platform.sql.moment import at_moment

NOW = datetime(2025, 1, 7, 3, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "zone", "asked"),
    [
        pytest.param("day <= current_date()", "UTC", "day <= DATE'2025-01-07'", id="today in UTC"),
        pytest.param("day <= CURRENT_DATE", "America/New_York", "day <= DATE'2025-01-06'", id="still yesterday"),
        pytest.param("day <= curdate ( )", "Pacific/Kiritimati", "day <= DATE'2025-01-07'", id="with blanks"),
        pytest.param("at < now()", "Asia/Kolkata", "at < TIMESTAMP_LTZ'2025-01-07 03:00:00.000000Z'", id="an instant"),
        pytest.param(
            "at < localtimestamp", "Asia/Kolkata", "at < TIMESTAMP_NTZ'2025-01-07 08:30:00.000000'", id="a clock"
        ),
        pytest.param("s < unix_timestamp()", "UTC", "s < 1736218800", id="seconds"),
        pytest.param("unix_timestamp(at) > 0", "UTC", "unix_timestamp(at) > 0", id="seconds of a column"),
        pytest.param("'now()' = t.current_date", "UTC", "'now()' = t.current_date", id="a text, and a column"),
        pytest.param("a AS current_date -- now()", "UTC", "a AS current_date -- now()", id="a name, and a comment"),
        pytest.param("updated > 0", "UTC", "updated > 0", id="a column"),
    ],
)
def test_now_is_the_time_of_the_run(text: str, zone: str, asked: str) -> None:
    assert at_moment(text, NOW, zone, ["updated"]) == asked


def test_a_column_of_the_name_is_a_column() -> None:
    assert at_moment("current_date > day", NOW, "UTC", ["CURRENT_DATE", "day"]) == "current_date > day"
