"""A stage whose baseline or input is missing is held with one record of evidence that names it; the view stays."""

import io
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data_platform.ingestion import delivery_file
from data_platform.ingestion.formats.text import text_format
from data_platform.installation import Platform
from data_platform.model.certification import CertificationStatus
from data_platform.model.dataset import Stage
from data_platform.model.run import StageReport
from data_platform.model.verdict import Gate, Outcome
from data_platform.stage import driver
from data_platform_tests.flows.estate import DAY, ORDERS, Estate, a_day, declare_orders, orders

CITIES, SHOPS = "ds://sales/cities", "ds://sales/shops"
NOTE, CITY = {"field": "note", "type": "STRING"}, {"field": "city", "type": "STRING"}


def after_planning(monkeypatch: pytest.MonkeyPatch, stage: Stage, happens: Callable[[], object]) -> None:
    """``happens`` after ``stage`` was planned, and before it reads anything."""
    prepare = driver.prepare

    def planned(platform: Platform, dataset: Any, of: Stage, *rest: Any) -> Any:
        candidate = prepare(platform, dataset, of, *rest)
        if of is stage:
            happens()
        return candidate

    monkeypatch.setattr(driver, "prepare", planned)


def assert_held(platform: Platform, report: StageReport, gate: Gate, signature: str) -> None:
    assert (report.outcome, report.version, report.rows.read) == (Outcome.ERRORED, None, 0)
    assert [v.signatures for v in report.verdicts if v.outcome is Outcome.ERRORED] == [(signature,)]
    others = {v.outcome for v in report.verdicts if v.gate is not gate}
    assert others <= {Outcome.SKIPPED}
    records = platform.catalog.evidence.find(report.dataset.urn, run_id=report.run_id)
    assert [(one.gate, one.result, one.failure_signature) for one in records] == [(gate.value, "FAIL", signature)]


def test_a_file_that_vanishes_before_it_is_read_holds_bronze(
    certified: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = a_day(21)
    orders(certified, "1,10.50,first", day=day)
    before = certified.certified_rows("orders")
    monkeypatch.setattr(text_format, "SMALL_BYTES", 0)  # a small file is read while it is planned
    after_planning(monkeypatch, Stage.BRONZE, (certified.root / "landing" / "orders" / day / "orders.csv").unlink)
    platform = certified.platform()

    [held] = certified.run("orders", day, platform)
    orders(certified, "1,10.50,first", day=day)
    monkeypatch.undo()
    again = certified.run("orders", day, platform)[-1]

    assert_held(platform, held, Gate.G1_RESOLUTION, "INPUT_VANISHED:orders.csv")
    assert again.stage is Stage.CERTIFIED
    assert len(certified.certified_rows("orders")) == len(before) + 1
    platform.close()


def test_a_parquet_file_that_vanishes_while_it_is_planned_holds_bronze(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = {"format": "parquet", "path": "shops", "producer": "shop"}
    estate.declare(SHOPS, {"schema": {"constraints": [NOTE]}}, source=source)
    content = io.BytesIO()
    pq.write_table(pa.table({"note": ["a"]}), content)
    estate.deliver("shops", {"shops.parquet": content.getvalue()})
    read, platform = delivery_file.read_rows, estate.platform()

    def read_too_late(*arguments: Any) -> Any:
        (estate.root / "landing" / "shops" / "shops.parquet").unlink()
        return read(*arguments)

    monkeypatch.setattr(delivery_file, "read_rows", read_too_late)

    [held] = estate.run("shops", None, platform)

    assert_held(platform, held, Gate.G1_RESOLUTION, "INPUT_VANISHED:shops.parquet")
    platform.close()


def test_a_certified_input_whose_files_vanish_holds_what_is_derived_from_it(
    estate: Estate, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = {"format": "csv", "path": "shops", "producer": "shop"}
    estate.declare(SHOPS, {"schema": {"constraints": [NOTE, CITY]}}, source=source)
    estate.declare(CITIES, {"schema": {"constraints": [CITY]}}, process="cities")
    step = {"name": "distinct_cities", "sql": "SELECT DISTINCT city FROM shops"}
    estate.process("cities", output=CITIES, inputs=[{"dataset": SHOPS}], steps=[step])
    estate.deliver("shops", {"shops.csv": "note,city\na,Oslo\n"})
    platform = estate.platform()
    assert estate.run("shops", None, platform)[-1].stage is Stage.CERTIFIED
    assert estate.run("cities", None, platform)[-1].stage is Stage.CERTIFIED
    gold = Path(platform.table(platform.policies.dataset("shops"), Stage.GOLD).path)
    shutil.copytree(gold, estate.root / "copy")
    after_planning(monkeypatch, Stage.SILVER, lambda: [file.unlink() for file in gold.glob("*.parquet")])

    [files_gone] = estate.run("cities", None, platform)
    monkeypatch.undo()
    shutil.rmtree(gold)
    jvm = estate.spark._jvm
    assert jvm is not None
    jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()
    [table_gone] = estate.run("cities", None, platform)
    shutil.copytree(estate.root / "copy", gold)

    for held in (files_gone, table_gone):
        assert_held(platform, held, Gate.G3_SCHEMA, "INPUT_VANISHED:sales/shops/gold")
    assert [row["city"] for row in estate.certified_rows("cities")] == ["Oslo"]
    assert estate.run("cities", None, platform)[-1].stage is Stage.CERTIFIED
    platform.close()


def test_a_baseline_that_is_gone_or_wrong_holds_bronze_and_silver(estate: Estate) -> None:
    declare_orders(estate)
    baseline = estate.root / "policies" / "datasets" / "sales" / "orders" / "baseline.json"
    baseline.write_text('{"row_count": {"mean": 1}}')
    orders(estate, "1,10.50,first")
    platform = estate.platform()
    dataset = platform.policies.dataset("orders")
    assert estate.run("orders", DAY, platform)[-1].stage is Stage.CERTIFIED
    before = platform.catalog.certifications.get(ORDERS)

    baseline.unlink()
    [gone] = estate.run("orders", DAY, platform)
    silver = driver.run_stage(platform, dataset, Stage.SILVER, DAY, "run_20250107_5")
    baseline.write_text('{"row_count": {"mean": "ann@example.com"}}')
    [wrong] = estate.run("orders", DAY, platform)

    signature = "BASELINE_MISSING:baseline.json"
    assert_held(platform, gone, Gate.G3_SCHEMA, signature)
    assert_held(platform, silver, Gate.DQ, signature)
    assert_held(platform, wrong, Gate.G3_SCHEMA, signature)
    assert "the last run compared with it" in gone.verdicts[2].reason
    assert "line 1 (row_count.mean) is wrong" in wrong.verdicts[2].reason
    assert "ann@" not in wrong.verdicts[2].reason
    pointer = platform.catalog.certifications.get(ORDERS)
    assert before is not None
    assert pointer is not None
    assert (pointer.version, pointer.status) == (before.version, CertificationStatus.HELD_AT_PREVIOUS)
    baseline.unlink()
    declare_orders(estate, {"baseline": "optional"})
    assert estate.run("orders", DAY, platform)[-1].stage is Stage.CERTIFIED
    platform.close()
