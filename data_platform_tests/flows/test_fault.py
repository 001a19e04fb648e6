"""A failure in any stage fails closed: a clear error names the rule or the place, and consumers see nothing new."""

import traceback

import pytest

from data_platform.errors import ConflictError, ConservationError, EnvironmentProblem, PolicyError
from data_platform.gates.expression.split import Split
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import RowCounts, StageReport, new_run_id
from data_platform.model.verdict import Outcome
from data_platform.stage import driver
from data_platform_tests.flows.estate import (
    DAY,
    ORDERS,
    ORDERS_SOURCE,
    Estate,
    a_day,
    declare_orders,
    ids_at,
    orders,
    set_aside,
)

AMOUNTS = "ds://sales/amounts"
TOTAL = "ds://sales/total"
AMOUNTS_SOURCE = {"format": "csv", "path": "amounts", "producer": "shop"}
LARGEST = "9" * 38
WITH_MANIFEST = {**ORDERS_SOURCE, "manifest": "manifest.json"}


def run_bronze(estate: Estate, day: PartitionKey) -> StageReport:
    platform = estate.platform()
    try:
        dataset = platform.policies.dataset("orders")
        return driver.run_stage(platform, dataset, Stage.BRONZE, day, new_run_id(estate.now))
    finally:
        platform.close()


def test_a_sum_that_overflows_is_an_error_that_names_the_process(estate: Estate) -> None:  # C13
    column = {"field": "amount", "type": "DECIMAL(38,0)"}
    estate.declare(AMOUNTS, {"schema": {"constraints": [column]}}, source=AMOUNTS_SOURCE)
    estate.declare(TOTAL, {"schema": {"constraints": [column]}}, process="total")
    step = {"name": "summed", "sql": "SELECT sum(amount) AS amount FROM amounts"}
    estate.process("total", output=TOTAL, inputs=[{"dataset": AMOUNTS}], steps=[step])
    estate.deliver("amounts", {"amounts.csv": f"amount\n{LARGEST}\n{LARGEST}\n"})
    assert estate.run("amounts", None)[-1].stage is Stage.CERTIFIED

    with pytest.raises(
        PolicyError, match=r"process total: step summed: its rows cannot be computed \(\w+OVERFLOW\)"
    ) as e:
        estate.run("total", None)

    told = "".join(traceback.format_exception(e.value))
    assert "99999" not in told  # Spark's own text quotes the sum
    assert "Py4J" not in told
    assert estate.certified_rows("total") == []
    estate.deliver("amounts", {"amounts.csv": "amount\n1\n2\n"})
    estate.run("amounts", None)
    assert estate.run("total", None)[-1].stage is Stage.CERTIFIED
    assert [int(row["amount"]) for row in estate.certified_rows("total")] == [3]


@pytest.mark.parametrize(
    ("day", "totals", "lines", "signatures"),
    [
        pytest.param(9, {"amount": "13.50"}, ("1,10.50,a", "2,3.00,b"), (), id="as promised"),
        pytest.param(10, {"amount": "13.51"}, ("3,10.50,a", "4,3.00,b"), ("CONTROL_TOTAL:amount",), id="another sum"),
        pytest.param(11, {"weight": "1"}, ("1,10.50,a",), ("CONTROL_TOTAL:weight",), id="of an unknown column"),
        pytest.param(12, {"amount": "much"}, ("1,10.50,a",), ("CONTROL_TOTAL:amount",), id="that is no number"),
        pytest.param(13, {"amount": "1"}, (f"1,{LARGEST[:32]},a",) * 2, ("CONTROL_TOTAL:amount",), id="that overflows"),
    ],
)
def test_a_delivery_is_held_unless_its_control_totals_are_as_promised(
    certified: Estate, day: int, totals: dict[str, str], lines: tuple[str, ...], signatures: tuple[str, ...]
) -> None:
    declare_orders(certified, source=WITH_MANIFEST)
    orders(certified, *lines, day=a_day(day), files=[{"file": "orders.csv"}], producer="shop", control_totals=totals)

    report = run_bronze(certified, a_day(day))

    declare_orders(certified)
    assert report.verdicts[0].signatures == signatures
    assert report.passed is not bool(signatures)
    assert report.rows.quarantined == (len(lines) if signatures else 0)


def test_a_file_that_cannot_be_read_to_its_end_is_held_whole(certified: Estate) -> None:
    content = b"id,amount,note\n1,1.00,a\n2,1.00,\xff\n3,1.00,c\n"
    certified.deliver(f"orders/{a_day(14)}", {"orders.csv": content})

    report = run_bronze(certified, a_day(14))

    assert "REST_UNREAD" in report.verdicts[0].signatures
    assert report.rows.accepted == 0
    assert report.rows.read == report.rows.quarantined > 0


