"""What has arrived is known before a row is read; its problems are reported, and never raised."""

import hashlib
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

from data_platform.errors import UsageError
from data_platform.ingestion.delivery import Delivery, bronze_schema, find_delivery
from data_platform.ingestion.formats.csv.csv_format import CsvFormat
from data_platform.model.partition_key import PartitionKey
from data_platform.model.schema import Column, Schema
from data_platform.model.schema_drift import drift
from data_platform.model.source import Source
from data_platform.model.source_format import SourceFormat
from data_platform_tests.case import case_file, expected

DAY = PartitionKey("2013-01-01")


def declared(**kinds: str) -> Schema:
    return Schema.of(Column(name=name, type=kind) for name, kind in kinds.items())


ORDERS = declared(id="int", amount="decimal(10,2)")


def found(landing: Path, schema: Schema = ORDERS, **keys: str) -> Delivery:
    """The delivery in ``landing``/in, of CSV unless ``keys`` name another format."""
    source = Source.model_validate({"format": "csv", "path": "in", **keys})
    return find_delivery(landing, source, None, schema)


def landed(landing: Path, **contents: str | bytes) -> Path:
    """``landing``, with CSV files in it, named without their ending."""
    folder = landing / "in"
    folder.mkdir(exist_ok=True)
    for name, content in contents.items():
        (folder / f"{name}.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    return landing


def promised(landing: Path, **keys: object) -> Path:
    (landing / "in" / "manifest.json").write_text(json.dumps(keys))
    return landing


def case(number: str, files: str = "", schema: Schema = ORDERS, **keys: str) -> Delivery:
    """The case's folder as a delivery; ``files`` is a pattern."""
    folder = case_file(number, "expected.json").parent
    source = Source.model_validate({"format": "csv", "path": folder.name, "files": files, **keys})
    return find_delivery(folder.parent, source, None, schema)


def test_files_are_found_by_name_and_what_tools_leave_behind_is_not(tmp_path: Path) -> None:
    delivery = found(landed(tmp_path, b="id\n2\n", a="id\n1\n", **{".c": "id\n1\n"}))

    assert [(file.name, file.bytes) for file in delivery.files] == [("a.csv", 5), ("b.csv", 5)]
    assert (delivery.problems, delivery.unreadable) == ((), {})


def test_a_partition_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "orders" / "2013-01-01").mkdir(parents=True)
    (tmp_path / "orders" / "2013-01-01" / "a.csv").write_text("id\n")

    delivery = find_delivery(tmp_path, Source(format=SourceFormat.CSV, path="orders/{partition}"), DAY, ORDERS)

    assert [file.name for file in delivery.files] == ["a.csv"]


def test_a_day_must_be_named_where_the_path_has_one(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name the partition to read"):
        find_delivery(tmp_path, Source(format=SourceFormat.CSV, path="orders/{partition}"), None, ORDERS)


@pytest.mark.parametrize("keys", [{"files": "../*.csv"}, {"manifest": "../m.json"}, {"files": "/etc/*"}])
def test_a_name_outside_the_folder_is_rejected(tmp_path: Path, keys: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="neither absolute nor with"):
        found(landed(tmp_path), **keys)


def test_the_day_may_be_in_the_names_of_files(tmp_path: Path) -> None:
    folder = tmp_path / "orders"
    folder.mkdir()
    for day in ("20121231", "20130101"):
        (folder / f"orders_{day}.csv").write_text("id,amount\n1,2.00\n")
    source = Source(format=SourceFormat.CSV, path="orders", files="orders_{partition:%Y%m%d}.csv")

    delivery = find_delivery(tmp_path, source, DAY, ORDERS)

    assert [file.name for file in delivery.files] == [f"orders_{DAY:%Y%m%d}.csv"]


def test_no_folder_is_no_delivery(tmp_path: Path) -> None:
    delivery = found(tmp_path)

    assert delivery.problems == ("NO_DELIVERY:in",)
    assert len(delivery.details) == 1
    assert "may still be on its way" in delivery.details[0]


def test_a_folder_without_a_file_of_the_format_is_reported_with_the_pattern(tmp_path: Path) -> None:
    assert found(landed(tmp_path)).problems == ("NO_FILES:*.csv",)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(None, "NO_MANIFEST:manifest.json", id="not there"),
        pytest.param("{", "MANIFEST_INVALID:manifest.json", id="cut off"),
        pytest.param(
            '{"files": [{"file": "a.csv"}, {"file": "./a.csv"}]}', "MANIFEST_INVALID:manifest.json", id="a file twice"
        ),
    ],
)
def test_without_a_good_manifest_nothing_is_taken(tmp_path: Path, content: str | None, problem: str) -> None:
    landed(tmp_path, a="id\n1\n")
    if content:
        (tmp_path / "in" / "manifest.json").write_text(content)

    delivery = found(tmp_path, manifest="manifest.json")

    assert (delivery.problems, delivery.files, len(delivery.details)) == ((problem,), (), 1)


