"""Partitions with old tokens, as ranges that a person can run; and what older reports recorded of their key."""

import pytest

from data_platform.model.partition_key import PartitionKey
from data_platform.model.token_use import keys_in, ranges_of


@pytest.mark.parametrize(
    ("days", "ranges"),
    [
        pytest.param([], [], id="none"),
        pytest.param([None], ["-"], id="a dataset without partitions"),
        pytest.param(["2026-01-31", "2026-02-01", "2026-01-30"], ["2026-01-30..2026-02-01"], id="across a month"),
        pytest.param(["2026-01-01", "2026-01-03"], ["2026-01-01..2026-01-01", "2026-01-03..2026-01-03"], id="a gap"),
        pytest.param(
            [f"2026-01-{day:02}" for day in range(1, 8)],
            ["2026-01-01..2026-01-05", "2026-01-06..2026-01-07"],
            id="more than one command runs",
        ),
    ],
)
def test_adjacent_days_are_one_range(days: list[str | None], ranges: list[str]) -> None:
    found = ranges_of([day and PartitionKey(day) for day in days], 5)

    assert [f"{first}..{last}" if first else "-" for first, last in found] == ranges


def test_an_older_report_has_the_first_version() -> None:
    assert keys_in({"token_key": "0f"}) == {"0f": 1}
    assert keys_in({"token_key": "1e", "token_keys": {"0f": 1, "1e": 2}}) == {"0f": 1, "1e": 2}
    assert keys_in({}) == {}
