"""Every record of a delivery becomes one row, bound by name, with the file and line that it came from."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame, SparkSession

from data_platform.ingestion.delivery import Delivery, bronze_schema, find_delivery
from data_platform.ingestion.formats.text import record_batch, text_format
from data_platform.ingestion.formats.text.record import REST_UNREAD
from data_platform.ingestion.formats.text.text_format import read_share
from data_platform.ingestion.reader import read_rows
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform.model.source_format import SourceFormat
from data_platform_tests.case import case_file, expected


def declared(**kinds: str) -> Schema:
    return Schema.of(Column(name=name, type=kind) for name, kind in kinds.items())


ORDERS = declared(id="int", amount="decimal(10,2)", note="string")


@pytest.fixture(autouse=True)
def workers_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python workers read the deliveries of these tests, which are so small that the driver would."""
    monkeypatch.setattr(text_format, "SMALL_BYTES", -1)


REQUIRED = {
    "layout": {"fields": {"id": {"start": 1, "length": 2}, "a": {"start": 3, "length": 4}}},
    "row_element": "order",
}


def source_of(kind: str, **keys: str) -> Source:
    needed = {key: REQUIRED[key] for key in SourceFormat.named(kind).traits.required_keys}
    return Source.model_validate({"format": kind, "path": "in", **needed, **keys})


def delivered(landing: Path, kind: str, schema: Schema = ORDERS, **contents: str | bytes) -> Delivery:
    """The files named in ``contents``, without their ending, as a delivery."""
    (landing / "in").mkdir(exist_ok=True)
    for name, content in contents.items():
        path = landing / "in" / f"{name}.{kind}"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return find_delivery(landing, source_of(kind), None, schema)


def text_rows(delivery: Delivery, columns: Schema = ORDERS) -> list[dict[str, Any]]:
    """The rows of text files, without Spark."""
    return [
        row
        for file in delivery.files
        for batch in read_share(delivery.format, file, columns)
        for row in batch.to_pylist()
    ]


def case_rows(spark: SparkSession, case: str, schema: Schema, **keys: str) -> tuple[Delivery, DataFrame]:
    folder = case_file(case, "expected.json").parent
    source = Source.model_validate({"format": "csv", "path": folder.name, **keys})
    delivery = find_delivery(folder.parent, source, None, schema)
    return delivery, read_rows(spark, delivery, bronze_schema(delivery, schema))


def test_malformed_records_are_rows_with_their_raw_text(spark: SparkSession) -> None:  # C08
    delivery, rows = case_rows(spark, "C08", ORDERS, manifest="manifest.json")

    found = rows.orderBy("_line").collect()
    assert len(found) == delivery.files[0].record_count == expected("C08")["records_in_file"]
    malformed = [{"line": r["_line"], "raw": r["_raw"], "reason": r["_malformed"]} for r in found if r["_malformed"]]
    assert malformed == expected("C08")["quarantined"][1:]  # the first is well-formed text, and a type mismatch
    assert [(r["id"], r["amount"], r["note"], r["_raw"]) for r in found if not r["_malformed"]] == [
        ("1", "10.50", "ok", None),
        ("2", "abc", "bad amount", None),
        ("5", None, "ok", None),
    ]


def test_every_file_is_bound_by_its_own_header(spark: SparkSession) -> None:  # C11
    schema = declared(id="int", amount="int")
    _, rows = case_rows(spark, "C11", schema)

    assert rows.columns == ["id", "amount", "_file", "_line", "_raw", "_malformed"]
    for name in ("reordered.csv", "renamed.csv"):
        found = rows.where(rows["_file"] == name).orderBy("_line").collect()
        want = expected("C11")[name]["rows"]
        assert [{"id": int(r["id"]), "amount": int(r["amount"])} for r in found] == want
    assert rows.count() == 3  # the other three files are unreadable


