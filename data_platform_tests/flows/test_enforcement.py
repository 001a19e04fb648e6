"""In a mode that does not hold, gold moves and the certified view does not, until the failed day passes."""

from datetime import timedelta
from typing import Any

import pytest

from data_platform.errors import UsageError
from data_platform.installation import Platform
from data_platform.model.certification import CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.registration import Actor
from data_platform.model.run import FAILED_BEFORE, StageReport
from data_platform.model.verdict import Gate, Outcome
from data_platform.model.waiver import WAIVERS, WaiverRequest
from data_platform.stage import driver
from data_platform_tests.flows.estate import DAY, ORDERS, Estate, a_day, declare_orders, ids_at, orders

NEXT_DAY = a_day(7)
ENOUGH: dict[str, Any] = {"dq": {"min_rows": 2}}


def outcomes(reports: list[StageReport]) -> list[tuple[Stage, Outcome]]:
    return [(report.stage, report.outcome) for report in reports]


def pointer(platform: Platform) -> tuple[CertificationStatus, int | None]:
    found = platform.catalog.certifications.get(ORDERS)
    assert found is not None
    return found.status, found.version


def test_a_day_that_failed_on_warn_reaches_gold_and_no_later_version_is_certified_before_it_passes(
    estate: Estate,
) -> None:
    declare_orders(estate, ENOUGH, enforcement="WARN")
    orders(estate, "1,1.00,a", "2,2.00,b", day=DAY)
    assert outcomes(estate.run("orders", DAY))[-1] == (Stage.CERTIFIED, Outcome.PASSED)
    orders(estate, "3,3.00,c", day=NEXT_DAY)
    platform = estate.platform()
    seen = pointer(platform)

    failed = estate.run("orders", NEXT_DAY, platform)

    assert outcomes(failed) == [
        (Stage.BRONZE, Outcome.PASSED),
        (Stage.SILVER, Outcome.FAILED),
        (Stage.GOLD, Outcome.PASSED),
        (Stage.CERTIFIED, Outcome.FAILED),
    ]
    assert failed[1].verdicts[-1].signatures == ("ROW_COUNT:1<2",)
    assert failed[2].metadata[FAILED_BEFORE] == [f"silver in {failed[1].run_id}: ROW_COUNT:1<2"]
    assert failed[3].verdicts[0].signatures == ("NOT_PASSED:silver",)
    assert ids_at(estate, Stage.GOLD, NEXT_DAY) == [3]
    assert pointer(platform) == (CertificationStatus.HELD_AT_PREVIOUS, seen[1])

    another = estate.run("orders", DAY, platform)  # a good day: its version has the rows of the failed one too

    assert outcomes(another)[-2:] == [(Stage.GOLD, Outcome.PASSED), (Stage.CERTIFIED, Outcome.FAILED)]
    assert f"{NEXT_DAY} has rows of silver" in another[-1].verdicts[0].reason
    assert [row["id"] for row in estate.certified_rows("orders")] == [1, 2]

    declare_orders(estate, ENOUGH)  # back to HARD_FAIL: nothing may build on what failed
    dataset = platform.policies.dataset("orders")
    with pytest.raises(
        UsageError, match=r"failed in .* under WARN, which held nothing; .* is HARD_FAIL now: run silver"
    ):
        driver.run_stage(platform, dataset, Stage.GOLD, NEXT_DAY, "run_20250107_g")
    certified = driver.run_stage(platform, dataset, Stage.CERTIFIED, NEXT_DAY, "run_20250107_c")
    assert (certified.outcome, pointer(platform)[1]) == (Outcome.FAILED, seen[1])
    assert outcomes(estate.run("orders", NEXT_DAY, platform))[-1] == (Stage.SILVER, Outcome.FAILED)
    assert outcomes(estate.run("orders", DAY, platform))[-1] == (Stage.CERTIFIED, Outcome.FAILED)

    orders(estate, "3,3.00,c", "4,4.00,d", day=NEXT_DAY)
    passed = estate.run("orders", NEXT_DAY, platform)

    assert outcomes(passed)[-1] == (Stage.CERTIFIED, Outcome.PASSED)
    assert [row["id"] for row in estate.certified_rows("orders")] == [1, 2, 3, 4]
    platform.close()


