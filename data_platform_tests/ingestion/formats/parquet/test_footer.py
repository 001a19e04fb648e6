"""A Parquet file's columns have the types that Spark reads them as, and a type that it does not read is named."""

import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from data_platform.errors import SourceError
from data_platform.ingestion.formats.parquet.footer import ParquetColumn, read_parquet_columns

NOON = datetime.datetime(2024, 1, 1, 12)


def written(folder: Path, values: Any, **options: Any) -> Path:
    path = folder / "a.parquet"
    pq.write_table(pa.table({"x": values}), path, **options)
    return path


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        pytest.param(pa.array([1], pa.int32()), "int", id="whole"),
        pytest.param(pa.array([1], pa.uint32()), "bigint", id="unsigned"),
        pytest.param(pa.array([1], pa.uint64()), "decimal(20,0)", id="unsigned, longest"),
        pytest.param(pa.array([1], pa.decimal128(10, 2)), "decimal(10,2)", id="decimal"),
        pytest.param(pa.array(["a"]).dictionary_encode(), "string", id="category"),
        pytest.param(pa.array([NOON], pa.timestamp("us")), "timestamp_ntz", id="local time"),
        pytest.param(pa.array([NOON], pa.timestamp("us", "UTC")), "timestamp", id="instant"),
        pytest.param(pa.array([[{"a": 1}]]), "array<struct<a:bigint>>", id="nested"),
        pytest.param(pa.array([[("a", 1.5)]], pa.map_(pa.string(), pa.float64())), "map<string,double>", id="map"),
        pytest.param(pa.array([b"ab"], pa.binary(2)), "binary", id="bytes"),
        pytest.param(pa.array([None]), None, id="nothing"),
    ],
)
def test_a_type_is_what_spark_reads(tmp_path: Path, values: Any, kind: str | None) -> None:
    assert read_parquet_columns(written(tmp_path, values), "a.parquet") == (ParquetColumn("x", kind, nullable=True),)


def test_int96_is_a_timestamp(tmp_path: Path) -> None:
    path = written(tmp_path, pa.array([NOON], pa.timestamp("ns")), use_deprecated_int96_timestamps=True)

    assert [column.type for column in read_parquet_columns(path, "a.parquet")] == ["timestamp"]


@pytest.mark.parametrize(
    "values",
    [
        pytest.param(pa.array([NOON], pa.timestamp("ns")), id="nanoseconds"),
        pytest.param(pa.array([datetime.time(12)], pa.time64("us")), id="time of day"),
        pytest.param(pa.array([1], pa.decimal256(50, 0)), id="50 digits"),
    ],
)
def test_a_type_that_spark_does_not_read_is_refused_by_name(tmp_path: Path, values: Any) -> None:
    with pytest.raises(SourceError, match=r"a.parquet: column x is of type .*, which Spark does not read"):
        read_parquet_columns(written(tmp_path, values), "a.parquet")


@pytest.mark.parametrize("length", [0, 4, 60], ids=["no byte", "the first bytes", "cut off"])
def test_what_is_not_a_whole_file_is_refused(tmp_path: Path, length: int) -> None:
    path = written(tmp_path, pa.array([1, 2, 3]))
    path.write_bytes(path.read_bytes()[:length])

    with pytest.raises(SourceError, match=r"a.parquet: not a Parquet file, or cut off"):
        read_parquet_columns(path, "a.parquet")


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        pytest.param(["first-name", "unit price"], "struct<first_name:string,unit_price:string>", id="renamed"),
        pytest.param(["a", "lee.case@example.com"], "struct<a:string,field_2:string>", id="a personal value"),
        pytest.param(["a:b", "c<d>"], "struct<a_b:string,c_d_:string>", id="signs of a type"),
        pytest.param(["a b", "a-b"], "", id="two become one"),
        pytest.param(["City", "city"], "", id="two in two cases"),
        pytest.param([" "], "", id="no name"),
    ],
)
def test_nested_names_that_delta_refuses_are_renamed(tmp_path: Path, fields: list[str], kind: str) -> None:
    nested = pa.struct([pa.field(name, pa.string()) for name in fields])
    rows = pa.Table.from_arrays([pa.array([None], nested)], names=["person"])
    pq.write_table(rows, tmp_path / "a.parquet")

    if kind:
        assert read_parquet_columns(tmp_path / "a.parquet", "a.parquet")[0].type == kind
    else:
        with pytest.raises(SourceError, match=r"a\.parquet: column person: .*name"):
            read_parquet_columns(tmp_path / "a.parquet", "a.parquet")


def test_a_compression_that_spark_does_not_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [1]}), file, compression="brotli")

    with pytest.raises(SourceError, match="compressed with BROTLI, which Spark does not read"):
        read_parquet_columns(file, "a.parquet")


@pytest.mark.parametrize("compression", ["none", "snappy", "gzip", "zstd", "lz4"])
def test_each_other_compression_is_read(tmp_path: Path, compression: str) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [1]}), file, compression=compression)

    assert [column.name for column in read_parquet_columns(file, "a.parquet")] == ["id"]


def test_a_file_without_columns_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [1]}).select([]), file)

    with pytest.raises(SourceError, match="it has no columns"):
        read_parquet_columns(file, "a.parquet")