def test_gold_that_another_tool_wrote_to_is_not_certified_until_that_is_rolled_back(estate: Estate) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,first")
    estate.run("orders")
    before = estate.certified_rows("orders")
    platform = estate.platform()
    gold = platform.table(platform.policies.dataset("orders"), Stage.GOLD)
    good = gold.version()
    gold.append(gold.rows().selectExpr("id + 1 AS id", "amount", "note", "day"), {"by": "a notebook"})

    with pytest.raises(ConflictError, match=f"version {good + 1} of .* was not written by the platform"):
        estate.run("orders")

    assert estate.certified_rows("orders") == before
    estate.spark.sql(f"RESTORE delta.`{gold.path}` TO VERSION AS OF {good}")  # as the message says, by hand
    assert estate.run("orders")[-1].stage is Stage.CERTIFIED
    assert estate.certified_rows("orders") == before
    platform.close()


def test_a_gold_table_that_another_tool_created_is_not_certified(estate: Estate) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,first")
    platform = estate.platform()
    gold = platform.table(platform.policies.dataset("orders"), Stage.GOLD)
    rows = estate.spark.sql("SELECT 7L AS id, CAST(1 AS DECIMAL(10,2)) AS amount, 'x' AS note, DATE'2024-12-31' AS day")
    rows.write.format("delta").partitionBy("day").save(gold.path)

    with pytest.raises(ConflictError, match=r"version 0 of .* was not written by the platform"):
        estate.run("orders")

    assert estate.certified_rows("orders") == []
    platform.close()


def test_a_lost_row_fails_the_run_and_the_write_is_taken_back(
    certified: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    estate, today = certified, a_day(15)
    orders(estate, "1,1.00,a", "2,-2.00,b", day=today)
    assert run_bronze(estate, today).passed
    platform = estate.platform()
    dataset = platform.policies.dataset("orders")

    def one_more_was_read(split: Split, accepted: int) -> RowCounts:
        counted = split.counted.get
        return RowCounts(read=counted["rows"] + 1, accepted=accepted, quarantined=counted["rejected"])

    with monkeypatch.context() as patched:
        patched.setattr(Split, "counts", one_more_was_read)
        with pytest.raises(ConservationError, match="3 rows read are not 1 accepted plus 1 quarantined"):
            driver.run_stage(platform, dataset, Stage.SILVER, today, new_run_id(estate.now))

    assert ids_at(estate, Stage.SILVER, today) == []
    assert platform.catalog.runs.latest(ORDERS, Stage.SILVER, today) is None
    assert driver.run_stage(platform, dataset, Stage.SILVER, today, new_run_id(estate.now)).passed
    assert platform.catalog.runs.open_intents() == ()
    on_record = {entry.name for entry in platform.catalog.quarantine.entries(ORDERS, include_closed=True)}
    assert {folder.name for folder in (estate.root / "lake" / "quarantine").iterdir()} <= on_record
    platform.close()


def test_too_few_good_rows_hold_the_whole_batch_and_silver_is_as_before(certified: Estate) -> None:
    estate = certified
    orders(estate, "1,10.50,first", "2,-1.00,bad", "3,-1.00,bad", "4,x,bad")

    held = estate.run("orders")[-1]

    assert (held.stage, held.outcome, held.verdicts[0].compliance) == (Stage.SILVER, Outcome.FAILED, 0.25)
    assert (held.rows.read, held.rows.accepted, held.rows.quarantined) == (4, 0, 4)
    kept = set_aside(estate, held)
    assert {row["id"]: len(row["_violations"]) for row in kept} == {"1": 0, "2": 1, "3": 1, "4": 1}
    assert ids_at(estate, Stage.SILVER, DAY) == [1]
    platform = estate.platform()
    assert [entry.level for entry in platform.catalog.quarantine.entries(ORDERS) if entry.run_id == held.run_id] == [
        "batch"
    ]
    platform.close()


def test_a_lake_that_cannot_be_written_is_a_clear_error_and_the_next_run_succeeds(estate: Estate) -> None:
    declare_orders(estate)
    orders(estate, "1,10.50,first")
    place = estate.root / "lake" / "silver"
    place.parent.mkdir()
    place.write_text("a file where a folder is to be")

    with pytest.raises(EnvironmentProblem, match=r"ds://sales/orders silver .* could not write .*CANNOT_CREATE") as e:
        estate.run("orders")

    assert "Py4J" not in "".join(traceback.format_exception(e.value))
    assert estate.certified_rows("orders") == []
    place.unlink()
    assert estate.run("orders")[-1].stage is Stage.CERTIFIED


def test_missing_bronze_files_hold_silver_and_a_run_of_bronze_restores_them(certified: Estate) -> None:
    estate, today = certified, a_day(16)
    orders(estate, "1,1.00,a", day=today)
    assert run_bronze(estate, today).passed
    for file in (estate.root / "lake" / "bronze" / "sales" / "orders" / f"_partition={today}").glob("*.parquet"):
        file.unlink()
    platform = estate.platform()

    dataset = platform.policies.dataset("orders")
    held = driver.run_stage(platform, dataset, Stage.SILVER, today, new_run_id(estate.now))

    assert (held.outcome, held.version) == (Outcome.ERRORED, None)
    assert held.verdicts[0].signatures == ("INPUT_VANISHED:sales/orders/bronze",)
    assert "a file that it reads is gone" in held.verdicts[0].reason
    assert estate.run("orders", today, platform)[-1].stage is Stage.CERTIFIED
    platform.close()
