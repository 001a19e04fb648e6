"""Random arrivals, holds, roll-backs, edits and crashes: a reader never sees a mixed or unqualified set.

At the end every member delivers every day, and then a reader sees all of them: nothing waits for ever.
"""

from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

from data_platform.model.partition_key import PartitionKey
from data_platform.model.verdict import Outcome
from data_platform.stage.group_publication import publish_waiting
from data_platform_tests.catalog.template import copy_template
from data_platform_tests.stage.group_shop import Content, Shop, day

NAMES = ("items", "lines", "orders")
DAYS = (day(1), day(2), day(3))
STEPS = 50
ACTIONS = {"arrive": 76, "gold": 6, "empty": 4, "hold": 5, "roll back": 4, "edit": 1, "reconcile": 6}
MOMENTS = ("", "", "", "ready", "prepared", "publish", "views")


def step(shop: Shop, chance: Random, days: Sequence[PartitionKey]) -> None:
    """One action of somebody on a member and one of ``days``."""
    [action] = chance.choices(list(ACTIONS), list(ACTIONS.values()))
    name, partition = chance.choice(NAMES), chance.choice(days)
    if action == "arrive":
        shop.arrive(name, partition, killed_at=chance.choice(MOMENTS))
    elif action == "gold":
        shop.pass_gold(name, partition)
    elif action == "empty":
        shop.arrive(name, partition, empty=True)
    elif action == "hold":
        shop.hold(name, partition)
    elif action == "roll back":
        shop.roll_back(name)
    elif action == "edit":
        shop.declare(name, f"id > {chance.randint(0, 2)}")
    else:
        publish_waiting(shop.platform, f"run_20250201_{next(shop.numbers):012x}")


def check(shop: Shop, before: dict[str, Content], seen: dict[str, Content]) -> None:
    """What a reader sees passed, and belongs together; ``before`` is what the reader saw before the last action."""
    for urn, content in seen.items():
        assert set(content.values()) <= shop.passed, "a delivery is shown that did not pass"
        for partition, delivery in content.items():
            for other in seen:
                has = partition in seen[other] or (other, partition) in shop.empty
                assert has, f"{partition} is shown of {urn}, and not of {other}"
                if before[urn].get(partition) != delivery:
                    passed = shop.last.get((other, partition)) is Outcome.PASSED
                    assert passed, f"{partition} of {urn} was shown although it did not pass for {other}"


@pytest.mark.parametrize("seed", range(2))
def test_a_reader_never_sees_a_mixed_or_unqualified_set(tmp_path: Path, seed: int) -> None:
    copy_template(tmp_path / "catalog.db")
    shop, chance = Shop(tmp_path, NAMES), Random(seed)  # noqa: S311 - a scenario that can be repeated
    seen, changes = shop.read(), 0
    for number in range(STEPS):
        before = seen
        step(shop, chance, DAYS[: 1 + number * len(DAYS) // STEPS])
        seen = shop.read()
        check(shop, before, seen)
        changes += seen != before
    for partition in DAYS:
        for name in NAMES:
            shop.arrive(name, partition)

    complete = shop.read()

    assert changes > 1, "readers saw at least two publications among the actions"
    assert all(content == shop.tables[f"fake://gold/{urn[10:]}"].contents[-1] for urn, content in complete.items())
    assert {partition for content in complete.values() for partition in content} == set(DAYS)
    assert [shop.waiting(name) for name in NAMES] == [[], [], []]
    assert shop.platform.catalog.evidence.verify().is_whole
    shop.platform.close()
