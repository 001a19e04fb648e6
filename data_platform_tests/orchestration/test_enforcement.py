"""A mode that does not hold, through Dagster: gold is materialized, the certified asset is not, and the mode shows."""

from pathlib import Path

import dagster as dg
import pytest
from pyspark.sql import SparkSession

from data_platform.model.certification import CertificationStatus
from data_platform.model.dataset import Stage
from data_platform_tests.flows.estate import DAY, Estate, declare_orders, ids_at, orders
from data_platform_tests.flows.estate import ORDERS as URN
from data_platform_tests.orchestration.shop import check_outcomes, key, materialized_days, run

STAGES = ("sales/orders__bronze", "sales/orders__silver", "sales/orders__gold", "sales/orders")


@pytest.fixture
def estate(tmp_path: Path, spark: SparkSession) -> Estate:
    return Estate(tmp_path, spark)


@pytest.mark.parametrize(("mode", "succeeds"), [("WARN", True), ("SOFT_FAIL", False)])
def test_a_failed_gate_that_does_not_hold_lets_gold_move_and_nothing_else(
    estate: Estate, instance: dg.DagsterInstance, mode: str, succeeds: bool
) -> None:
    """In production SOFT_FAIL ends the run as failed, so that alerts on failed runs report it."""
    declare_orders(estate, {"dq": {"min_rows": 2}}, enforcement=mode)
    orders(estate, "1,1.00,a")

    result = run(estate, instance, *STAGES)

    assert result.success is succeeds
    assert [str(DAY) in materialized_days(instance, name) for name in STAGES] == [True, True, True, False]
    assert ids_at(estate, Stage.GOLD, DAY) == [1]
    assert estate.certified_rows("orders") == []
    assert check_outcomes(result, "sales/orders__silver")["DQ"] is False
    assert check_outcomes(result, "sales/orders") == {"CERTIFICATION": False}
    [failed] = [c for c in result.get_asset_check_evaluations() if c.check_name == "DQ" and not c.passed]
    assert failed.metadata["enforcement"].value == mode
    [silver] = [e for e in result.get_asset_materialization_events() if e.asset_key == key(STAGES[1])]
    assert silver.materialization.metadata["enforcement"].value == mode
    platform = estate.platform()
    pointer = platform.catalog.certifications.get(URN)
    stored = platform.catalog.evidence.find(URN, gate="DQ", result="FAIL")
    platform.close()
    assert pointer is not None
    assert (pointer.status, pointer.version) == (CertificationStatus.UNCERTIFIED, None)
    assert [item.enforcement for item in stored] == [mode]
