"""A derived dataset starts when a certified view that it reads has advanced: for that day, in one run, and not before.

Of several inputs of a day, each certification asks again; nothing is requested while one of them has never been
certified for the day. What has no days wakes the latest day only.
"""

import dagster as dg
import pytest

from data_platform.model.partition_key import PartitionKey
from data_platform.orchestration.location import build
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.orchestration.shop import DERIVED, NEXT, TOTAL_STAGES, Automation, derived

CUSTOMERS = "shop/customers"
ORDERS = "shop/orders"


def made(table: str, *days: PartitionKey) -> dict[str, list[str]]:
    """A request for every stage of what is derived, of these days or, without one, as a whole."""
    return {f"report/{table}{suffix}": [str(day) for day in days] for suffix in DERIVED}


@pytest.fixture
def automation(declared: Estate, instance: dg.DagsterInstance) -> Automation:
    """The customers are certified, and nothing else."""
    started = Automation(declared, instance)
    started.report(CUSTOMERS, day=None)
    return started


def test_nothing_is_requested_by_itself(declared: Estate, instance: dg.DagsterInstance) -> None:
    automation = Automation(declared, instance)

    assert automation.tick() == {}


def test_a_write_triggers_nothing(automation: Automation) -> None:
    automation.report("shop/orders__bronze", "shop/orders__silver", "shop/orders__gold", day=NEXT)

    assert automation.tick() == {}
    assert automation.tick() == {}


def test_a_certification_triggers_the_derived_dataset_once(automation: Automation) -> None:
    automation.report(ORDERS, day=NEXT)

    assert automation.tick() == made("totals", NEXT)
    assert automation.tick() == {}


def test_a_day_that_is_certified_late_triggers_that_day(automation: Automation) -> None:
    automation.report(ORDERS, day=DAY)

    assert automation.tick() == made("totals", DAY)
    assert automation.tick() == {}


def test_a_day_that_is_certified_again_is_made_again(automation: Automation) -> None:
    automation.report(ORDERS, day=DAY)
    automation.tick()
    automation.report(*TOTAL_STAGES, day=DAY)
    automation.tick()

    automation.report(ORDERS, day=DAY)

    assert automation.tick() == made("totals", DAY)


def test_a_manual_run_of_a_stage_is_followed_by_the_stages_that_depend_on_it(automation: Automation) -> None:
    automation.report("report/totals__silver", day=DAY)

    assert automation.tick() == {name: [str(DAY)] for name in TOTAL_STAGES[1:]}
    assert automation.tick() == {}


def test_a_red_check_of_one_day_is_no_matter_of_another(automation: Automation) -> None:
    automation.report("report/totals__silver", day=NEXT, passed=False)
    automation.tick()

    automation.report("report/totals__silver", day=DAY)

    assert automation.tick() == {name: [str(DAY)] for name in TOTAL_STAGES[1:]}


def test_a_held_stage_does_not_trigger_the_next(automation: Automation) -> None:
    automation.report(ORDERS, day=DAY)
    automation.tick()

    automation.report("report/totals__silver", day=DAY, passed=False)

    assert automation.tick() == {}
    assert automation.tick() == {}


def test_a_failed_certification_triggers_nothing(automation: Automation) -> None:
    automation.report(ORDERS, day=NEXT, passed=False)

    assert automation.tick() == {}
    assert automation.tick() == {}


def test_inputs_of_one_day_are_waited_for(declared: Estate, instance: dg.DagsterInstance) -> None:
    read = ["ds://shop/orders", "ds://shop/refunds"]
    derived(declared, "net", read, "SELECT customer FROM orders JOIN refunds USING (id)")
    automation = Automation(declared, instance)

    automation.report("shop/refunds", day=DAY)
    first = automation.tick()
    automation.report(ORDERS, day=NEXT)  # another day is no help
    other_day = automation.tick()
    automation.report(ORDERS, day=DAY)
    both = automation.tick()
    automation.tick()  # where Dagster takes note of its own request, and of nothing else
    automation.report("shop/refunds", day=DAY)
    again = automation.tick()

    assert (first, other_day) == ({}, {})
    assert both == again == made("net", DAY)


def test_inputs_that_advance_together_are_one_request(declared: Estate, instance: dg.DagsterInstance) -> None:
    read = ["ds://shop/orders", "ds://shop/refunds"]
    derived(declared, "net", read, "SELECT customer FROM orders JOIN refunds USING (id)")
    automation = Automation(declared, instance)

    automation.report(ORDERS, "shop/refunds", day=DAY)

    assert automation.tick() == made("net", DAY)
    assert automation.tick() == {}


def test_an_input_without_days_is_waited_for(declared: Estate, instance: dg.DagsterInstance) -> None:
    automation = Automation(declared, instance)

    automation.report(ORDERS, day=NEXT)
    without_customers = automation.tick()
    automation.report(CUSTOMERS, day=None)

    assert without_customers == {}
    assert automation.tick() == made("totals", NEXT)


def test_an_input_without_days_triggers_only_the_latest_day(automation: Automation) -> None:
    automation.report(ORDERS, day=DAY)
    automation.report(ORDERS, day=NEXT)
    requested = automation.tick()
    automation.tick()  # where Dagster takes note of its own request, and of nothing else

    automation.report(CUSTOMERS, day=None)

    assert requested == made("totals", DAY, NEXT)
    assert automation.tick() == made("totals", NEXT)


def test_any_day_of_an_input_triggers_a_dataset_without_days(declared: Estate, instance: dg.DagsterInstance) -> None:
    derived(declared, "buyers", ["ds://shop/orders"], "SELECT DISTINCT customer FROM orders", partition=None)
    automation = Automation(declared, instance)

    automation.report(ORDERS, day=DAY)

    assert automation.tick() == made("buyers")
    assert automation.tick() == {}


def test_a_day_of_another_time_zone_triggers_the_day_of_the_same_date(
    declared: Estate, instance: dg.DagsterInstance
) -> None:
    partition = {"key": "day", "start": DAY.value, "time_zone": "Asia/Tokyo"}
    derived(declared, "abroad", ["ds://shop/orders"], "SELECT customer FROM orders", partition=partition)
    automation = Automation(declared, instance)

    automation.report(ORDERS, day=NEXT)

    assert automation.tick() == made("abroad", NEXT)


def test_a_dataset_that_is_declared_later_does_not_make_all_of_the_past(
    automation: Automation, declared: Estate
) -> None:
    automation.report(ORDERS, day=DAY)
    automation.tick()
    derived(declared, "new", ["ds://shop/orders"], "SELECT customer FROM orders")

    automation.definitions = build(declared.settings)

    assert automation.tick() == {}
    automation.report(ORDERS, day=NEXT)
    assert automation.tick() == {**made("new", NEXT), **made("totals", NEXT)}


def test_a_dataset_with_its_own_schedule_is_not_triggered(declared: Estate, instance: dg.DagsterInstance) -> None:
    derived(declared, "nightly", ["ds://shop/orders"], "SELECT customer FROM orders", trigger="PROCESS")
    automation = Automation(declared, instance)

    automation.report(ORDERS, day=NEXT)

    assert automation.tick() == {}


def test_the_sensor_of_automation_runs_unasked(declared: Estate) -> None:
    sensors = {sensor.name: sensor for sensor in build(declared.settings).sensors or ()}

    assert sensors["on_certification"].default_status is dg.DefaultSensorStatus.RUNNING
