"""Parquet that is damaged inside is held, and text that is no text is quarantined: neither becomes a value."""

import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from data_platform.model.dataset import Stage
from data_platform.model.verdict import Outcome
from data_platform_tests.flows.estate import Estate, set_aside

ROWS = pa.table({"id": pa.array(range(1000), pa.int32()), "note": [f"v{number}" for number in range(1000)]})


@pytest.fixture
def estate(tmp_path: Any, spark: SparkSession) -> Estate:
    made = Estate(tmp_path, spark)
    columns = [{"field": "id", "type": "INT"}, {"field": "note", "type": "STRING"}]
    bundle = {"schema": {"constraints": columns}, "contract_lite": {"min_compliance": 0.1}}
    made.declare("ds://shop/parts", bundle, source={"format": "parquet", "path": "parts", "producer": "shop"})
    return made


def written(table: pa.Table, **options: Any) -> bytes:
    target = io.BytesIO()
    pq.write_table(table, target, **options)
    return target.getvalue()


def test_a_damaged_page_holds_bronze_with_the_name_of_its_file(estate: Estate) -> None:
    whole = written(ROWS, write_page_checksum=True, compression="none", use_dictionary=False)
    damaged = bytearray(whole)
    damaged[200] ^= 1  # a bit of a number, whose page has a checksum as Spark's own writer makes it
    estate.deliver("parts", {"a.parquet": whole, "b.parquet": bytes(damaged)})

    [bronze] = estate.run("parts", None)

    assert (bronze.stage, bronze.version) == (Stage.BRONZE, None)
    [verdict] = [one for one in bronze.verdicts if one.outcome is Outcome.FAILED]
    assert verdict.signatures == ("UNREADABLE:b.parquet",)
    assert (
        verdict.reason == "b.parquet: it is damaged inside, so its rows cannot be read. Ask the sender for a whole one."
    )
    platform = estate.platform()
    [record] = [one for one in platform.catalog.evidence.find("ds://shop/parts") if one.result == "FAIL"]
    platform.close()
    assert "UNREADABLE:b.parquet" in str(record)
    assert estate.certified_rows("parts") == []

    estate.deliver("parts", {"b.parquet": written(ROWS.slice(0, 10))})
    assert estate.run("parts", None)[-1].stage is Stage.CERTIFIED


def test_a_checksum_file_that_an_older_file_left_changes_nothing(estate: Estate) -> None:
    stale = b"crc\0\0\0\2\0" + b"1234" * 8
    estate.deliver("parts", {"a.parquet": written(ROWS), ".a.parquet.crc": stale})

    assert estate.run("parts", None)[-1].stage is Stage.CERTIFIED


def test_text_that_is_not_utf8_is_quarantined(estate: Estate) -> None:
    raw = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\2\0\0\0\5\0\0\0"), pa.py_buffer(b"\xff\xfeabc")]
    )
    estate.deliver("parts", {"a.parquet": written(pa.table({"id": pa.array([1, 2], pa.int32()), "note": raw}))})

    reports = estate.run("parts", None)

    assert reports[-1].stage is Stage.CERTIFIED
    assert estate.certified_rows("parts") == [{"id": 2, "note": "abc"}]
    [row] = set_aside(estate, reports[1])
    assert (row["id"], row["_violations"]) == ("1", ["INVALID_TEXT:note"])
