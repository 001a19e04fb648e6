"""A reported delivery starts its dataset: every stage of that day, in one run, and again with the next.

Only of datasets whose deliveries are an asset, ``landing/<table>``: of any other nobody tells.
"""

import dagster as dg
import pytest

from data_platform.model.partition_key import PartitionKey
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.orchestration.shop import (
    CUSTOMER_STAGES,
    NEXT,
    NOON_AFTER,
    ORDER_STAGES,
    Automation,
    columns,
    derived,
    landed,
    specs,
)
from data_platform_tests.orchestration.test_legacy import declare

LANDING = "shop/orders__landing"
CUSTOMERS = "shop/customers"
TOMORROW = NEXT.next


def whole(*days: PartitionKey) -> dict[str, list[str]]:
    """A request for all stages of orders."""
    return {name: [str(day) for day in days] for name in ORDER_STAGES}


@pytest.fixture
def automation(declared: Estate, instance: dg.DagsterInstance) -> Automation:
    """A legacy job delivers orders; the customers that they refer to are certified."""
    declare(declared, {"job": "TILL", "outputs": ["ds://shop/orders"]})
    started = Automation(declared, instance)
    started.report(CUSTOMERS, day=None)
    assert started.tick() == {}
    return started


def test_a_delivery_starts_every_stage_of_its_day_in_one_tick(automation: Automation) -> None:
    automation.report(LANDING, day=DAY)

    assert automation.tick() == whole(DAY)
    assert automation.tick() == {}


def test_deliveries_of_several_days_are_a_request_each_day(automation: Automation) -> None:
    automation.report(LANDING, day=DAY)
    automation.report(LANDING, day=NEXT)

    assert automation.tick() == whole(DAY, NEXT)


def test_a_day_that_is_delivered_again_is_made_again(automation: Automation) -> None:
    automation.report(LANDING, day=DAY)
    automation.tick()
    automation.report(*ORDER_STAGES, day=DAY)
    once_it_is_made = automation.tick()

    automation.report(LANDING, day=DAY)

    assert set(once_it_is_made).isdisjoint(ORDER_STAGES)
    assert automation.tick() == whole(DAY)
    assert automation.tick() == {}


@pytest.mark.parametrize("made", [(), ORDER_STAGES[:1]], ids=["before bronze is made", "while it is made"])
def test_a_delivery_that_comes_while_the_one_before_is_taken_is_not_lost(
    automation: Automation, made: tuple[str, ...]
) -> None:
    automation.report(LANDING, day=DAY)
    first = automation.tick()

    automation.report(LANDING, *made, day=DAY)
    second = automation.tick()

    assert first == second == whole(DAY)
    assert automation.tick() == {}


@pytest.mark.parametrize("held", range(3), ids=ORDER_STAGES[:3])
def test_a_day_that_was_held_waits_for_its_next_delivery(automation: Automation, held: int) -> None:
    automation.report(LANDING, day=DAY)
    automation.tick()
    automation.report(*ORDER_STAGES[:held], day=DAY)
    automation.report(ORDER_STAGES[held], day=DAY, passed=False)
    after_it_was_held = [automation.tick(), automation.tick()]

    automation.report(LANDING, day=DAY)

    assert after_it_was_held == [{}, {}]
    assert automation.tick() == whole(DAY)


def test_a_new_certification_of_a_reference_starts_nothing(automation: Automation) -> None:
    automation.report(LANDING, day=NEXT)
    automation.tick()
    automation.report(*ORDER_STAGES, day=NEXT)
    automation.tick()

    automation.report(CUSTOMERS, day=None)

    assert set(automation.tick()).isdisjoint(ORDER_STAGES)
    assert automation.tick() == {}


def test_a_red_reference_holds_nothing(automation: Automation) -> None:
    automation.report(CUSTOMERS, day=None, passed=False)
    automation.tick()

    automation.report(LANDING, day=DAY)

    assert automation.tick() == whole(DAY)