def test_with_a_manifest_exactly_its_files_are_taken(tmp_path: Path) -> None:
    landed(tmp_path, a="id\n1\n", b="id\n1\n")
    promised(tmp_path, files=[{"file": "b.csv", "record_count": 1}, {"file": "c.csv"}])

    delivery = found(tmp_path, manifest="manifest.json")

    assert [(file.name, file.record_count) for file in delivery.files] == [("b.csv", 1)]
    assert delivery.problems == ("MANIFEST_MISSING:c.csv",)


def test_files_are_named_from_where_their_manifest_lies(tmp_path: Path) -> None:
    (tmp_path / "in" / "x").mkdir(parents=True)
    (tmp_path / "in" / "x" / "a.csv").write_text("id\n")
    (tmp_path / "in" / "x" / "m.json").write_text('{"file": "a.csv", "record_count": 0}')

    delivery = found(tmp_path, manifest="x/m.json")

    assert [(file.name, file.record_count) for file in delivery.files] == [("x/a.csv", 0)]


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        pytest.param({"bytes": 9}, "MANIFEST_SIZE:a.csv:5≠9", id="size"),
        pytest.param({"sha256": hashlib.sha256(b"x").hexdigest()}, "MANIFEST_CHECKSUM:a.csv", id="checksum"),
    ],
)
def test_a_file_that_differs_from_its_promise_is_reported_and_listed(
    tmp_path: Path, keys: dict[str, object], problem: str
) -> None:
    promised(landed(tmp_path, a="id\n1\n"), file="a.csv", **keys)

    delivery = found(tmp_path, manifest="manifest.json")

    assert (delivery.problems, [file.name for file in delivery.files]) == ((problem,), ["a.csv"])
    assert len(delivery.details) == 1


def test_what_a_manifest_names_wins_and_what_it_leaves_out_does_not(tmp_path: Path) -> None:
    promised(landed(tmp_path, a="id;amount\n"), file="a.csv", delimiter=";")
    source = Source(format=SourceFormat.CSV, path="in", manifest="manifest.json", encoding="cp1252", delimiter="|")

    delivery = find_delivery(tmp_path, source, None, ORDERS)

    assert isinstance(delivery.format, CsvFormat)
    dialect = delivery.format.dialect
    assert (dialect.delimiter, dialect.encoding) == (";", "cp1252")
    assert delivery.files[0].schema.names == ("id", "amount")


def test_a_file_without_a_header_cannot_be_bound(tmp_path: Path) -> None:
    promised(landed(tmp_path, a="1,2\n"), file="a.csv", header=False)

    assert found(tmp_path, manifest="manifest.json").unreadable["a.csv"].startswith("no header")


def test_the_same_delivery_has_the_same_id_wherever_it_lies(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "y").mkdir()

    one = found(landed(tmp_path / "x", a="id\n1\n", b="id\n2\n"))
    other = found(landed(tmp_path / "y", b="id\n2\n", a="id\n1\n"))

    assert one.id == other.id
    assert len(one.id) == 16


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"a": "id\n3\n", "b": "id\n2\n"}, id="a value"),
        pytest.param({"a": "id\n2\n", "b": "id\n1\n"}, id="names exchanged"),
        pytest.param({"a": "id\n1\n", "b": "id\n2\n", "c": ""}, id="an unreadable file more"),
    ],
)
def test_another_delivery_has_another_id(tmp_path: Path, changed: dict[str, str]) -> None:
    before = found(landed(tmp_path, a="id\n1\n", b="id\n2\n"))

    assert found(landed(tmp_path, **changed)).id != before.id


def test_a_corrected_manifest_makes_another_delivery(tmp_path: Path) -> None:
    promised(landed(tmp_path, a="id\n1\n"), file="a.csv", encoding="utf-8")
    before = found(tmp_path, manifest="manifest.json")

    promised(tmp_path, file="a.csv", encoding="cp1252")

    assert found(tmp_path, manifest="manifest.json").id != before.id


def test_headers_that_cannot_be_bound_are_unreadable_with_their_reason() -> None:  # C11
    delivery = case("C11")

    assert [file.name for file in delivery.files] == ["renamed.csv", "reordered.csv"]
    for name, reason in delivery.unreadable.items():
        assert reason.startswith(str(expected("C11")[name]).removeprefix("reject: "))
    assert len(delivery.unreadable) == 3


def test_a_name_in_another_case_is_a_case_change_only() -> None:  # C11
    delivery = case("C11", "renamed.csv")

    changes = drift(declared(id="string", amount="string"), delivery.files[0].schema)
    assert [str(change).split("(")[1] for change in changes] == [expected("C11")["renamed.csv"]["drift"] + ")"]
    assert bronze_schema(delivery, ORDERS).names == ("id", "amount")


def test_a_file_without_a_byte_has_no_header_and_a_header_alone_is_readable() -> None:  # C16
    empty, all_three = case("C16", "zero_byte.csv"), case("C16")

    assert empty.unreadable["zero_byte.csv"].startswith(expected("C16")["zero_byte.csv"]["reason"])
    assert [file.name for file in all_three.files] == ["blank_lines.csv", "header_only.csv"]
    assert all_three.warnings["EMPTY_FILE:zero_byte.csv"]


