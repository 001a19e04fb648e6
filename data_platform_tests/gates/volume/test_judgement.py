"""The row count of a delivery is judged by those before it, by the rule that fits the age of its dataset."""

from typing import Any

import pytest
from pydantic import ValidationError

from data_platform.gates.dq_baseline import EarlierDeliveries, with_earlier
from data_platform.gates.volume.judgement import judge_rows
from data_platform.model.baseline import Baseline
from data_platform.model.partition_key import PartitionKey
from data_platform.model.policy import Volume
from data_platform.model.verdict import Gate, Outcome, Severity, Verdict
from data_platform.model.volume import DeliveredRows, VolumeRule
from data_platform_tests.gates.volume.series import series


@pytest.mark.parametrize(
    ("deliveries", "changes", "rule"),
    [
        pytest.param(6, {}, None, id="too young"),
        pytest.param(7, {}, VolumeRule.ROLLING, id="a week"),
        pytest.param(59, {}, VolumeRule.ROLLING, id="not yet 60"),
        pytest.param(60, {}, VolumeRule.SEASONAL, id="60"),
        pytest.param(200, {"rule": "rolling"}, VolumeRule.ROLLING, id="the policy names the rolling rule"),
        pytest.param(30, {"rule": "seasonal"}, VolumeRule.SEASONAL, id="the policy names the seasonal rule"),
        pytest.param(20, {"rule": "seasonal"}, None, id="the seasonal rule needs four weeks"),
    ],
)
def test_the_rule_follows_from_the_number_of_deliveries(
    deliveries: int, changes: dict[str, Any], rule: VolumeRule | None
) -> None:
    before = series(deliveries)

    found = judge_rows(10_000, before[-1].partition.next, before, Volume.model_validate(changes))

    assert (found and found.rule) == rule


def test_a_drop_is_unusual_and_the_reason_has_the_numbers() -> None:
    before = series(100, noise=0)
    day = PartitionKey("2019-04-11")  # a Thursday
    assert day == before[-1].partition.next

    found = judge_rows(6_000, day, before, Volume())

    assert found is not None
    assert (found.is_unusual, found.monitorable) == (True, True)
    assert found.reason == (
        "6,000 rows, 40 % fewer than the 10,000 expected by the 100 deliveries before; usual are 7,500 to 13,334"
    )


def test_the_rhythm_of_the_week_is_no_anomaly() -> None:
    before = series(102, noise=0)  # the next day is a Saturday

    found = judge_rows(3_000, before[-1].partition.next, before, Volume())

    assert found is not None
    assert not found.is_unusual


def test_an_irregular_dataset_is_not_reported() -> None:
    before = series(400, noise=0.6)
    usual = judge_rows(0, before[-1].partition.next, before, Volume())

    assert usual is not None
    assert (usual.is_unusual, usual.monitorable) == (True, False)
    verdict = with_earlier(
        Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, metadata={"rows": 0}),
        None,
        Volume(),
        EarlierDeliveries(usual, ()),
    )
    assert verdict.signatures == ()
    assert verdict.metadata["volume"]["monitorable"] is False


def test_deliveries_count_more_than_the_baseline_and_hold_nothing() -> None:
    before, dq = series(100, noise=0), Verdict(gate=Gate.DQ, outcome=Outcome.PASSED, metadata={"rows": 6_000})
    profiled = Baseline.model_validate({"row_count": {"mean": 6_000}})
    found = judge_rows(6_000, before[-1].partition.next, before, Volume())

    verdict = with_earlier(dq, profiled, Volume(), EarlierDeliveries(found, ()))

    assert (verdict.signatures, verdict.outcome) == (("VOLUME_ANOMALY",), Outcome.PASSED)
    [result] = verdict.results
    assert (result.severity, result.outcome) == (Severity.WARN, Outcome.FAILED)
    assert verdict.metadata["volume"] == {
        "rule": "seasonal", "expected": 10_000, "low": 7_500, "high": 13_334, "deliveries": 100, "monitorable": True,
    }  # fmt: skip


def test_the_rolling_rule_needs_both_the_threshold_and_two_standard_deviations() -> None:
    before = series(14, noise=0)[7:]  # five days of 10,000 and two of 3,000

    found = judge_rows(3_000, before[-1].partition.next, before, Volume())

    assert found is not None
    assert (found.rule, found.is_unusual) == (VolumeRule.ROLLING, False)


def test_an_unknown_calendar_is_an_error_of_the_policy() -> None:
    with pytest.raises(ValidationError, match="'XX' is no calendar of holidays; expected the code of a country"):
        Volume(calendar="XX")


FLAT = [DeliveredRows(one.partition, 10_000) for one in series(12)]


@pytest.mark.parametrize(
    "before", [pytest.param(FLAT, id="rolling"), pytest.param(series(102, noise=0), id="seasonal")]
)
def test_a_level_that_people_expect_is_usual_from_the_next_delivery_on_and_so_is_the_old_one(
    before: list[DeliveredRows],
) -> None:
    *earlier, last = before
    day, half = last.partition.next, last.rows // 2
    shifted = [*earlier, DeliveredRows(last.partition, half)]
    confirmed = [*earlier, DeliveredRows(last.partition, half, is_expected=True)]
    usual = judge_rows(1, day, before, Volume())
    assert usual is not None
    new_level = round(usual.usual.rows / 2)

    judged = {
        name: judge_rows(rows, day, history, Volume())
        for name, rows, history in (
            ("not confirmed", new_level, shifted),
            ("confirmed", new_level, confirmed),
            ("back again", round(usual.usual.rows), confirmed),
            ("another drop", new_level // 3, confirmed),
        )
    }

    unusual = {name: found.is_unusual for name, found in judged.items() if found is not None}
    assert unusual == {"not confirmed": True, "confirmed": False, "back again": False, "another drop": True}


def test_a_delivery_that_was_usual_anyway_shifts_nothing_if_people_expect_it() -> None:
    before = series(100, noise=0)
    expected = [*before[:-1], DeliveredRows(before[-1].partition, before[-1].rows, is_expected=True)]

    assert judge_rows(3_000, before[-1].partition.next, expected, Volume()) == judge_rows(
        3_000, before[-1].partition.next, before, Volume()
    )
