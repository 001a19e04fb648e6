"""What the run of a finding read of a dataset upstream is known by the versions that the runs recorded."""

from dataclasses import replace
from datetime import timedelta
from itertools import chain
from random import Random
from typing import Any

import pytest

from data_platform.model.cause_fact import StageFact
from data_platform.model.dataset import Stage
from data_platform.model.signal import Finding, SignalKind
from data_platform.signals.reading import Readings
from data_platform_tests.signals.root_cause.story import DAY, RATES, RISK, TRADES, finding, held, run

WARNED = "UNKNOWN_ENUM:price"
EFFECT = finding(RISK, "INVARIANT:total", run_id="run_totals_2026-03-10")
CAUSE = finding(RATES, WARNED, kind=SignalKind.ANOMALY, run_id="run_rates_2026-03-10")
RISK_HELD = held(RISK, Stage.GOLD, "INVARIANT:total")


def warned(dataset: str = RATES, **changes: Any) -> tuple[StageFact, ...]:
    """A run that certified, and whose silver warned."""
    facts = run(dataset, **changes)
    place = [fact.stage for fact in facts].index(Stage.SILVER)
    return (*facts[:place], replace(facts[place], signatures=(f"{WARNED}:XX",)), *facts[place + 1 :])


def later(facts: tuple[StageFact, ...], hours: int, **changes: Any) -> tuple[StageFact, ...]:
    moved = timedelta(hours=hours)
    return tuple(
        replace(fact, started_at=fact.started_at + moved, finished_at=fact.finished_at + moved, **changes)
        for fact in facts
    )


STORIES = [
    pytest.param([warned(), run(TRADES), RISK_HELD], True, id="over another dataset"),
    pytest.param(
        [run(RATES), run(TRADES), RISK_HELD, later(warned(), 6, version=101, run_id="run_again")],
        False,
        id="a rerun of the input that warned came later",
    ),
    pytest.param(
        [warned(), later(run(RATES), 1, version=101, run_id="run_again"),
         tuple(replace(fact, inputs=((RATES, 101),)) for fact in run(TRADES)), RISK_HELD],
        False,
        id="the input was corrected before it was read",
    ),
    pytest.param(
        [warned(), later(run(RATES, DAY.previous), 30, version=107, run_id="run_backfill"),
         tuple(replace(fact, inputs=((RATES, 107),)) for fact in run(TRADES)), RISK_HELD],
        True,
        id="another day was made between the two",
    ),
    pytest.param(
        [warned(), run(TRADES), tuple(replace(fact, run_id=f"run_{fact.stage}") for fact in RISK_HELD[:-1]),
         RISK_HELD[-1:]],
        True,
        id="stages that are runs of their own",
    ),
    pytest.param(
        [held(RATES, Stage.SILVER, WARNED), run(TRADES), RISK_HELD], None, id="the day was never certified"
    ),
    pytest.param([warned(), RISK_HELD], None, id="the run between them is not recorded"),
    pytest.param([warned(), run(TRADES)], None, id="the run of the finding is not recorded"),
]  # fmt: skip


@pytest.mark.parametrize(("story", "expected"), STORIES)
def test_what_was_read_is_known_by_versions(story: list[tuple[StageFact, ...]], expected: bool | None) -> None:
    facts = list(chain(*story))
    shuffled = Random(7).sample([*facts, *facts], 2 * len(facts))  # noqa: S311 - any order

    assert Readings(facts).has_read(EFFECT, CAUSE) is expected
    assert Readings(shuffled).has_read(EFFECT, CAUSE) is expected


def test_an_input_without_partitions_is_read_as_of_its_version() -> None:
    rates = [replace(fact, partition=None) for fact in warned()]
    cause = replace(CAUSE, partition=None)
    newer = later(tuple(replace(fact, partition=None) for fact in run(RATES)), 40, version=120, run_id="run_newer")

    read = Readings([*rates, *newer, *run(TRADES), *RISK_HELD]).has_read(EFFECT, cause)
    read_newer = Readings(
        [*rates, *newer, *(replace(fact, inputs=((RATES, 120),)) for fact in run(TRADES)), *RISK_HELD]
    ).has_read(EFFECT, cause)

    assert (read, read_newer) == (True, False)


def test_a_row_count_is_the_same_fault_whatever_its_number_is() -> None:
    facts = [replace(fact, signatures=("ROW_COUNT:5<9",) if fact.stage is Stage.SILVER else ()) for fact in run(RATES)]
    cause: Finding = replace(CAUSE, kind=SignalKind.VOLUME, signature="ROW_COUNT")

    assert Readings([*facts, *run(TRADES), *RISK_HELD]).has_read(EFFECT, cause) is True
