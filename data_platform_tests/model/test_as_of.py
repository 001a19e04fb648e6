"""The instant of a question about the past, from a time with its zone or from a date in the dataset's zone."""

from datetime import UTC, date, datetime

import pytest

from data_platform.model.as_of import instant_of, read_as_of

NOW = datetime(2026, 3, 30, 2, 0, tzinfo=UTC)


def instant(text: str, zone: str = "UTC") -> datetime:
    return instant_of(read_as_of(text), now=NOW, zone=lambda: zone)


@pytest.mark.parametrize(
    ("text", "zone", "expected"),
    [
        pytest.param("2026-02-01T08:00:00+01:00", "UTC", "2026-02-01T07:00:00+00:00", id="a time with its offset"),
        pytest.param(
            "2026-02-01T08:00:00Z", "Asia/Tokyo", "2026-02-01T08:00:00+00:00", id="the zone is for dates only"
        ),
        pytest.param("2026-02-01", "UTC", "2026-02-01T23:59:59.999999+00:00", id="the end of a day"),
        pytest.param("2026-02-01", "America/New_York", "2026-02-02T04:59:59.999999+00:00", id="of a day elsewhere"),
        pytest.param("2026-03-29", "Europe/Berlin", "2026-03-29T21:59:59.999999+00:00", id="of a day of 23 hours"),
        pytest.param("2026-03-29", "Asia/Tokyo", "2026-03-29T14:59:59.999999+00:00", id="yesterday in the zone"),
        pytest.param("0001-01-01", "Asia/Tokyo", "0001-01-01T00:00:00+00:00", id="the first day of the calendar"),
        pytest.param("0001-01-01T00:00:00+14:00", "UTC", "0001-01-01T00:00:00+00:00", id="before the calendar"),
    ],
)
def test_a_text_means_an_instant(text: str, zone: str, expected: str) -> None:
    assert instant(text, zone).isoformat() == expected


@pytest.mark.parametrize(
    ("text", "zone", "message"),
    [
        pytest.param("2026-02-01T08:00:00", "UTC", "has no zone: add one", id="no zone"),
        pytest.param("20260201", "UTC", "has no zone|is not a time", id="compact"),
        pytest.param("yesterday", "UTC", "'yesterday' is not a time: expected a date such as", id="a word"),
        pytest.param("2026-02-30", "UTC", "is not a time", id="no calendar has it"),
        pytest.param("2026-03-30T02:00:01Z", "UTC", "is in the future", id="in a second"),
        pytest.param("2026-03-30", "UTC", "2026-03-30 is not over in UTC", id="today"),
        pytest.param("2026-03-29", "America/New_York", "is not over in America/New_York", id="today elsewhere"),
        pytest.param("9999-12-31", "UTC", "is not over", id="the last day of the calendar"),
        pytest.param("9999-12-31T23:59:59-14:00", "UTC", "is in the future", id="after the calendar"),
    ],
)
def test_a_text_that_means_no_past_instant_is_an_error(text: str, zone: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        instant(text, zone)


def test_a_date_of_python_is_a_day_and_not_its_midnight() -> None:
    assert instant_of(date(2026, 2, 1), now=NOW, zone=lambda: "UTC").hour == 23
