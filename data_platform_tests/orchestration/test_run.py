"""Stages run through Dagster: what it shows of a good day, of a held one, and of one that never came."""

import dagster as dg
import pytest

from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.orchestration.shop import (
    NEXT,
    ORDER_STAGES,
    TOTAL_STAGES,
    check_outcomes,
    deliver_day,
    derived,
    key,
    materialized_days,
    run,
)

CUSTOMER_STAGES = tuple(name.replace("orders", "customers") for name in ORDER_STAGES)


def metadata(result: dg.ExecuteInProcessResult, name: str) -> dict[str, dg.MetadataValue]:
    [event] = [e for e in result.get_asset_materialization_events() if e.asset_key == key(name)]
    return dict(event.materialization.metadata)


def failure(result: dg.ExecuteInProcessResult) -> str:
    """The innermost error of the one step that failed."""
    [event] = result.get_step_failure_events()
    error = event.step_failure_data.error
    while error.cause is not None:
        error = error.cause
    return error.message


@pytest.fixture
def with_customers(shop: Estate, instance: dg.DagsterInstance) -> Estate:
    deliver_day(shop, "1,ann,10.50", "2,bob,3", "3,ann,-1")
    assert run(shop, instance, *CUSTOMER_STAGES, day=None).success
    return shop


def test_a_good_day_is_green_from_delivery_to_what_is_derived(
    with_customers: Estate, instance: dg.DagsterInstance
) -> None:
    result = run(with_customers, instance, *ORDER_STAGES, *TOTAL_STAGES)

    assert result.success
    assert all(check.passed for check in result.get_asset_check_evaluations())
    assert len(result.get_asset_check_evaluations()) == 10 + 8
    for name in (*ORDER_STAGES, *TOTAL_STAGES):
        assert materialized_days(instance, name) == {DAY.isoformat()}
    assert [row["orders"] for row in with_customers.certified_rows("totals")] == [1, 1]

    silver = metadata(result, "silver/orders")
    assert [silver[n].value for n in ("rows_read", "dagster/partition_row_count", "rows_quarantined")] == [3, 2, 1]
    assert silver["quarantine_table"].value.startswith("quarantine.orders_")
    assert silver["outcome"].value == "PASSED"
    assert silver["run_id"].value.endswith(result.run_id.replace("-", "")[:12])
    certified = metadata(result, "gold_certified/orders")
    gold = metadata(result, "gold/orders")
    assert certified["delta_version"] == gold["delta_version"]
    assert certified["dagster/partition_row_count"].value == 2
    assert [column.name for column in gold["dagster/column_schema"].schema.columns] == [
        "id",
        "customer",
        "amount",
        "day",
    ]

    total = metadata(result, "silver/totals")
    lineage = total["dagster/column_lineage"].value.deps_by_column
    assert lineage["customer"] == [dg.TableColumnDep(key("gold_certified/orders"), "customer")]
    assert lineage["orders"] == [dg.TableColumnDep(key("gold_certified/orders"), "id")]
    assert total["input_versions"].value["ds://shop/orders"] == certified["delta_version"].value
    assert "One row a customer." in total["steps"].value
    before = metadata(result, "gold/totals")["dagster/column_lineage"].value.deps_by_column
    assert before["orders"] == [dg.TableColumnDep(key("silver/totals"), "orders")]


def test_a_dataset_without_days_shows_its_whole_row_count(shop: Estate, instance: dg.DagsterInstance) -> None:
    deliver_day(shop)

    result = run(shop, instance, *CUSTOMER_STAGES, day=None)

    shown = metadata(result, "gold_certified/customers")
    assert shown["dagster/row_count"].value == 2
    assert "dagster/partition_row_count" not in shown
    assert materialized_days(instance, "gold_certified/customers") == {None}


def test_a_held_candidate_is_red_and_what_was_certified_stays(
    with_customers: Estate, instance: dg.DagsterInstance
) -> None:
    assert run(with_customers, instance, *ORDER_STAGES).success
    before = with_customers.certified_rows("orders")
    deliver_day(with_customers, "7,ann,1", "7,bob,2", day=NEXT)

    result = run(with_customers, instance, *ORDER_STAGES, *TOTAL_STAGES, day=NEXT)

    assert not result.success
    assert check_outcomes(result, "gold/orders") == {"G3_SCHEMA": True, "G4_CONTRACT": False, "G5_PII": True}
    assert check_outcomes(result, "gold_certified/orders") == {}
    assert metadata(result, "gold/orders")["outcome"].value == "FAILED"
    assert materialized_days(instance, "gold_certified/orders") == {DAY.isoformat()}
    assert materialized_days(instance, "silver/totals") == set()  # what stands on it has not run
    assert with_customers.certified_rows("orders") == before
    [broken] = [c for c in result.get_asset_check_evaluations() if not c.passed]
    assert [r.data["signature"] for r in broken.metadata["violations"].records] == ["NOT_UNIQUE:id"]

    again = run(with_customers, instance, "gold_certified/orders", day=NEXT)

    assert not again.success  # nor can it be certified by hand
    assert "gold of ds://shop/orders 2025-01-07 was held" in failure(again)
    assert materialized_days(instance, "gold_certified/orders") == {DAY.isoformat()}


def test_a_reference_that_is_not_certified_holds_gold(shop: Estate, instance: dg.DagsterInstance) -> None:
    deliver_day(shop, "1,ann,10.50")

    result = run(shop, instance, *ORDER_STAGES)

    assert check_outcomes(result, "gold/orders")["G4_CONTRACT"] is False
    assert materialized_days(instance, "gold_certified/orders") == set()


def test_a_delivery_that_is_not_there_is_a_red_first_gate(shop: Estate, instance: dg.DagsterInstance) -> None:
    result = run(shop, instance, *ORDER_STAGES)

    assert not result.success
    outcomes = check_outcomes(result, "bronze/orders")
    assert outcomes["G1_RESOLUTION"] is False
    assert set(outcomes) == {"G1_RESOLUTION", "G2_IDENTITY", "G3_SCHEMA"}
    assert materialized_days(instance, "silver/orders") == set()


def test_an_input_without_the_day_fails_and_says_what_to_run(
    with_customers: Estate, instance: dg.DagsterInstance
) -> None:
    assert run(with_customers, instance, *ORDER_STAGES).success

    result = run(with_customers, instance, *TOTAL_STAGES, day=NEXT)

    assert not result.success
    assert "needs ds://shop/orders of that day, never certified so far: run it first" in failure(result)
    assert all(materialized_days(instance, name) == set() for name in TOTAL_STAGES)


def test_a_day_before_the_inputs_first_fails_the_same_way(
    with_customers: Estate, instance: dg.DagsterInstance
) -> None:
    partition = {"key": "day", "start": DAY.replace(year=2024), "time_zone": "Asia/Tokyo"}
    derived(with_customers, "older", ["ds://shop/orders"], "SELECT customer FROM orders", partition=partition)
    assert run(with_customers, instance, *ORDER_STAGES).success

    early = run(with_customers, instance, "silver/older", day=DAY.replace(year=2024))
    fine = run(with_customers, instance, "silver/older")

    assert "never certified so far: run it first" in failure(early)
    assert fine.success
