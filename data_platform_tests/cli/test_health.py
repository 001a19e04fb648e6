"""``data-platform signals health`` lists the least healthy dataset first, and rolls up."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from data_platform_tests.cli.shop import Shop
from data_platform_tests.cli.test_freshness import PARTITION


@pytest.fixture
def late(shop: Shop) -> Shop:
    """A dataset that was due long ago, beside those of the shop."""
    shop.declare("ds://sales/returns", "returns/{partition}", PARTITION.replace(", end: 2025-01-06", ""))
    return shop


def late_days() -> int:
    """Of the last ten days of UTC and today, those whose next day is past 02:30 in New York by now."""
    now = datetime.now(UTC)
    days = (now.date() - timedelta(days=back) for back in range(11))
    due = (datetime.combine(day + timedelta(days=1), time(2, 30), ZoneInfo("America/New_York")) for day in days)
    return sum(one <= now for one in due)


def test_a_late_dataset_is_first_and_names_the_command_that_shows_why(late: Shop) -> None:
    [first, *_] = late.json("signals", "health")

    assert (first["dataset"], first["score"], first["worst"]) == ("ds://sales/returns", 0.0, "on_time")
    [part] = first["parts"]
    assert (part["good"], part["of"], part["hint"]) == (0, late_days(), "data-platform signals freshness")


def test_the_text_is_one_line_for_each_dataset(late: Shop) -> None:
    found = late.run("signals", "health", "returns")

    [head, line] = found.stdout.splitlines()
    assert head.split() == ["dataset", "score", "costs", "most", "good", "days", "look", "at", "owner", "tier"]
    assert line.split()[:7] == ["ds://sales/returns", "0.0", "on_time", "0%", "0", "of", str(late_days())]


@pytest.mark.parametrize(("by", "name"), [("owner", "sales"), ("zone", "sales")])
def test_it_is_rolled_up(late: Shop, by: str, name: str) -> None:
    groups = {group["name"]: group for group in late.json("signals", "health", "--by", by)}

    assert (groups[name]["worst"], groups[name]["worst_score"]) == ("ds://sales/returns", 0.0)
    assert late.run("signals", "health", "--by", by).exit_code == 0


def test_an_unknown_dataset_is_an_error(late: Shop) -> None:
    assert late.run("signals", "health", "nonsense").exit_code == 2