@pytest.mark.parametrize(
    ("files", "encoding"),
    [
        pytest.param("customers_bom*.csv", "utf-8", id="byte-order mark"),
        pytest.param("customers_utf16.csv", "utf-16", id="UTF-16"),
        pytest.param("customers_cp1252.csv", "cp1252", id="Windows"),
    ],
)
def test_a_named_encoding_is_read_right(spark: SparkSession, files: str, encoding: str) -> None:  # C09
    schema = declared(customer_id="string", city="string")
    delivery, rows = case_rows(spark, "C09", schema, files=files, encoding=encoding)

    found = [list(r) for r in rows.orderBy("_file", "_line").select("customer_id", "city").collect()]
    assert found == expected("C09")["rows"] * len(delivery.files)


def test_a_header_and_blank_lines_make_no_rows(spark: SparkSession) -> None:  # C16
    delivery, rows = case_rows(spark, "C16", ORDERS)

    assert len(delivery.files) == 2
    assert rows.count() == expected("C16")["header_only.csv"]["rows"]


@pytest.mark.parametrize("kind", list(SourceFormat))
def test_a_delivery_without_a_readable_file_has_no_rows_and_all_columns(
    spark: SparkSession, tmp_path: Path, kind: SourceFormat
) -> None:
    rows = read_rows(spark, delivered(tmp_path, kind), declared(id="int", a="decimal(10,2)"))

    assert rows.count() == 0
    assert rows.columns == ["id", "a", "_file", "_line", "_raw", "_malformed"]
    assert (rows.schema["a"].dataType.simpleString() == "decimal(10,2)") is (kind is SourceFormat.PARQUET)


def test_a_file_is_a_task(spark: SparkSession, tmp_path: Path) -> None:
    delivery = delivered(tmp_path, "csv", **{f"f{i}": f"id\n{i}\n" for i in range(5)})

    rows = read_rows(spark, delivery, ORDERS)

    parts = rows.rdd.glom().collect()
    assert [[row["_file"] for row in part] for part in parts] == [[f"f{i}.csv"] for i in range(5)]


@pytest.mark.parametrize(
    ("kind", "contents"),
    [
        ("csv", {"a": 'id,note\n1,a\n2,"b\nc"\n3,x,y\n', "b": b"id\n4\n\xff\n", "c": "id\n"}),
        ("jsonl", {"a": '{"id": 1}\n{"id": \n', "b": '{"note": "\\ud800"}\n{"id": 2, "note": [1]}\n'}),
        ("csv", {"a": "id,note\n" + "".join(f"{i},{'x' * 90}\n" for i in range(9_000))}),
    ],
    ids=["csv", "jsonl", "many batches"],
)
def test_the_driver_reads_a_small_delivery_as_workers_do(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
    contents: dict[str, str | bytes],
) -> None:
    delivery = delivered(tmp_path, kind, **contents)
    by_workers = read_rows(spark, delivery, ORDERS)
    monkeypatch.setattr(text_format, "SMALL_BYTES", 1 << 20)

    by_driver = read_rows(spark, delivery, ORDERS)

    assert by_driver.schema == by_workers.schema
    assert by_driver.rdd.getNumPartitions() == 1
    found, wanted = (
        [tuple(row) for row in rows.orderBy("_file", "_line").collect()] for rows in (by_driver, by_workers)
    )
    assert found == wanted
    assert len(found) >= 4


