"""Metrics of columns are judged by those of the deliveries before: what recurs is usual, what is new is a warning."""

import random
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.gates.dq_baseline import EarlierDeliveries, with_earlier
from data_platform.gates.drift.judgement import DELIVERIES, LEAST, judge_fields
from data_platform.model.baseline import Baseline
from data_platform.model.delivery_history import DeliveredFields, FieldMetrics
from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Gate, Outcome, Severity, Verdict

ROWS = 1000
START = date(2025, 1, 1)


def history(found: Sequence[FieldMetrics], rows: int = ROWS) -> list[DeliveredFields]:
    days = (PartitionKey.of_value(START + timedelta(days=place)) for place in range(len(found)))
    return [DeliveredFields(day, rows, {"x": one}) for day, one in zip(days, found, strict=True)]


def usual_days(count: int = 30, **changes: Any) -> list[FieldMetrics]:
    """A column with 2 % NULLs, values around 50 and two codes, which vary a little from day to day."""
    dice = random.Random(7)  # noqa: S311
    days = []
    for _ in range(count):
        share = 0.7 + dice.uniform(-0.02, 0.02)
        values = {
            "null_rate": 0.02 + dice.uniform(-0.005, 0.005), "mean": 50 + dice.gauss(0, 0.3), "stddev": 10.0,
            "min": 20 + dice.uniform(-3, 3), "max": 80 + dice.uniform(-3, 3), "distinct": 400 + dice.gauss(0, 10),
            "shares": {"A": share, "B": 1 - share},
        }  # fmt: skip
        days.append(FieldMetrics(**{**values, **changes}))
    return days


def signatures(found: FieldMetrics, before: Sequence[FieldMetrics], rows: int = ROWS) -> tuple[str, ...]:
    return tuple(one.signature for one in judge_fields(rows, {"X": found}, history(before, rows)))


@pytest.mark.parametrize(
    ("change", "signature"),
    [
        pytest.param({"null_rate": 0.2}, "NULL_RATE_DRIFT:X", id="NULLs"),
        pytest.param({"null_rate": 1.0}, "NULL_RATE_DRIFT:X", id="nothing but NULLs"),
        pytest.param({"mean": 60.0}, "MEAN_DRIFT:X", id="a mean that moved by a deviation"),
        pytest.param({"max": 99_999.0}, "RANGE_DRIFT:X", id="a filler"),
        pytest.param({"min": -60.0}, "RANGE_DRIFT:X", id="far below"),
        pytest.param({"distinct": 90.0}, "DISTINCT_DRIFT:X", id="few distinct values"),
        pytest.param({"distinct": 0.0}, "DISTINCT_DRIFT:X", id="no distinct value"),
        pytest.param({"shares": {"A": 0.3, "B": 0.7}}, "MIX_DRIFT:X", id="another mix"),
        pytest.param({"shares": {"A": 1.0, "B": 0.0}}, "MIX_DRIFT:X", id="a code that is missing"),
    ],
)
def test_what_differs_from_earlier_deliveries_is_named(change: dict[str, Any], signature: str) -> None:
    [*before, last] = usual_days(31)
    assert signatures(last, before) == ()

    found = FieldMetrics(**{**vars(last), **change})

    assert signatures(found, before) == (signature,)


def test_a_warning_holds_nothing_and_says_what_was_usual() -> None:
    [*before, last] = usual_days(31)

    [found] = judge_fields(ROWS, {"X": FieldMetrics(null_rate=0.2, mean=last.mean)}, history(before))

    assert (found.severity, found.outcome, found.holds) == (Severity.WARN, Outcome.FAILED, False)
    assert found.reason == "20.0% are NULL, usual is 1.9%"


def test_what_recurs_is_usual() -> None:
    weekly = [FieldMetrics(null_rate=0.3 if place % 7 == 6 else 0.01) for place in range(70)]

    assert signatures(FieldMetrics(null_rate=0.3), weekly) == ()
    assert signatures(FieldMetrics(null_rate=0.6), weekly) == ("NULL_RATE_DRIFT:X",)


