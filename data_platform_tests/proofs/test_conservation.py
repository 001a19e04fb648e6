"""A history with a kill keeps every row once, and certifies only what passed; ``make proof`` draws random ones."""

from collections import Counter

import pytest
from pyspark.sql import SparkSession

from data_platform_tests.proofs.conservation import DAYS, Conservation, Death
from data_platform_tests.proofs.order_model import OrderPolicy

AMONG_SILVERS_WRITES = 30


def test_a_release_whose_replay_is_killed_conserves_rows(spark: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Conservation, "spark", spark, raising=False)
    monkeypatch.setattr(Conservation, "tally", Counter())
    history = Conservation()

    history.begin(
        chance=1,
        policy=OrderPolicy(),
        day=DAYS[0],
        delivered=[("1", "1.00", "a"), ("2", "-1.00", "b"), ("3", "3.00", "a")],
    )
    history.decide(
        kind="release", newest=True, death=Death(is_real=False, after=AMONG_SILVERS_WRITES), is_replayed=True
    )
    history.edit_policy_and_replay(policy=OrderPolicy(enum=True), death=None)
    history.teardown()

    done = history.tally
    assert (done["deaths"], done["release"], done["replays"], done["histories"]) == (1, 1, 2, 1)
    assert done["certified days"] == 2