def test_a_delivery_whose_columns_drifted_is_written_on_warn_as_its_policy_declares(estate: Estate) -> None:
    declare_orders(estate, enforcement="WARN")
    estate.deliver(f"orders/{DAY}", {"orders.csv": "id,amount,comment,extra\n1,1.00,a,x\n"})

    reports = estate.run("orders", DAY)

    assert outcomes(reports)[0] == (Stage.BRONZE, Outcome.FAILED)
    assert [report.proceeds for report in reports] == [True, True, True, False]
    assert estate.certified_rows("orders") == []
    assert ids_at(estate, Stage.GOLD, DAY) == [1]


ANN, BOB = Actor(name="ann", role="DATA_OWNER"), Actor(name="bob", role="DATA_STEWARD")


def approve(estate: Estate, platform: Platform, signature: str) -> int:
    """An approved waiver of DQ for the day, which counts for a day."""
    wanted = WaiverRequest(
        dataset_urn=ORDERS, gate=Gate.DQ, signature=signature, first=DAY, last=DAY, reason="a holiday",
        expires_at=estate.now + timedelta(days=1),
    )  # fmt: skip
    number = platform.catalog.waivers.request(wanted, by=ANN, now=estate.now).number
    return platform.catalog.waivers.approve(number, by=BOB, comment="", now=estate.now).number


def test_a_waived_day_is_certified_by_running_it_again_and_held_once_the_waiver_is_revoked(estate: Estate) -> None:
    declare_orders(estate, ENOUGH)
    orders(estate, "1,1.00,a", day=DAY)
    platform = estate.platform()
    dataset = platform.policies.dataset("orders")
    held = estate.run("orders", DAY, platform)
    assert outcomes(held)[-1] == (Stage.SILVER, Outcome.FAILED)
    number = approve(estate, platform, "ROW_COUNT:1<2")

    for stage in (Stage.BRONZE, Stage.SILVER, Stage.GOLD):
        reports = driver.run_stage(platform, dataset, stage, DAY, "run_20250107_w")
        assert reports.qualifies
    assert [use["number"] for use in reports.metadata[WAIVERS]] == [number]  # gold depends on silver's
    platform.catalog.waivers.revoke(number, by=BOB, comment="", now=estate.now)
    lapsed = driver.run_stage(platform, dataset, Stage.CERTIFIED, DAY, "run_20250107_x")

    assert (lapsed.outcome, lapsed.verdicts[0].signatures) == (Outcome.FAILED, ("WAIVER_REVOKED:DQ",))
    assert estate.certified_rows("orders") == []

    number = approve(estate, platform, "ROW_COUNT:1<2")
    waived = estate.run("orders", DAY, platform)

    assert outcomes(waived) == [
        (Stage.BRONZE, Outcome.PASSED),
        (Stage.SILVER, Outcome.WAIVED),
        (Stage.GOLD, Outcome.PASSED),
        (Stage.CERTIFIED, Outcome.PASSED),
    ]
    assert [row["id"] for row in estate.certified_rows("orders")] == [1]
    seen = platform.catalog.certifications.get(ORDERS)
    assert seen is not None
    assert [use["number"] for use in platform.catalog.runs.waivers(ORDERS, seen.version or 0)] == [number]
    failed = [item for item in platform.catalog.evidence.find(ORDERS) if item.run_id == waived[1].run_id]
    assert {(item.gate, item.result) for item in failed if item.gate == "DQ"} == {("DQ", "FAIL")}

    estate.now += timedelta(days=2)  # the waiver has expired: what was certified stays, the next judgement holds
    assert outcomes(estate.run("orders", DAY, platform))[-1] == (Stage.SILVER, Outcome.FAILED)
    assert pointer(platform) == (CertificationStatus.HELD_AT_PREVIOUS, seen.version)
    platform.close()