def test_one_wrong_delivery_hides_no_later_one() -> None:
    [*before, last] = usual_days(40)
    before[-1] = FieldMetrics(**{**vars(before[-1]), "mean": 5_000.0})

    assert signatures(last, before) == ()
    assert signatures(FieldMetrics(mean=70.0), before) == ("MEAN_DRIFT:X",)


def test_a_small_delivery_is_not_reported_for_chance() -> None:
    before = usual_days(null_rate=0.3)

    assert signatures(FieldMetrics(null_rate=0.5), before, rows=1_000_000) == ("NULL_RATE_DRIFT:X",)
    assert signatures(FieldMetrics(null_rate=0.5), before, rows=10) == ()


def test_a_column_that_never_changed_is_reported_once_it_does() -> None:
    before = usual_days(mean=5.0, stddev=0.0, min=5.0, max=5.0)

    assert signatures(FieldMetrics(mean=5.0, min=5.0, max=5.0), before) == ()
    assert signatures(FieldMetrics(mean=6.0, min=6.0, max=6.0), before) == ("MEAN_DRIFT:X", "RANGE_DRIFT:X")


@pytest.mark.parametrize(
    "before",
    [
        pytest.param(usual_days(LEAST - 1), id="too few deliveries"),
        pytest.param([FieldMetrics()] * 30, id="deliveries in which nothing was measured"),
        pytest.param(usual_days(LEAST - 1) + [FieldMetrics()] * 30, id="too few that measured it"),
    ],
)
def test_without_enough_deliveries_nothing_is_judged(before: list[FieldMetrics]) -> None:
    wrong = FieldMetrics(null_rate=1.0, mean=0.0, min=0.0, max=0.0, distinct=0.0, shares={"B": 1.0})

    assert signatures(wrong, before) == ()


def test_empty_deliveries_teach_nothing_and_are_not_judged() -> None:
    before = history(usual_days())

    assert list(judge_fields(0, {"X": FieldMetrics(null_rate=1.0)}, before)) == []
    assert list(judge_fields(ROWS, {"X": FieldMetrics(null_rate=1.0)}, history(usual_days(), rows=0))) == []


def test_only_the_newest_deliveries_count() -> None:
    before = usual_days(DELIVERIES, null_rate=0.9) + usual_days(DELIVERIES, null_rate=0.1)

    assert signatures(FieldMetrics(null_rate=0.1), before) == ()
    assert signatures(FieldMetrics(null_rate=0.9), before) == ("NULL_RATE_DRIFT:X",)


shares = st.dictionaries(st.sampled_from("ABCD"), st.floats(0, 1), max_size=4)
number = st.none() | st.floats(-1e9, 1e9)
metric = st.builds(
    FieldMetrics, null_rate=st.none() | st.floats(0, 1), mean=number, stddev=st.none() | st.floats(0, 1e9),
    min=number, max=number, distinct=st.none() | st.floats(0, 1e9), shares=shares,
)  # fmt: skip


@given(before=st.lists(metric, max_size=40), found=metric, rows=st.integers(1, 10**9))
def test_any_metrics_are_judged_without_an_error(before: list[FieldMetrics], found: FieldMetrics, rows: int) -> None:
    kinds = [one.partition(":")[0] for one in signatures(found, before, rows)]

    assert len(kinds) == len(set(kinds))


@given(found=metric, days=st.integers(LEAST, 40))
def test_a_delivery_like_all_before_is_usual(found: FieldMetrics, days: int) -> None:
    low, high = sorted((found.min or 0.0, found.max or 0.0))
    found = FieldMetrics(**{**vars(found), "min": low, "max": high})

    assert signatures(found, [found] * days) == ()


def test_null_rates_are_judged_by_the_baseline_until_there_are_enough_deliveries() -> None:
    baseline = Baseline.model_validate({"null_rates": {"X": 0.02}})
    verdict = Verdict(
        gate=Gate.DQ, outcome=Outcome.PASSED, metadata={"rows": ROWS, "fields": {"X": {"null_rate": 0.3}}}
    )
    young, old = (EarlierDeliveries(None, history(usual_days(days, null_rate=0.3))) for days in (LEAST - 1, LEAST))

    assert with_earlier(verdict, baseline, None, young).signatures == ("NULL_RATE_DRIFT:X",)
    assert with_earlier(verdict, baseline, None, old).signatures == ()
