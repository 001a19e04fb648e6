"""The intervals of a dataset follow each other without a gap or an overlap, whatever runs die or are repeated."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from data_platform.catalog import Catalog, open_catalog
from data_platform.errors import SourceError
from data_platform.model.partition_key import PartitionKey
from data_platform.stage.source_interval import StoredIntervals
from data_platform_tests.catalog.template import copy_template

URN = "ds://core/trades"
DAY = PartitionKey("2025-01-06")
NOW = datetime(2025, 1, 7, tzinfo=UTC)


class Intervals(StoredIntervals):
    """``written`` are the days whose bronze is recorded."""

    written: frozenset[str] = frozenset()

    def _is_read(self, partition: PartitionKey) -> bool:
        return partition in type(self).written


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    copy_template(tmp_path / "catalog.db")
    with open_catalog(f"sqlite:///{tmp_path / 'catalog.db'}") as opened:
        yield opened


@pytest.fixture
def intervals(catalog: Catalog) -> Intervals:
    Intervals.written = frozenset()
    return Intervals(catalog=catalog, urn=URN, partition=DAY, watermark="changed_at", run_id="run-1", now=NOW)


def chosen(intervals: Intervals, day: PartitionKey, newest: str | None) -> tuple[str | None, str | None]:
    """The interval of ``day`` while ``newest`` is the greatest watermark of the table."""
    return replace(intervals, partition=day).choose(lambda low: newest if newest is not None else low)


def test_a_run_that_died_repeats_its_interval(intervals: Intervals) -> None:
    assert chosen(intervals, DAY, "5") == (None, "5")
    assert chosen(intervals, DAY, "9") == (None, "5")


def test_the_next_day_begins_where_the_last_one_ended_once_that_is_written(intervals: Intervals) -> None:
    chosen(intervals, DAY, "5")
    with pytest.raises(SourceError, match=f"run {DAY} first, then {DAY.next}"):
        chosen(intervals, DAY.next, "9")

    Intervals.written = frozenset({DAY})

    assert chosen(intervals, DAY.next, "9") == ("5", "9")
    assert chosen(intervals, DAY, "9") == (None, "5")


def test_an_interval_without_rows_is_opened_anew_until_a_later_one_exists(intervals: Intervals) -> None:
    assert chosen(intervals, DAY, None) == (None, None)
    assert chosen(intervals, DAY, "5") == (None, "5")
    Intervals.written = frozenset({DAY, DAY.next})
    assert chosen(intervals, DAY.next, "5") == ("5", "5")
    assert chosen(intervals, DAY.next.next, "8") == ("5", "8")

    assert chosen(intervals, DAY.next, "9") == ("5", "5")


def test_a_day_before_the_last_has_nothing_left_to_read(intervals: Intervals) -> None:
    chosen(intervals, DAY, "5")

    with pytest.raises(SourceError, match=f"the changes of {DAY.previous} are in a later day"):
        chosen(intervals, DAY.previous, "5")


def test_another_watermark_is_refused_as_its_values_say_nothing_about_what_was_read(intervals: Intervals) -> None:
    chosen(intervals, DAY, "5")

    with pytest.raises(SourceError, match="by the watermark changed_at, and the policy now names id"):
        chosen(replace(intervals, watermark="id"), DAY.next, "9")
