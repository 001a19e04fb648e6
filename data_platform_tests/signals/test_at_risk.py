"""A day is at risk when what must still run takes longer than the time that is left."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.catalog import Catalog
from data_platform.model.at_risk import AtRisk
from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate, Outcome, Verdict
from data_platform.policies import Policies
from data_platform.signals.at_risk import find_at_risk
from data_platform.signals.lateness import find_late
from data_platform_tests.catalog.template import filled_catalog
from data_platform_tests.signals.test_lateness import (
    DAY,
    DELAYS,
    FLIGHTS,
    JOB,
    LATE_SINCE,
    RATES,
    SUMMARY,
    arrive,
    begin,
    end,
    report_job,
    with_freshness,
)  # fmt: skip
from data_platform_tests.verdicts import all_gates

STAGES = {FLIGHTS: list(Stage), DELAYS: list(Stage)[1:], SUMMARY: list(Stage)[1:]}
MINUTE = timedelta(minutes=1)
BEFORE = LATE_SINCE - timedelta(days=1)


def record_the_days_before(catalog: Catalog) -> None:
    """Each stage takes ten minutes; everything before ``DAY`` is there. Delays are late an hour after flights."""
    for back in range(1, 13):
        for urn, stages in STAGES.items():
            for stage in stages:
                end(catalog, urn, stage, DAY.shifted(-back), at=BEFORE)
        arrive(catalog, DAY.shifted(-back))


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with filled_catalog(tmp_path, record_the_days_before) as opened:
        yield opened


def at_risk(policies: Policies, catalog: Catalog, now: datetime) -> dict[str, AtRisk]:
    return {one.dataset: one for one in find_at_risk(policies, catalog, now) if one.partition == DAY}


@pytest.mark.parametrize(
    ("minutes", "names"),
    [
        pytest.param(100, set(), id="time enough"),
        pytest.param(41, set(), id="just in time"),
        pytest.param(39, {FLIGHTS}, id="four stages take 40 minutes"),
        pytest.param(10, {FLIGHTS}, id="delays have an hour more"),
        pytest.param(5, {FLIGHTS, DELAYS}, id="delays take half an hour after flights"),
    ],
)
def test_a_day_is_at_risk_once_its_stages_do_not_fit(
    policies: Policies, catalog: Catalog, minutes: int, names: set[str]
) -> None:
    assert set(at_risk(policies, catalog, LATE_SINCE - minutes * MINUTE)) == names


def test_the_path_leads_through_the_inputs(policies: Policies, catalog: Catalog) -> None:
    now = LATE_SINCE + 25 * MINUTE  # delays have 35 minutes left; flights and delays need 70

    found = at_risk(policies, catalog, now)

    assert set(found) == {DELAYS, SUMMARY}  # flights are late already; summary needs 100 minutes, and has 95
    assert [(step.dataset, step.remaining, step.state) for step in found[DELAYS].path] == [
        (FLIGHTS, 40 * MINUTE, "nothing has started"),
        (DELAYS, 30 * MINUTE, "nothing has started"),
    ]
    assert (found[DELAYS].expected_at, found[DELAYS].slack) == (now + 70 * MINUTE, -35 * MINUTE)
    assert found[SUMMARY].upstream == (DELAYS, FLIGHTS)


def test_what_has_passed_needs_no_more_time(policies: Policies, catalog: Catalog) -> None:
    for stage in (Stage.BRONZE, Stage.SILVER):
        end(catalog, FLIGHTS, stage, at=LATE_SINCE - timedelta(hours=1))

    assert at_risk(policies, catalog, LATE_SINCE - 21 * MINUTE) == {}
    [step] = at_risk(policies, catalog, LATE_SINCE - 19 * MINUTE)[FLIGHTS].path
    assert (step.remaining, step.state) == (20 * MINUTE, "silver passed")


@pytest.mark.parametrize(
    ("alive", "remaining", "state"),
    [
        pytest.param(True, 24, "silver is running", id="alive: six of its ten minutes are over"),
        pytest.param(False, 30, "silver died", id="dead: it starts again"),
    ],
)
def test_a_stage_that_runs_needs_the_rest_of_its_time(
    policies: Policies, catalog: Catalog, alive: bool, remaining: int, state: str
) -> None:
    now = LATE_SINCE - 15 * MINUTE
    end(catalog, FLIGHTS, Stage.BRONZE, at=now - 7 * MINUTE)
    begin(catalog, now - 6 * MINUTE, lease_until=now + (5 if alive else -5) * MINUTE)

    [step] = at_risk(policies, catalog, now)[FLIGHTS].path

    assert (step.remaining, step.state) == (remaining * MINUTE, state)


def test_a_held_day_starts_again_at_the_stage_that_was_held(policies: Policies, catalog: Catalog) -> None:
    failed = Verdict(gate=Gate.DQ, outcome=Outcome.FAILED, reason="row count 1 < min_rows 5")
    passed = [verdict for verdict in all_gates(Stage.SILVER) if verdict.gate is not Gate.DQ]
    end(catalog, FLIGHTS, Stage.SILVER, at=LATE_SINCE - timedelta(hours=1), verdicts=(*passed, failed), version=None)

    [step] = at_risk(policies, catalog, LATE_SINCE - 20 * MINUTE)[FLIGHTS].path

    assert (step.remaining, step.state) == (30 * MINUTE, "silver was held")


def test_a_job_outside_needs_the_rest_of_its_time(policies: Policies, catalog: Catalog) -> None:
    due = datetime(2025, 6, 11, 6, 30, tzinfo=UTC)
    for back in range(1, 8):
        run = f"00000000-0000-4000-8000-00000000000{back}"
        for kind, at in (("START", BEFORE - back * timedelta(hours=1)), ("COMPLETE", BEFORE - back * 58 * MINUTE)):
            report_job(catalog, kind, JOB, at=at, run=run)

    times = catalog.timeliness.job_times([JOB])[JOB]
    found = at_risk(policies, catalog, due - 10 * MINUTE)

    assert times.usual == 8 * MINUTE
    assert RATES in found
    assert found[RATES].expected_at == due - 10 * MINUTE + times.long


def test_a_day_that_is_not_over_cannot_start_before(policies: Policies, catalog: Catalog) -> None:
    midnight = with_freshness(policies, FLIGHTS, expected_update_by="00:10 America/New_York daily", grace_period="0m")
    end(catalog, FLIGHTS, Stage.CERTIFIED)
    evening = datetime(2025, 6, 11, 23, 0, tzinfo=UTC)

    [found] = [one for one in find_at_risk(midnight, catalog, evening) if one.dataset == FLIGHTS]

    assert (found.partition, found.expected_at) == (DAY.next, datetime(2025, 6, 12, 4, 40, tzinfo=UTC))


def test_nothing_is_at_risk_when_all_is_there(policies: Policies, catalog: Catalog) -> None:
    for urn in STAGES:
        end(catalog, urn, Stage.CERTIFIED)
    arrive(catalog, DAY)

    for minutes in (40, 20, 1):
        assert at_risk(policies, catalog, LATE_SINCE - minutes * MINUTE) == {}


def test_a_day_that_is_at_risk_stays_so_until_it_is_late(policies: Policies, catalog: Catalog) -> None:
    end(catalog, FLIGHTS, Stage.BRONZE, at=LATE_SINCE - timedelta(hours=1))
    begin(catalog, LATE_SINCE - 50 * MINUTE, lease_until=LATE_SINCE - 30 * MINUTE)

    @given(first=st.integers(-120, 240), later=st.integers(0, 300))
    def is_monotone(first: int, later: int) -> None:
        before, after = LATE_SINCE + first * MINUTE, LATE_SINCE + (first + later) * MINUTE
        late = {one.dataset for one in find_late(policies, catalog, after) if one.partition == DAY}
        assert set(at_risk(policies, catalog, before)) <= set(at_risk(policies, catalog, after)) | late

    is_monotone()


def test_a_stage_that_has_run_too_seldom_has_no_run_time(catalog: Catalog) -> None:
    assert catalog.timeliness.stage_times([FLIGHTS, RATES])[FLIGHTS, Stage.GOLD].long == 10 * MINUTE
    assert (RATES, Stage.GOLD) not in catalog.timeliness.stage_times([RATES])
