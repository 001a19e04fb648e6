"""Every key is in one count, and every column's differences are counted exactly, for any keys and values."""

import math
from collections import Counter
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from data_platform.parity.report import Duplicates
from data_platform_tests.parity.sides import column, counted, rows, tolerance

NAN = math.nan


def test_a_key_is_equal_different_or_on_one_side(spark: SparkSession) -> None:
    kinds = "id int, x int, note string"
    legacy = rows(spark, kinds, [(1, 10, "a"), (2, 20, "b"), (3, 30, None), (4, 40, "d")])
    new = rows(spark, kinds, [(1, 10, "a"), (2, 25, "b"), (3, 30, "c"), (5, 50, "e"), (6, 60, "f")])

    found = counted(legacy, new)

    assert (found.rows.legacy, found.rows.new, found.rows.keys) == (4, 5, 6)
    assert (found.rows.equal, found.rows.different) == (1, 2)
    assert (found.rows.only_in_legacy, found.rows.only_in_new) == (1, 2)
    assert found.rows.differing == 5
    assert (column(found).different, column(found).max_difference, column(found).max_relative_difference) == (1, 5, 0.2)
    assert (column(found, "note").different, column(found, "note").null_in_legacy) == (1, 1)


def test_duplicates_are_counted_on_both_sides_and_multiply_nothing(spark: SparkSession) -> None:
    legacy = rows(spark, "id int, x int", [(1, n) for n in range(300)] + [(2, 0), (3, 0), (3, 0)])
    new = rows(spark, "id int, x int", [(1, n) for n in range(200)] + [(2, 0), (2, 0), (4, 0)])

    found = counted(legacy, new).rows

    assert (found.legacy, found.new, found.keys, found.duplicated) == (303, 203, 4, 3)
    assert found.duplicated_in_legacy == Duplicates(keys=2, rows=302)
    assert found.duplicated_in_new == Duplicates(keys=2, rows=202)
    assert (found.only_in_legacy, found.only_in_new, found.equal, found.different) == (0, 1, 0, 0)


def test_keys_that_are_null_meet_as_any_other(spark: SparkSession) -> None:
    kinds = "id int, day date, x int"
    legacy = rows(spark, kinds, [(None, date(2025, 1, 6), 1), (1, None, 2), (None, None, 3), (0, None, 4)])
    new = rows(spark, kinds, [(None, date(2025, 1, 6), 1), (1, None, 9), (None, None, 3)])

    found = counted(legacy, new, keys=("id", "day")).rows

    assert (found.equal, found.different, found.only_in_legacy, found.duplicated) == (2, 1, 1, 0)


def test_minus_zero_and_nan_are_keys_as_they_are_values(spark: SparkSession) -> None:
    legacy = rows(spark, "id double, x int", [(0.0, 1), (NAN, 2)])
    new = rows(spark, "id double, x int", [(-0.0, 1), (NAN, 2)])

    assert counted(legacy, new).rows.equal == 2


def test_two_sides_without_rows_have_no_counts(spark: SparkSession) -> None:
    found = counted(rows(spark, "id int, x int", []), rows(spark, "id int, x int", []))

    assert (found.rows.legacy, found.rows.new, found.rows.keys, column(found).different) == (0, 0, 0, 0)


def test_keys_alone_are_compared_by_whether_they_are_there(spark: SparkSession) -> None:
    found = counted(rows(spark, "id int", [(1,), (2,)]), rows(spark, "id int", [(1,)]))

    assert (found.rows.equal, found.rows.only_in_legacy, found.columns) == (1, 1, ())


