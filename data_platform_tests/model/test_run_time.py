"""Run times are percentiles of the last runs."""

from datetime import timedelta

from data_platform.model.run_time import LEAST_RUNS, RunTime, run_time_of

MINUTE = timedelta(minutes=1)


def test_a_run_time_is_the_median_and_the_95th_percentile() -> None:
    assert run_time_of(number * MINUTE for number in range(101)) == RunTime(50 * MINUTE, 95 * MINUTE)


def test_too_few_runs_have_no_run_time() -> None:
    assert run_time_of([MINUTE] * (LEAST_RUNS - 1)) is None
    assert run_time_of([MINUTE] * LEAST_RUNS) == RunTime(MINUTE, MINUTE)
