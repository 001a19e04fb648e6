"""Stages run through Dagster: what it shows of a good day, of a held one, and of one that never came."""

import dagster as dg

from data_platform.model.partition_key import PartitionKey
from data_platform.orchestration.location import build
from data_platform_tests.flows.estate import DAY, Estate, a_day
from data_platform_tests.orchestration.shop import (
    DERIVED,
    NEXT,
    ORDER_STAGES,
    QUIET,
    TOTAL_STAGES,
    OpenShop,
    check_outcomes,
    deliver_day,
    derived,
    key,
    materialized_days,
    run,
    specs,
)

NEVER_DELIVERED = a_day(2)


def metadata(result: dg.ExecuteInProcessResult, name: str) -> dict[str, dg.MetadataValue]:
    [event] = [e for e in result.get_asset_materialization_events() if e.asset_key == key(name)]
    return dict(event.materialization.metadata)


def days_of_asset(instance: dg.DagsterInstance, estate: Estate, name: str) -> dict[str, str]:
    """Day to whether it is materialized, failed or missing, as Dagster's UI shows it."""
    days = specs(estate)[name].partitions_def
    return {
        day: status.name if status else "MISSING"
        for day, status in instance.get_status_by_partition(key(name), days.get_partition_keys(), days).items()
    }


def failure(result: dg.ExecuteInProcessResult) -> str:
    """The innermost error of the one step that failed."""
    [event] = result.get_step_failure_events()
    error = event.step_failure_data.error
    while error.cause is not None:
        error = error.cause
    return error.message


def test_a_good_day_is_green_from_delivery_to_what_is_derived(open_shop: OpenShop) -> None:
    result = open_shop.good_day

    found = result.get_asset_check_evaluations()
    assert result.success
    assert len(found) == 10 + 8
    assert all(check.passed and check.blocking for check in found)
    for name in (*ORDER_STAGES, *TOTAL_STAGES):
        assert str(DAY) in materialized_days(open_shop.instance, name)
    rows = open_shop.estate.certified_rows("totals")
    assert [(row["customer"], row["orders"]) for row in rows] == [("ann", 1), ("bob", 1)]


def test_a_materialization_shows_rows_versions_and_quarantine(open_shop: OpenShop) -> None:
    silver = metadata(open_shop.good_day, "shop/orders__silver")
    gold = metadata(open_shop.good_day, "shop/orders__gold")
    certified = metadata(open_shop.good_day, "shop/orders")

    assert [silver[n].value for n in ("rows_read", "dagster/partition_row_count", "rows_quarantined")] == [3, 2, 1]
    assert silver["quarantine_table"].value.startswith("quarantine.shop__orders_")
    assert silver["outcome"].value == "passed"
    assert silver["run_id"].value.endswith(open_shop.good_day.run_id.replace("-", "")[:12])
    assert certified["delta_version"] == gold["delta_version"]
    assert [certified[n].value for n in ("dagster/partition_row_count", "dagster/row_count")] == [2, 2]
    shown = gold["dagster/column_schema"].schema.columns
    assert [column.name for column in shown] == ["id", "customer", "amount", "day"]


def test_a_materialization_shows_where_columns_come_from(open_shop: OpenShop) -> None:
    silver = metadata(open_shop.good_day, "report/totals__silver")
    gold = metadata(open_shop.good_day, "report/totals__gold")
    certified = metadata(open_shop.good_day, "shop/orders")

    lineage = silver["dagster/column_lineage"].value.deps_by_column
    assert lineage["customer"] == [dg.TableColumnDep(key("shop/orders"), "customer")]
    assert lineage["orders"] == [dg.TableColumnDep(key("shop/orders"), "id")]
    before = gold["dagster/column_lineage"].value.deps_by_column
    assert before["orders"] == [dg.TableColumnDep(key("report/totals__silver"), "orders")]
    assert silver["input_versions"].value["ds://shop/orders"] == certified["delta_version"].value
    assert "One row a customer." in silver["steps"].value
    assert "| `orders` | [shop/orders](/assets/shop/orders) `id` |" in silver["column_lineage"].value


def test_a_dataset_without_days_shows_its_whole_row_count(open_shop: OpenShop) -> None:
    shown = metadata(open_shop.customers, "shop/customers")

    assert shown["dagster/row_count"].value == 2
    assert "dagster/partition_row_count" not in shown
    assert materialized_days(open_shop.instance, "shop/customers") == {None}