def test_renamed_columns_keep_their_name_in_the_file() -> None:  # C17
    (file,) = case("C17", "orders.csv").files

    assert [file.renamed.get(name, name) for name in file.schema.names] == expected("C17")["columns_in"]
    assert "Order_ID" in file.schema.names


@pytest.mark.parametrize(
    ("name", "encoding"),
    [("customers_bom.csv", "utf-8"), ("customers_utf16.csv", "utf-16"), ("customers_cp1252.csv", "cp1252")],
)
def test_columns_are_found_in_the_encoding_that_is_named(name: str, encoding: str) -> None:  # C09
    delivery = case("C09", name, encoding=encoding)

    assert [list(file.schema.names) for file in delivery.files] == [expected("C09")["columns"]]


def test_another_encoding_than_the_named_one_is_unreadable() -> None:  # C09
    assert case("C09", "customers_utf16.csv").unreadable["customers_utf16.csv"].startswith("not valid UTF-8")


@pytest.mark.parametrize("name", ["_file", "_LINE", "_raw", "_malformed"])
def test_a_column_of_our_own_is_reserved(tmp_path: Path, name: str) -> None:
    assert found(landed(tmp_path, a=f"id,{name}\n1,2\n")).unreadable["a.csv"].startswith(f"reserved column {name}")


def test_text_becomes_the_declared_columns_and_then_the_others_all_of_text(tmp_path: Path) -> None:
    delivery = found(landed(tmp_path, a="note,ID\n", b="id,Note,more\n"))

    assert bronze_schema(delivery, ORDERS) == declared(id="string", amount="string", note="string", more="string")


def test_json_lines_have_the_declared_columns_and_what_the_first_lines_add(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_text('{"ID": 1, "Note x": 2}\n{"id": 1, "more": 3, "": 4}\n')

    delivery = found(tmp_path, format="jsonl")

    assert delivery.files[0].schema.names == ("id", "amount", "Note_x", "more")
    assert delivery.files[0].renamed == {"Note_x": "Note x"}


def test_a_bad_line_of_json_is_not_the_columns_concern_but_a_bad_file_is(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.jsonl").write_bytes(b'{"id": 1}\n{"id": "\xe9"}\n')
    (tmp_path / "in" / "b.jsonl").write_text('{"id": 1}\n', encoding="utf-16")

    delivery = found(tmp_path, format="jsonl")

    assert [file.name for file in delivery.files] == ["a.jsonl"]
    assert delivery.unreadable["b.jsonl"].startswith("not valid UTF-8")


def days(*names: str, schema: Schema) -> Delivery:
    """The Parquet files of C15 that are named, in one delivery."""
    whole = case("C15", schema=schema, format="parquet")
    files = tuple(next(file for file in whole.files if file.name == f"{name}.parquet") for name in names)
    return Delivery(folder=whole.folder, files=files, manifest=None, id=whole.id, format=whole.format)


def test_parquet_files_have_their_types() -> None:  # C15
    delivery = days("day1", "day2", "day3", schema=ORDERS)

    kinds = [file.schema.columns[1].type for file in delivery.files]
    assert kinds == ["int", "bigint", "string"]


@pytest.mark.parametrize(
    ("names", "want", "kind"),
    [
        pytest.param(("day1",), "int", "int", id="as declared"),
        pytest.param(("day1",), "bigint", "bigint", id="narrower than declared"),
        pytest.param(("day1", "day2"), "int", "bigint", id="one is wider"),
        pytest.param(("day2", "day1"), "int", "bigint", id="one is wider, the other order"),
        pytest.param(("day1", "day2"), "bigint", "bigint", id="declared holds all"),
        pytest.param(("day1", "day3"), "int", "string", id="nothing else holds both"),
        pytest.param(("day3",), "bigint", "string", id="another type"),
        pytest.param((), "bigint", "bigint", id="no file"),
    ],
)
def test_bronze_takes_a_type_that_holds_every_value(names: tuple[str, ...], want: str, kind: str) -> None:  # C15
    schema = declared(id="int", qty=want)

    assert bronze_schema(days(*names, schema=schema), schema) == declared(id="int", qty=kind)


def test_a_parquet_file_of_no_bytes_is_no_empty_part(tmp_path: Path) -> None:
    """No writer makes one: it was cut off, and its rows are missing."""
    (tmp_path / "in").mkdir()
    pq.write_table(pa.table({"id": [1]}), tmp_path / "in" / "a.parquet")
    (tmp_path / "in" / "b.parquet").touch()

    delivery = found(tmp_path, format="parquet")

    assert (list(delivery.unreadable), list(delivery.warnings)) == (["b.parquet"], [])


def test_junk_is_not_a_parquet_file(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.parquet").write_text("id\n1\n")

    assert found(tmp_path, format="parquet").unreadable["a.parquet"].startswith("not a Parquet file")
