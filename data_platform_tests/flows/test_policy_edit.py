"""A verdict counts under its own policy only: edits between the stages of a day, and what certification then does."""

from typing import Any

import pytest

from data_platform.errors import UsageError
from data_platform.installation import Platform
from data_platform.model.certification import CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.run import StageReport
from data_platform.model.verdict import Outcome
from data_platform.stage import driver
from data_platform_tests.flows.estate import ORDERS, ORDERS_BUNDLE, Estate, a_day, declare_orders, orders

ANY_AMOUNT: dict[str, Any] = {"contract": {"unique": ["id"], "invariants": [{"id": "any", "rule": "amount > 0"}]}}
LARGE_AMOUNT: dict[str, Any] = {
    "contract": {"unique": ["id"], "invariants": [{"id": "large", "rule": "amount > 5", "severity": "BLOCK"}]}
}
UNPARTITIONED: dict[str, Any] = {
    "source": {"format": "csv", "path": "orders/2025-01-06", "producer": "shop"},
    "partition": None,
}


def declare(estate: Estate, bundle: dict[str, Any], **policy: Any) -> None:
    estate.declare(ORDERS, {**ORDERS_BUNDLE, **bundle}, source=UNPARTITIONED["source"], **policy)


def stage(platform: Platform, name: Stage, run: int) -> StageReport:
    return driver.run_stage(platform, platform.policies.dataset("orders"), name, None, f"run_20250107_{run}")


def test_a_rule_that_is_tightened_between_gold_and_certification_is_asked_of_gold(estate: Estate) -> None:  # C06
    declare(estate, ANY_AMOUNT)
    orders(estate, "1,1.00,a")
    platform = estate.platform()
    for name in (Stage.BRONZE, Stage.SILVER, Stage.GOLD):
        assert stage(platform, name, 1).passed
    version = platform.table(platform.policies.dataset("orders"), Stage.GOLD).version()

    declare(estate, LARGE_AMOUNT)  # the platform was opened before, and reads it by itself
    held = stage(platform, Stage.CERTIFIED, 2)

    assert (held.outcome, held.version) == (Outcome.FAILED, None)
    assert held.verdicts[0].signatures == ("INVARIANT:amount:large",)
    assert "judged again under today's" in held.verdicts[0].reason
    assert platform.table(platform.policies.dataset("orders"), Stage.GOLD).version() == version  # nothing was written
    pointer = platform.catalog.certifications.get(ORDERS)
    assert pointer is not None
    assert (pointer.status, pointer.version) == (CertificationStatus.UNCERTIFIED, None)

    declare(estate, ANY_AMOUNT, description="edited back, and described")
    certified = stage(platform, Stage.CERTIFIED, 3)
    gold = platform.catalog.runs.latest(ORDERS, Stage.GOLD, None)
    pointer = platform.catalog.certifications.get(ORDERS)

    assert certified.passed
    assert gold is not None
    assert pointer is not None
    assert pointer.policy_fingerprint == gold.policy_fingerprint  # the policy that judged it, whoever describes it
    assert certified.verdicts[0].metadata["judged_again"] == []

    declare(estate, {"contract": {"unique": ["id"]}})  # looser: gold is asked again, and passes
    again = stage(platform, Stage.CERTIFIED, 4)

    assert again.passed
    assert again.verdicts[0].metadata["judged_again"] == ["everything"]
    found = platform.catalog.evidence.find(ORDERS, run_id="run_20250107_4")
    assert {(item.gate, item.result) for item in found} >= {("G4_CONTRACT", "PASS"), ("CERTIFICATION", "CERTIFIED")}

    declare(estate, {"contract_lite": {"invariants": [{"id": "large", "rule": "amount > 5"}]}})
    stale = stage(platform, Stage.CERTIFIED, 5)
    pointer = platform.catalog.certifications.get(ORDERS)

    assert stale.verdicts[0].signatures == ("POLICY_CHANGED:silver",)  # its rows were never asked
    assert pointer is not None
    assert (pointer.status, pointer.version) == (CertificationStatus.HELD_AT_PREVIOUS, version)
    with pytest.raises(UsageError, match=r"silver of .* another policy than today's.* run silver again"):
        stage(platform, Stage.GOLD, 6)
    platform.close()


def test_rows_that_are_not_certified_yet_pass_todays_rules_also_if_a_newer_delivery_is_held(estate: Estate) -> None:
    strict: dict[str, Any] = {"contract_lite": {"invariants": [{"id": "large", "rule": "amount > 5"}]}}
    declare_orders(estate)
    orders(estate, "1,1.00,passes the rules of that day")
    platform = estate.platform()
    dataset = platform.policies.dataset("orders")
    first, second = a_day(6), a_day(7)
    for name in dataset.stages[:-1]:
        assert driver.run_stage(platform, dataset, name, first, "run_20250107_1").passed
    orders(estate, "1,-1.00,held")
    assert not estate.run("orders", first, platform)[-1].proceeds
    declare_orders(estate, strict)
    orders(estate, "2,9.00,b", day=second)

    held = estate.run("orders", second, platform)[-1]

    assert (held.stage, held.verdicts[0].signatures) == (Stage.CERTIFIED, ("POLICY_CHANGED:silver",))
    assert estate.certified_rows("orders") == []
    orders(estate, "1,9.00,corrected")
    assert estate.run("orders", first, platform)[-1].passed
    assert [row["id"] for row in estate.certified_rows("orders")] == [1, 2]
    platform.close()


def test_a_day_that_was_never_certified_is_judged_again_with_the_next(estate: Estate) -> None:
    declare_orders(estate, ANY_AMOUNT)
    orders(estate, "1,1.00,a")
    platform = estate.platform()
    dataset = platform.policies.dataset("orders")
    first, second = (platform.partition(dataset, day) for day in ("2025-01-06", "2025-01-07"))
    assert first is not None
    assert second is not None
    orders(estate, "2,9.00,b", day=second)
    for name in dataset.stages[:-1]:
        assert driver.run_stage(platform, dataset, name, first, "run_20250107_1").passed
    declare_orders(estate, LARGE_AMOUNT)

    *_, held = driver.run(platform, dataset, second, "run_20250108_1")

    assert held.stage is Stage.CERTIFIED
    assert held.verdicts[0].signatures == ("INVARIANT:amount:large",)
    assert "gold of ds://sales/orders 2025-01-06" in held.verdicts[0].reason
    platform.close()