def test_texts_and_bytes_compare_alike_whether_they_are_counted_by_digest_or_kept(spark: SparkSession) -> None:
    kinds = "id int, x string, y binary, z double"
    values = [("a", b"a", 0.0), ("", b"", NAN), (None, None, None), ("é", b"\x00", 1.5), ("e\u0301", b"\x00\x00", -0.0)]
    pairs = [(left, right) for left in values for right in values]
    legacy = rows(spark, kinds, [(key, *left) for key, (left, _) in enumerate(pairs)])
    new = rows(spark, kinds, [(key, *right) for key, (_, right) in enumerate(pairs)])
    tags = F.array(F.lit("same")).alias("tags")  # values of an array are kept, and so are those of the other columns

    by_digest, kept = counted(legacy, new), counted(legacy.select("*", tags), new.select("*", tags))

    assert (by_digest.rows, by_digest.columns) == (kept.rows, kept.columns[:-1])
    assert (by_digest.rows.equal, by_digest.rows.different) == (5, 20)
    assert [(c.different, c.null_in_legacy, c.null_in_new) for c in by_digest.columns[:2]] == [(20, 4, 4)] * 2


def test_a_key_of_another_type_is_reported_and_not_null(spark: SparkSession) -> None:
    legacy = rows(spark, "id string, x int", [("1", 1), ("one", 1), ("two", 2), (None, 3)])
    new = rows(spark, "id int, x int", [(1, 1), (None, 3)])

    found = counted(legacy, new).rows

    assert (found.equal, found.unreadable_key, found.duplicated, found.keys) == (2, 2, 0, 4)


def row_of(side: list[tuple[Any, ...]], key: int | None) -> tuple[Any, ...]:
    return next(row[1:] for row in side if row[0] == key)


VALUES = st.sampled_from([None, 0, 1, 2, 5, 100])
SIDE = st.lists(st.tuples(st.sampled_from([None, 1, 2, 3, 4, 5, 6]), VALUES, VALUES), max_size=12)


@settings(
    max_examples=10, deadline=None, database=None, phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)  # fmt: skip
@given(legacy=SIDE, new=SIDE, most=st.sampled_from([0, 1, 4]))
def test_the_counts_are_those_of_a_comparison_by_hand(
    spark: SparkSession, legacy: list[tuple[Any, ...]], new: list[tuple[Any, ...]], most: int
) -> None:
    kinds = "id int, x int, y int"

    found = counted(rows(spark, kinds, legacy), rows(spark, kinds, new), tolerance("tolerance", str(most)))

    old, ours = Counter(row[0] for row in legacy), Counter(row[0] for row in new)
    once = {key for key in old if old[key] == ours[key] == 1}
    by_key = {key: (row_of(legacy, key), row_of(new, key)) for key in once}

    def outcome(a: int | None, b: int | None) -> str:
        if a == b:
            return "equal"
        return "different" if a is None or b is None or abs(a - b) > most else "within"

    outcomes = {key: [outcome(a, b) for a, b in zip(*sides, strict=True)] for key, sides in by_key.items()}
    told = found.rows
    assert (told.legacy, told.new, told.keys) == (len(legacy), len(new), len(old | ours))
    assert told.equal == sum(set(each) == {"equal"} for each in outcomes.values())
    assert told.different == sum("different" in each for each in outcomes.values())
    assert told.within_tolerance == sum("within" in each and "different" not in each for each in outcomes.values())
    assert told.duplicated == sum(old[key] > 1 or ours[key] > 1 for key in old | ours)
    assert told.duplicated_in_legacy.rows == sum(count for count in old.values() if count > 1)
    assert told.duplicated_in_new.rows == sum(count for count in ours.values() if count > 1)
    assert told.only_in_legacy == sum(old[key] == 1 and not ours[key] for key in old)
    assert told.only_in_new == sum(ours[key] == 1 and not old[key] for key in ours)
    for place, name in enumerate(("x", "y")):
        of_column = [each[place] for each in outcomes.values()]
        apart = [
            abs(a[place] - b[place]) for a, b in by_key.values() if None not in (a[place], b[place])
            if a[place] != b[place]
        ]  # fmt: skip
        assert column(found, name).different == of_column.count("different")
        assert column(found, name).within_tolerance == of_column.count("within")
        assert column(found, name).max_difference == max(apart, default=None)
        assert column(found, name).mean_difference == (pytest.approx(sum(apart) / len(apart)) if apart else None)
