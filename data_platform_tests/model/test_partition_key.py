"""A partition is a value: one text, one order, one interval; only the modules that own it know that it is a day."""

import ast
import copy
import json
import pickle
import re
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_platform.model.partition_key import DIRECTIVES, PartitionKey
from data_platform.model.partition_path import check_path, match_name, with_partition
from data_platform_tests.source_tree import syntax_trees

OWNERS = ("model/partition.py", "model/partition_key.py", "model/partition_path.py", "lake/partition.py")
ZONES = ("UTC", "America/New_York", "America/Havana", "Asia/Beirut", "Australia/Lord_Howe", "Pacific/Kiritimati")
MODERN = st.dates(date(1980, 1, 1), date(2037, 12, 31))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="empty"),
        pytest.param("20130131", id="no dashes"),
        pytest.param("2013-W05-4", id="a week"),
        pytest.param("2013-1-31", id="a short month"),
        pytest.param("2013-02-29", id="a day that the year does not have"),
        pytest.param("2013-01-31 ", id="a blank"),
        pytest.param("2013-01-31T00:00:00", id="a time"),
        pytest.param("٢٠١٣-٠١-٣١", id="other digits"),
    ],
)
def test_a_text_that_is_no_key_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match="is not a partition; expected a day such as 2013-01-31"):
        PartitionKey(text)


@settings(deadline=None)
@given(st.dates())
def test_a_key_survives_every_form_in_which_it_is_stored(day: date) -> None:
    key = PartitionKey.of_value(day)

    assert key.value == day
    for stored in (str(key), f"{key}", json.loads(json.dumps({"partition": key}))["partition"]):
        assert (PartitionKey(stored), type(stored)) == (key, str)
    for copied in (copy.deepcopy(key), pickle.loads(pickle.dumps(key))):  # noqa: S301 - our own
        assert (copied, type(copied)) == (key, PartitionKey)


@settings(deadline=None)
@given(st.dates(), st.dates())
def test_keys_are_ordered_and_equal_as_their_days_are(one: date, other: date) -> None:
    first, second = PartitionKey.of_value(one), PartitionKey.of_value(other)

    assert (first < second, first == second, first > second) == (one < other, one == other, one > other)
    assert (len({first, second}) == 1) is (one == other)
    assert first.shifted(first.steps_to(second)) == second


@settings(deadline=None)
@given(st.dates(max_value=date(9999, 12, 30)))
def test_the_next_partition_begins_where_one_ends(day: date) -> None:
    key = PartitionKey.of_value(day)

    assert key < key.next
    assert key.next.previous == key
    assert key.next.value == day + timedelta(days=1)


@pytest.mark.parametrize(
    ("zone", "text", "start", "hours"),
    [
        pytest.param("UTC", "2025-03-09", "2025-03-09T00:00", 24, id="UTC"),
        pytest.param("America/New_York", "2025-03-09", "2025-03-09T05:00", 23, id="clocks go forward"),
        pytest.param("America/New_York", "2025-11-02", "2025-11-02T04:00", 25, id="clocks go back"),
        pytest.param("America/Havana", "2025-03-09", "2025-03-09T05:00", 23, id="midnight is skipped"),
        pytest.param("America/Havana", "2025-11-02", "2025-11-02T04:00", 25, id="midnight occurs twice"),
        pytest.param("Australia/Lord_Howe", "2025-04-06", "2025-04-05T13:00", 24.5, id="half an hour back"),
        pytest.param("Pacific/Apia", "2011-12-30", "2011-12-30T10:00", 0, id="a day that a zone left out"),
    ],
)
def test_the_interval_of_a_partition_follows_the_clocks_of_its_zone(
    zone: str, text: str, start: str, hours: float
) -> None:
    key = PartitionKey(text)

    assert key.starts_at(zone) == datetime.fromisoformat(start).replace(tzinfo=UTC)
    assert key.ends_at(zone) - key.starts_at(zone) == timedelta(hours=hours)


@pytest.mark.parametrize("zone", ZONES)
@settings(deadline=None)
@given(moment=st.datetimes(datetime(1980, 1, 1), datetime(2037, 12, 31), timezones=st.just(UTC)))
def test_each_moment_is_in_the_interval_of_exactly_one_partition(zone: str, moment: datetime) -> None:
    key = PartitionKey.containing(moment, zone)

    assert key.starts_at(zone) <= moment < key.ends_at(zone)
    assert key.value == moment.astimezone(ZoneInfo(zone)).date()


@pytest.mark.parametrize("zone", ZONES)
@settings(deadline=None)
@given(MODERN)
def test_partitions_have_no_gap_and_no_overlap(zone: str, day: date) -> None:
    keys = [PartitionKey.of_value(day).shifted(number) for number in range(4)]

    assert all(one.ends_at(zone) == other.starts_at(zone) for one, other in pairwise(keys))


@settings(deadline=None)
@given(st.dates(), st.permutations(list(DIRECTIVES)), st.sampled_from(["", "-", "_", "/", "."]))
def test_a_partition_is_read_from_the_path_that_was_made_for_it(day: date, codes: list[str], between: str) -> None:
    key, pattern = PartitionKey.of_value(day), f"orders {{partition:{between.join(codes)}}}*.csv"

    assert match_name(check_path(pattern), with_partition(pattern, key).replace("*", " 2")) == (True, key)


def test_a_name_of_two_partitions_or_of_no_day_matches_nothing() -> None:
    both = "{partition}_{dt:%d%m%Y}.csv"

    assert match_name(both, "2025-01-06_06012025.csv") == (True, PartitionKey("2025-01-06"))
    assert not match_name(both, "2025-01-06_07012025.csv")[0]
    assert not match_name(both, "2025-02-30_30022025.csv")[0]


@pytest.mark.parametrize("zone", ZONES)
@settings(deadline=None)
@given(MODERN)
def test_the_start_that_an_event_reports_is_read_back(zone: str, day: date) -> None:
    key = PartitionKey.of_value(day)

    assert PartitionKey.of_nominal_start(datetime.fromisoformat(key.nominal_start), zone) == key


def test_a_start_that_is_not_midnight_in_utc_is_of_the_day_in_its_zone() -> None:
    evening = datetime(2025, 6, 2, 1, 30, tzinfo=UTC)

    assert PartitionKey.of_nominal_start(evening, "America/New_York") == PartitionKey("2025-06-01")


def test_only_the_owners_of_partitions_hold_one_as_a_date() -> None:
    trees = syntax_trees("partition")
    assert trees.keys() >= set(OWNERS)

    found = [f"{name}: {held}" for name, tree in trees.items() if name not in OWNERS for held in _dates_held(tree)]

    assert found == []


def _dates_held(tree: ast.Module) -> list[str]:
    """Parameters, fields and variables of a partition's name whose type is a date."""
    held = []
    for node in ast.walk(tree):
        if isinstance(node, ast.arg):
            name, annotation = node.arg, node.annotation
        elif isinstance(node, ast.AnnAssign):
            name, annotation = ast.unparse(node.target), node.annotation
        else:
            continue
        if "partition" in name and annotation and re.search(r"\bdate\b", ast.unparse(annotation)):
            held.append(f"{name} in line {node.lineno}")
    return held
