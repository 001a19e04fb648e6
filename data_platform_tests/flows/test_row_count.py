"""The days before judge a day's row count: a warning that holds nothing."""

from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.run import RowCounts, StageReport
from data_platform.model.verdict import Gate, Outcome
from data_platform_tests.flows.estate import DAY, Estate, declare_orders, orders
from data_platform_tests.verdicts import all_gates

ORDERS = "ds://sales/orders"


def test_a_day_with_few_rows_is_reported_and_certified(estate: Estate) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,first", "2,1.00,second")
    with_history(estate, rows=100)

    silver, gold = estate.run("orders")[1:3]

    [dq] = [verdict for verdict in silver.verdicts if verdict.gate is Gate.DQ]
    assert (dq.outcome, gold.passed) == (Outcome.PASSED, True)
    assert "VOLUME_ANOMALY" in dq.signatures
    assert dq.metadata["volume"] == {
        "rule": "rolling", "expected": 100, "low": 60, "high": 140, "deliveries": 7, "monitorable": True,
    }  # fmt: skip
    [found] = [result for result in dq.results if result.signature == "VOLUME_ANOMALY"]
    assert found.reason == "2 rows, 98 % fewer than the 100 expected by the 7 deliveries before; usual are 60 to 140"


def with_history(estate: Estate, *, rows: int) -> None:
    """Records a run of gold with so many rows for each of the seven days before."""
    platform = estate.platform()
    for back in range(7, 0, -1):
        day = DAY.shifted(-back)
        platform.catalog.runs.record(
            StageReport(
                dataset=DatasetId.parse(ORDERS), stage=Stage.GOLD, partition=day, run_id=f"run_{day}", path="gold",
                version=None, rows=RowCounts(read=rows, accepted=rows), verdicts=all_gates(Stage.GOLD),
                started_at=estate.now, finished_at=estate.now,
            ),
            [],
        )  # fmt: skip
    platform.close()