def test_gold_waits_for_a_reference_that_was_never_certified(declared: Estate, instance: dg.DagsterInstance) -> None:
    declare(declared, {"job": "TILL", "outputs": ["ds://shop/orders"]})
    automation = Automation(declared, instance)

    automation.report(LANDING, day=DAY)
    at_first = automation.tick()
    automation.report(*ORDER_STAGES[:2], day=DAY)
    assert automation.tick() == {}
    automation.report(CUSTOMERS, day=None)

    assert at_first == {name: [str(DAY)] for name in ORDER_STAGES[:2]}
    assert automation.tick() == {name: [str(DAY)] for name in ORDER_STAGES[2:]}


def test_a_reference_by_day_need_not_have_the_same_day(declared: Estate, instance: dg.DagsterInstance) -> None:
    refers = {"references": [{"fields": ["id"], "dataset": "ds://shop/refunds"}]}
    landed(declared, "returns", {"schema": columns(id="INT"), "contract": refers})
    declare(declared, {"job": "TILL", "outputs": ["ds://shop/returns"]})
    automation = Automation(declared, instance)

    automation.report("shop/returns__landing", day=DAY)

    assert automation.tick() == {name.replace("orders", "returns"): days for name, days in whole(DAY).items()}


def test_a_dataset_without_days_is_started_as_a_whole(declared: Estate, instance: dg.DagsterInstance) -> None:
    declare(declared, {"job": "REGISTRY", "outputs": ["ds://shop/customers"]})
    automation = Automation(declared, instance)

    automation.report("shop/customers__landing", day=None)

    assert automation.tick() == {name.replace("orders", "customers"): [] for name in ORDER_STAGES}
    assert automation.tick() == {}


def test_a_day_that_is_delivered_before_it_is_over_starts_when_it_is(automation: Automation) -> None:
    automation.report(LANDING, day=TOMORROW)
    too_early = [automation.tick(), automation.tick()]

    automation.now = NOON_AFTER.replace(day=9)

    assert too_early == [{}, {}]
    assert automation.tick() == whole(TOMORROW)
    assert automation.tick() == {}


def test_deliveries_before_automation_began_start_nothing(declared: Estate, instance: dg.DagsterInstance) -> None:
    declare(declared, {"job": "TILL", "outputs": ["ds://shop/orders"]})
    early = Automation(declared, instance)
    early.report(LANDING, day=DAY)

    assert Automation(declared, instance).tick() == {}


def test_a_manual_run_of_a_stage_is_followed_by_the_stages_that_depend_on_it(automation: Automation) -> None:
    automation.report("shop/orders__silver", day=DAY)

    assert automation.tick() == {name: [str(DAY)] for name in ORDER_STAGES[2:]}


def test_what_is_derived_follows_the_certification_and_not_the_delivery(automation: Automation) -> None:
    automation.report(LANDING, day=DAY)
    automation.tick()

    automation.report(*ORDER_STAGES, day=DAY)

    assert set(automation.tick()) == {"report/totals__silver", "report/totals__gold", "report/totals"}


def test_what_is_derived_waits_for_an_input_that_is_being_made_again(
    declared: Estate, instance: dg.DagsterInstance
) -> None:
    read = ["ds://shop/orders", "ds://shop/refunds"]
    derived(declared, "net", read, "SELECT customer FROM orders JOIN refunds USING (id)")
    declare(declared, {"job": "TILL", "outputs": ["ds://shop/orders"]})
    automation = Automation(declared, instance)
    automation.report(CUSTOMERS, day=None)
    automation.report("shop/refunds", *ORDER_STAGES, day=DAY)
    automation.tick()

    automation.report("shop/refunds", LANDING, day=DAY)
    together = automation.tick()
    automation.report(*ORDER_STAGES, day=DAY)

    assert together == whole(DAY)
    assert "report/net__silver" in automation.tick()


def test_an_unreported_delivery_starts_nothing(declared: Estate) -> None:
    declare(declared, {"job": "TILL", "outputs": ["ds://shop/orders"]})

    found = specs(declared)

    assert {found[name].metadata["started_by"] for name in ORDER_STAGES} == {"the delivery of shop/orders__landing"}
    assert {found[name].metadata["started_by"] for name in CUSTOMER_STAGES} == {"people"}
    assert "started_by" not in found[LANDING].metadata