@pytest.mark.parametrize("limit", ["SMALL_BYTES", "SMALL_TABLE_BYTES"])
def test_a_delivery_that_is_large_or_unpacks_to_much_is_read_by_workers(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(text_format, "SMALL_BYTES", 1 << 20)
    monkeypatch.setattr(text_format, limit, 10)
    delivery = delivered(tmp_path, "csv", a="id\n1\n2\n3\n", b="id\n4\n")

    rows = read_rows(spark, delivery, ORDERS)

    assert "MapInArrow" in rows._jdf.queryExecution().toString()
    assert rows.count() == 4


def test_undecodable_bytes_reach_the_driver_as_one_malformed_record(spark: SparkSession, tmp_path: Path) -> None:
    delivery = delivered(tmp_path, "csv", a=b"id,note\n1,a\n2,b\n3,Malm\xf6\n4,c\n", b="id\n5\n")

    found = read_rows(spark, delivery, ORDERS).orderBy("_file", "_line").collect()

    assert [(r["_file"], r["_line"], r["id"]) for r in found] == [
        ("a.csv", 2, "1"),
        ("a.csv", 3, "2"),
        ("a.csv", 4, None),
        ("b.csv", 2, "5"),
    ]
    assert found[2]["_malformed"].startswith("not valid UTF-8")
    assert found[2]["_malformed"].endswith(REST_UNREAD)


def test_a_header_that_has_changed_since_is_one_malformed_record(tmp_path: Path) -> None:
    delivery = delivered(tmp_path, "csv", a="id,note\n1,a\n")
    delivered(tmp_path, "csv", a="id,id\n1,a\n")

    (row,) = text_rows(delivery)
    unchecked = replace(delivery, files=tuple(replace(file, state=()) for file in delivery.files))
    (other,) = text_rows(unchecked)

    assert row["_malformed"] == f"the file changed after it was examined. Run again; {REST_UNREAD}"
    assert (other["id"], other["_malformed"].split(".")[0]) == (None, "duplicate column id")
    assert row["_malformed"].endswith(REST_UNREAD)


def test_a_file_that_has_gone_fails_and_is_not_read_as_empty(tmp_path: Path) -> None:
    delivery = delivered(tmp_path, "csv", a="id\n1\n")
    (tmp_path / "in" / "a.csv").unlink()

    with pytest.raises(FileNotFoundError):
        text_rows(delivery)


def test_no_record_is_lost_between_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_batch, "BATCH_RECORDS", 3)
    delivery = delivered(tmp_path, "jsonl", a="".join(f'{{"id": {i}}}\n' for i in range(10)))

    assert [row["id"] for row in text_rows(delivery)] == [str(i) for i in range(10)]


def test_long_records_close_a_batch_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record_batch, "BATCH_CHARACTERS", 100)
    delivery = delivered(tmp_path, "jsonl", a=f'{{"id": "{"x" * 60}"}}\n' * 4)

    batches = list(read_share(delivery.format, delivery.files[0], ORDERS))

    assert [batch.num_rows for batch in batches] == [2, 2]


def test_names_that_delta_refuses_are_bound_under_their_new_name(tmp_path: Path) -> None:
    columns = declared(Order_ID="string")
    csv = delivered(tmp_path, "csv", columns, a="Order ID,x\n1,2\n")
    jsonl = delivered(tmp_path, "jsonl", columns, a='{"Order ID": 1, "x": 2}\n')

    assert [row["Order_ID"] for row in text_rows(csv, columns) + text_rows(jsonl, columns)] == ["1", "1"]


def test_json_lines_keep_digits_and_nested_text_and_bind_in_any_case(spark: SparkSession, tmp_path: Path) -> None:
    content = '{"ID": 1, "amount": 0.10, "note": {"a": [1.50]}}\n\n{"id": 2}\n{"id": \n'
    delivery = delivered(tmp_path, "jsonl", a=content)

    found = read_rows(spark, delivery, ORDERS).orderBy("_line").collect()

    assert [(*tuple(r)[:3], r["_line"], r["_raw"]) for r in found] == [
        ("1", "0.10", '{"a":[1.50]}', 1, None),
        ("2", None, None, 3, None),
        (None, None, None, 4, '{"id": '),
    ]
    assert found[2]["_malformed"].startswith("not JSON")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param('{"id": 1, "ID": 2}', "two names become one column name", id="one name in two cases"),
        pytest.param('{"id": "\\ud800"}', "half a character (a lone surrogate)", id="half a character"),
        pytest.param("{}", "an object without any member", id="nothing"),
        pytest.param('\ufeff{"id": 1}', "a byte-order mark within the file, as where files were joined", id="a mark"),
        pytest.param('{"": 1}', "a name that is neither declared nor in the first lines of the file", id="no name"),
        pytest.param('{"\\ud800": 1, "\\ud800": 2}', "a name occurs twice in one object", id="half a name"),
    ],
)
def test_a_json_line_that_cannot_be_bound_is_reported_and_affects_no_other(
    tmp_path: Path, line: str, reason: str
) -> None:
    rows = text_rows(delivered(tmp_path, "jsonl", a=f'{{"id": 0}}\n{line}\n{{"id": 3}}\n'))

    assert [(row["id"], row["_malformed"]) for row in rows] == [("0", None), (None, reason), ("3", None)]
    assert rows[1]["_raw"] == line