def test_a_held_candidate_is_red_and_what_was_certified_stays(open_shop: OpenShop) -> None:
    estate, instance = open_shop.estate, open_shop.instance
    before = estate.certified_rows("orders")
    deliver_day(estate, "7,ann,1", "7,bob,2", day=NEXT)

    result = run(estate, instance, *ORDER_STAGES, *TOTAL_STAGES, day=NEXT)

    assert not result.success
    assert check_outcomes(result, "shop/orders__gold") == {"G3_SCHEMA": True, "G4_CONTRACT": False, "G5_PII": True}
    assert check_outcomes(result, "shop/orders") == {}
    assert "gold of ds://shop/orders 2025-01-07 was held\nG4_CONTRACT: NOT_UNIQUE:id: 1 row: " in failure(result)
    assert "2 rows involved, 1 surplus" in failure(result)
    assert str(NEXT) not in materialized_days(instance, "shop/orders__gold")
    assert days_of_asset(instance, estate, "shop/orders__gold")[str(NEXT)] == "FAILED"
    [seen] = instance.fetch_observations(key("shop/orders__gold"), limit=1).records
    assert (seen.partition_key, seen.asset_observation.metadata["outcome"].value) == (str(NEXT), "failed")
    assert materialized_days(instance, "shop/orders") == {str(DAY)}
    assert str(NEXT) not in materialized_days(instance, "report/totals__silver")  # what stands on it has not run
    assert estate.certified_rows("orders") == before
    [broken] = [c for c in result.get_asset_check_evaluations() if not c.passed]
    assert [r.data["signature"] for r in broken.metadata["violations"].records] == ["NOT_UNIQUE:id"]

    by_hand = run(estate, instance, "shop/orders", day=NEXT)

    assert not by_hand.success
    assert "gold of ds://shop/orders 2025-01-07 was held" in failure(by_hand)
    assert materialized_days(instance, "shop/orders") == {str(DAY)}


def test_a_delivery_that_is_not_there_is_a_red_first_gate(open_shop: OpenShop) -> None:
    result = run(open_shop.estate, open_shop.instance, *ORDER_STAGES, day=NEVER_DELIVERED)

    assert not result.success
    outcomes = check_outcomes(result, "shop/orders__bronze")
    assert outcomes["G1_RESOLUTION"] is False
    assert set(outcomes) == {"G1_RESOLUTION", "G2_IDENTITY", "G3_SCHEMA"}
    for name in ORDER_STAGES:
        assert str(NEVER_DELIVERED) not in materialized_days(open_shop.instance, name)


def test_a_red_day_stays_red_after_a_good_one_and_holds_no_other(open_shop: OpenShop) -> None:
    estate, instance = open_shop.estate, open_shop.instance
    red, good = a_day(3), a_day(4)
    deliver_day(estate, "5,ann,1", day=good)

    first = run(estate, instance, "shop/orders__bronze", day=red)
    second = run(estate, instance, "shop/orders__bronze", day=good)

    assert (first.success, second.success) == (False, True)
    found = days_of_asset(instance, estate, "shop/orders__bronze")
    assert found[str(red)] == "FAILED"
    assert [found[str(day)] for day in (DAY, good)] == ["MATERIALIZED"] * 2
    [latest] = instance.event_log_storage.get_asset_check_execution_history(
        dg.AssetCheckKey(key("shop/orders__bronze"), "G1_RESOLUTION"), limit=1
    )
    assert latest.status.name == "SUCCEEDED"  # what the list of checks shows


def test_the_job_of_a_schedule_makes_every_stage_of_a_day(open_shop: OpenShop) -> None:
    estate, instance = open_shop.estate, open_shop.instance
    derived(
        estate,
        "nightly",
        ["ds://shop/orders"],
        "SELECT customer FROM orders",
        trigger="PROCESS",
        schedule="02:00 ET daily",
    )
    job = build(estate.settings, session=estate.spark).resolve_job_def("make_nightly")

    result = job.execute_in_process(instance=instance, partition_key=str(DAY), run_config=QUIET, raise_on_error=False)

    assert result.success
    for suffix in DERIVED:
        assert materialized_days(instance, f"report/nightly{suffix}") == {str(DAY)}
    assert [row["customer"] for row in estate.certified_rows("nightly")] == ["ann", "bob"]


def test_an_input_without_the_day_is_an_error_that_names_what_to_run(open_shop: OpenShop) -> None:
    result = run(open_shop.estate, open_shop.instance, *TOTAL_STAGES, day=NEVER_DELIVERED)

    assert not result.success
    assert "needs ds://shop/orders of that day, never certified so far: run it first" in failure(result)
    for name in TOTAL_STAGES:
        assert str(NEVER_DELIVERED) not in materialized_days(open_shop.instance, name)


def test_a_day_before_the_first_of_an_input_is_the_same_error(open_shop: OpenShop) -> None:
    before = PartitionKey("2024-01-06")

    result = run(open_shop.estate, open_shop.instance, "report/abroad__silver", day=before)

    assert not result.success
    assert "needs ds://shop/orders of that day, never certified so far: run it first" in failure(result)
