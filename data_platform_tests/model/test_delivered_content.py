"""A delivery with the rows of another partition is found, and is usual for a dataset that rarely changes."""

from datetime import date, timedelta

import pytest

from data_platform.model.delivered_content import ContentHistory, DeliveredContent, find_repetition
from data_platform.model.partition_key import PartitionKey


def day(number: int) -> PartitionKey:
    return PartitionKey(str(date(2025, 1, 1) + timedelta(days=number - 1)))


def before(digests: str) -> ContentHistory:
    """One delivery a letter, from the first day on."""
    return ContentHistory(before=[DeliveredContent(day(place), one) for place, one in enumerate(digests, start=1)])


@pytest.mark.parametrize(
    ("digests", "today", "is_usual"),
    [
        pytest.param("ABC", "C", False, id="yesterday's rows"),
        pytest.param("ABC", "A", False, id="rows of an earlier day"),
        pytest.param("A", "A", False, id="the second day"),
        pytest.param("AA", "A", False, id="the third day"),
        pytest.param("AAA", "A", True, id="it never changed"),
        pytest.param("A" * 30 + "B", "B", True, id="it changes once a month"),
        pytest.param("ABCDEEEE", "E", False, id="the sender is stuck for days"),
        pytest.param("ABCDE" + "F" * 20, "F", False, id="the sender is stuck for weeks"),
        pytest.param("AAABCDEEEFGHIIIJKLM", "M", True, id="as on the weekends before"),
        pytest.param("AAABCDEEEFGHIIIJKLMM", "M", True, id="the second day of a weekend"),
        pytest.param("AAABCDEEEFGHIIIJKLMMM", "M", False, id="longer than on the weekends before"),
        pytest.param("AABCDEEFGH", "H", False, id="twice before is no habit"),
        pytest.param("ABABABAB", "A", True, id="two states that alternate"),
    ],
)
def test_a_repetition_is_usual_if_the_deliveries_before_show_it(digests: str, today: str, is_usual: bool) -> None:
    found = find_repetition(today, before(digests))

    assert found is not None
    assert found.is_usual is is_usual
    assert found.partition == day(digests.rindex(today) + 1)


def test_new_rows_repeat_nothing() -> None:
    assert find_repetition("D", before("ABC")) is None
    assert find_repetition("A", ContentHistory()) is None


def test_a_late_day_with_the_rows_of_a_later_day_repeats_it() -> None:
    history = ContentHistory(before=before("AB").before, after=[DeliveredContent(day(4), "D")])

    found = find_repetition("D", history)

    assert found is not None
    assert (found.partition, found.is_usual) == (day(4), False)