def test_a_declared_name_that_comes_too_late_is_reported_and_an_undeclared_one_is_not(tmp_path: Path) -> None:
    lines = [{"id": 1, "extra": 1}] * 1_000 + [{"id": 2, "extra": 1}, {"id": 3, "late": 1}]
    delivery = delivered(tmp_path, "jsonl", a="".join(json.dumps(line) + "\n" for line in lines))

    rows = text_rows(delivery)

    assert "extra" in delivery.files[0].schema.names
    assert {row["_line"] for row in rows if row["_malformed"]} == {1_002}


@pytest.mark.parametrize("order", [("day1", "day2"), ("day2", "day1")])
def test_parquet_of_two_widths_is_read_in_the_wider_in_any_order(
    spark: SparkSession, tmp_path: Path, order: tuple[str, str]
) -> None:  # C15
    for position, name in enumerate(order):
        content = case_file("C15", f"{name}.parquet").read_bytes()
        delivered(tmp_path, "parquet", **{f"{position}": content})
    schema = declared(id="int", qty="int")
    delivery = find_delivery(tmp_path, source_of("parquet"), None, schema)

    rows = read_rows(spark, delivery, bronze_schema(delivery, schema))

    want = expected("C15")["widening_allowed"]
    assert rows.schema["qty"].dataType.simpleString() == want["type"]
    assert [[r["id"], r["qty"], r["_line"]] for r in rows.orderBy("id").collect()] == [[*r, 1] for r in want["rows"]]


def test_parquet_of_narrower_fields_is_read_in_the_declared_ones(spark: SparkSession, tmp_path: Path) -> None:  # C49
    kind = pa.struct([("n", pa.int32()), ("l", pa.list_(pa.float32()))])
    for position, value in enumerate(({"n": 2_000_000_000, "l": [0.5, None]}, None)):
        (tmp_path / "in").mkdir(exist_ok=True)
        pq.write_table(pa.table({"s": pa.array([value], kind)}), tmp_path / "in" / f"{position}.parquet")
    schema = declared(s="struct<n:bigint,l:array<double>>")
    delivery = find_delivery(tmp_path, source_of("parquet"), None, schema)
    columns = bronze_schema(delivery, schema)

    rows = read_rows(spark, delivery, columns)

    assert columns == schema
    assert rows.schema["s"].dataType.simpleString() == "struct<n:bigint,l:array<double>>"
    found = [row["s"] and row["s"].asDict() for row in rows.orderBy("_file").collect()]
    assert found == [{"n": 2_000_000_000, "l": [0.5, None]}, None]


def test_parquet_that_nothing_else_holds_is_text(spark: SparkSession) -> None:  # C15
    _, rows = case_rows(spark, "C15", declared(id="int", qty="bigint"), format="parquet")

    assert [r["qty"] for r in rows.orderBy("id").collect()] == ["100", "5000000000", "x"]


def test_parquet_columns_are_bound_by_name_and_awkward_files_are_read(spark: SparkSession, tmp_path: Path) -> None:
    folder = tmp_path / "in" / "day=1"
    folder.mkdir(parents=True)
    table = pa.table({"Order ID": [7], "_metadata": [8], "nothing": pa.nulls(1), "a.b": [{"X y": 1}]})
    pq.write_table(table, folder / "a[1] {*}.parquet")
    schema = declared(order_id="bigint", nothing="date", missing="decimal(10,2)", day="string")
    source = source_of("parquet", files="**/*.parquet")
    delivery = find_delivery(tmp_path, source, None, schema)
    columns = bronze_schema(delivery, schema)

    (row,) = read_rows(spark, delivery, columns).collect()

    assert columns.names == ("order_id", "nothing", "missing", "day", "_metadata", "a.b")
    assert (row["order_id"], row["nothing"], row["missing"], row["day"], row["_metadata"]) == (7, None, None, None, 8)
    assert row["a.b"].asDict() == {"x_y": 1}
    assert row["_file"] == "day=1/a[1] {*}.parquet"
