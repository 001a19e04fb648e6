"""The format of a legacy job's output is detected from its name or content, or must be given."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from data_platform.errors import SourceError, UsageError
from data_platform.parity.output import LegacyOutput, OutputFormat, OutputPlace, guess_format, read_output


def place(path: Path, kind: str, **said: str) -> OutputPlace:
    return OutputPlace(path=str(path), format=OutputFormat(kind), **said)


def texts(found: LegacyOutput) -> list[tuple[object, ...]]:
    return sorted(tuple(row[name] for name in found.schema.names) for row in found.rows.collect())


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        pytest.param(["a.csv"], "csv", id="CSV"),
        pytest.param(["a.jsonl", "b.ndjson", "c.json"], "jsonl", id="JSON lines"),
        pytest.param(["day=1/part-0.snappy.parquet", "_SUCCESS", ".part-0.crc"], "parquet", id="as Spark leaves it"),
        pytest.param(["_delta_log/0.json", "part-0.parquet"], "delta", id="Delta"),
        pytest.param(["a.csv", "readme.txt"], "csv", id="one known ending"),
    ],
)
def test_the_format_is_detected_from_the_files(tmp_path: Path, names: list[str], kind: str) -> None:
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    assert guess_format(str(tmp_path)) is OutputFormat(kind)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        pytest.param([], r"\(no file\): name it: --format csv, jsonl, parquet, delta", id="empty folder"),
        pytest.param(["a.csv", "b.parquet"], r"\(.csv, .parquet\)", id="two formats"),
        pytest.param(["a.dat", "b"], r"\(.dat, no ending\)", id="unknown endings"),
    ],
)
def test_a_format_that_cannot_be_detected_must_be_named(tmp_path: Path, names: list[str], words: str) -> None:
    for name in names:
        (tmp_path / name).touch()

    with pytest.raises(UsageError, match=words):
        guess_format(str(tmp_path))
    with pytest.raises(UsageError, match="does not exist"):
        guess_format(str(tmp_path / "none"))
    with pytest.raises(UsageError, match="is not known without reading it"):
        guess_format("hdfs://cluster/out")


def test_files_of_text_are_read_by_their_headers_and_unpacked_from_folders(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "a.csv").write_bytes("id;Größe\n1;5\n".encode("latin-1"))
    (tmp_path / "sub" / "b.CSV").write_bytes("größe;id;more\n6;2;x\n".encode("latin-1"))
    (tmp_path / "_broken.csv").write_bytes(b"")

    found = read_output(spark, place(tmp_path, "csv", delimiter=";", encoding="latin-1"))

    assert (found.schema.names, found.side.files, found.is_text) == (("id", "Größe", "more"), 2, True)
    assert sorted(texts(found), key=str) == [("1", "5", None), ("2", "6", "x")]


def test_json_lines_keep_their_digits(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "out.json").write_text('{"id": 1, "amount": 0.10}\n{"id": 12345678901234567890}\nnot json\n')

    found = read_output(spark, place(tmp_path / "out.json", "jsonl"))

    read = found.rows.collect()
    assert [(row["id"], row["amount"]) for row in read[:2]] == [("1", "0.10"), ("12345678901234567890", None)]
    assert read[2]["_malformed"]


def test_parquet_files_are_read_with_the_columns_of_all(spark: SparkSession, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"id": [2], "x": ["y"]}), tmp_path / "b.parquet")

    found = read_output(spark, place(tmp_path, "parquet"))

    assert found.schema.names == ("id", "x")
    assert sorted(texts(found), key=str) == [(1, None), (2, "y")]


@pytest.mark.parametrize(
    ("content", "kind", "said", "words"),
    [
        pytest.param(b"", "csv", {}, "no header: the file is empty", id="empty file"),
        pytest.param(b"id,ID\n1,2\n", "csv", {}, "id / ID are one column name", id="one name twice"),
        pytest.param(b"id\n", "csv", {"delimiter": "||"}, "expected one character", id="long delimiter"),
        pytest.param(
            b"id\n",
            "csv",
            {"encoding": "klingon"},
            "klingon is not a Python encoding",
            id="no encoding",
        ),
        pytest.param(b"id\n", "parquet", {}, "cannot be read as parquet", id="no Parquet"),
        pytest.param(b"id\n", "delta", {}, "is not a Delta table", id="no Delta table"),
    ],
)
def test_unreadable_output_is_a_clear_error(
    spark: SparkSession, tmp_path: Path, content: bytes, kind: str, said: dict[str, str], words: str
) -> None:
    (tmp_path / "out.dat").write_bytes(content)

    with pytest.raises(UsageError if said else SourceError, match=words):
        read_output(spark, place(tmp_path / "out.dat", kind, **said))
