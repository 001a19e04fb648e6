"""A legacy job's output against a certified version: never another one, and no personal value ever shown."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from data_platform.errors import DataPlatformError, NotCertifiedError, SourceError, UsageError
from data_platform.model.pii_policy import Pii
from data_platform.model.schema import Column, Schema
from data_platform.parity.output import OutputFormat, OutputPlace, guess_format
from data_platform.parity.report import PERSONAL, ParityReport, ParityVerdict, Sample
from data_platform.parity.rule import Rules, Tolerance
from data_platform.parity.run import ParityRequest, compare, personal_columns
from data_platform_tests.flows.estate import DAY, Estate, a_day
from data_platform_tests.gates.personal import rule
from data_platform_tests.parity.conftest import LINES, SALES

HEADER = "id,amount,note,email"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """What the legacy job writes: the good day, as our own sender delivered it."""
    return written(tmp_path, HEADER, *LINES)


def written(folder: Path, *lines: str) -> Path:
    path = folder / "orders.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def compared(sales: Estate, path: Path, **said: Any) -> ParityReport:
    opened = sales.platform()
    try:
        place = OutputPlace(path=str(path), format=guess_format(str(path)))
        request = ParityRequest(**{"output": place, "dataset": SALES, "partition": str(DAY), **said})
        return compare(opened, request, lambda _step: None)
    finally:
        opened.close()


def test_the_same_day_of_both_is_parity_though_ours_has_tokens(sales: Estate, out: Path) -> None:
    report = compared(sales, out)

    assert (report.verdict, report.rows.equal, report.keys) == (ParityVerdict.PARITY, 3, ("id",))
    assert [column.name for column in report.columns if column.personal] == ["email"]
    assert (report.new.version, report.partition, report.only_in_new) == (3, "2025-01-06", ())  # see SALES: v1's rows


def test_differences_are_shown_without_personal_values(sales: Estate, tmp_path: Path) -> None:
    lines = ("1,10.505,first,ann@example.org", "2,x,second,bob@example.com", "9,1,ninth,zoe@example.com")

    report = compared(sales, written(tmp_path, HEADER, *lines), samples=5)

    assert report.verdict is ParityVerdict.DIFFERENT
    assert report.samples == (
        Sample("different", {"id": "1"}, {"amount": ("10.505", "10.5")}),
        Sample("different", {"id": "2"}, {"amount": (None, "20")}),
        Sample("only in legacy", {"id": "9"}),
        Sample("only in new", {"id": "3"}),
    )
    by_name = {column.name: column for column in report.columns}
    assert (by_name["amount"].unreadable, by_name["amount"].max_difference) == (1, 0.005)
    assert by_name["email"].different == 1
    assert "example" not in str(report)


def test_a_personal_key_meets_its_token_and_is_not_shown(sales: Estate, tmp_path: Path) -> None:
    report = compared(sales, written(tmp_path, HEADER, *LINES[:2], "3,30.00,else,"), keys=("email",), samples=5)

    assert (report.rows.equal, report.rows.different) == (2, 1)  # the third address is NULL on both sides
    assert report.samples == (Sample("different", {"email": PERSONAL}, {"note": ("else", "third")}),)


def test_samples_are_the_first_of_each_kind_and_none_unless_asked_for(sales: Estate, tmp_path: Path) -> None:
    path = written(tmp_path, HEADER, *(f"{number},1,x," for number in range(30, 10, -1)))

    assert compared(sales, path).samples == ()
    found = compared(sales, path, samples=2).samples
    assert [(s.found, s.key["id"]) for s in found] == [
        ("only in legacy", "11"), ("only in legacy", "12"), ("only in new", "1"), ("only in new", "2"),
    ]  # fmt: skip


def test_without_a_day_the_partition_is_part_of_the_promised_key(sales: Estate, tmp_path: Path) -> None:
    lines = [f"{line},{DAY}" for line in LINES] + [f"{LINES[0]},2025-01-09"]

    whole = compared(sales, written(tmp_path, f"{HEADER},day", *lines), partition=None)
    day = compared(sales, tmp_path / "orders.csv")

    assert (whole.keys, whole.rows.equal, whole.rows.only_in_legacy) == (("id", "day"), 3, 1)
    assert (day.verdict, day.keys, day.rows.legacy) == (ParityVerdict.PARITY, ("id",), 3)


def test_a_row_of_a_day_that_cannot_be_read_is_not_left_out(sales: Estate, tmp_path: Path) -> None:
    lines = [f"{line},{DAY}" for line in LINES] + ["4,1,x,,6.1.2025", '5,1,"x'] + ["6,1,x,,2025-01-09"]

    report = compared(sales, written(tmp_path, f"{HEADER},day", *lines))

    assert (report.rows.legacy, report.rows.equal, report.rows.only_in_legacy, report.rows.malformed) == (5, 3, 1, 1)


def test_names_are_mapped_ignored_and_reported(sales: Estate, tmp_path: Path) -> None:
    path = written(tmp_path, "ORDER NO,Amount,remark,load_time", *(f"{n},{n}0.50,x,now" for n in (1, 2, 3)))

    report = compared(
        sales, path, keys=("order no",), renamed={"ORDER NO": "id"}, ignored=("remark", "email"),
        rules=Rules(tolerance=Tolerance.parse("--tolerance", ["amount=0.5"])),
    )  # fmt: skip

    assert report.renamed == {"ORDER_NO": "id", "Amount": "amount"}
    assert (report.only_in_legacy, report.only_in_new, report.ignored) == (
        ("load_time",),
        ("note",),
        ("email", "remark"),
    )
    assert (report.rows.equal, report.rows.within_tolerance, report.verdict) == (1, 2, ParityVerdict.DIFFERENT)


@pytest.mark.parametrize("kind", ["parquet", "delta"])
def test_typed_outputs_are_read_with_their_partitions(
    sales: Estate, spark: SparkSession, tmp_path: Path, kind: str
) -> None:
    rows = spark.createDataFrame(
        [(n, float(n * 10) + (0.5 if n == 1 else 0), text, None, day) for n, text, day in
         ((1, "first", DAY.value), (2, "second", DAY.value), (3, "third", DAY.value), (7, "later", a_day(9).value))],
        "id bigint, amount double, note string, email string, day date",
    )  # fmt: skip
    rows.write.format(kind).partitionBy("day").save(str(tmp_path / "out [1]"))

    report = compared(sales, tmp_path / "out [1]", ignored=("email",))

    assert report.verdict is ParityVerdict.PARITY
    assert (report.rows.legacy, report.legacy.version) == (3, 0 if kind == "delta" else None)
    assert {c.name: c.compared_as for c in report.columns}["amount"] == "double"


def test_a_held_day_is_not_compared_and_the_rows_before_it_are(sales: Estate, out: Path) -> None:
    assert compared(sales, out).new.version == 3  # the table as it was restored after the held day: the rows of v1
    with pytest.raises(NotCertifiedError, match="2025-01-07 was never certified: run it until its gates pass"):
        compared(sales, out, partition="2025-01-07")


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        pytest.param({"dataset": "saels"}, UsageError, "did you mean sales", id="no such dataset"),
        pytest.param({"partition": "6.1.2025"}, UsageError, "is not a partition; expected a day", id="no day"),
        pytest.param({"keys": ("ident",)}, UsageError, "key ident is a column of neither side", id="no such key"),
        pytest.param({"keys": ("day",)}, UsageError, "the legacy output lacks it", id="a key of one side"),
        pytest.param({"ignored": ("id", "emali")}, UsageError, "emali is a column of neither side; --ignore id: it",
                     id="all problems together"),
        pytest.param({"output": OutputPlace(path="none.csv", format=OutputFormat.CSV)}, UsageError, "does not exist",
                     id="no such output"),
    ],
)  # fmt: skip
def test_wrong_use_is_a_clear_error(
    sales: Estate, out: Path, said: dict[str, Any], error: type[DataPlatformError], words: str
) -> None:
    with pytest.raises(error, match=words):
        compared(sales, out, **said)


def test_a_day_that_is_no_day_cannot_be_asked_for(sales: Estate, tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1], "day": [6]}), tmp_path / "out.parquet")

    with pytest.raises(UsageError, match="the legacy output's day is BIGINT and not a day: leave --partition out"):
        compared(sales, tmp_path / "out.parquet")


def test_a_file_that_ends_in_bytes_of_no_text_is_an_error(sales: Estate, tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_bytes(f"{HEADER}\n{LINES[0]}\n2,1,caf\xe9,\n".encode("latin-1"))

    with pytest.raises(SourceError, match=r"1 of its files cannot be read to the end.* --encoding names"):
        compared(sales, path)

    place = OutputPlace(path=str(path), format=OutputFormat.CSV, encoding="latin-1")
    assert compared(sales, path, output=place).rows.legacy == 2


def test_a_broken_parquet_file_is_an_error_of_ours(sales: Estate, tmp_path: Path) -> None:
    (tmp_path / "cut.parquet").write_bytes(b"PAR1 and no footer")

    with pytest.raises(SourceError, match="cannot be read as parquet") as told:
        compared(sales, tmp_path / "cut.parquet")

    assert "Exception:" not in str(told.value)


def test_a_rule_without_fields_makes_every_text_personal() -> None:
    schema = Schema.of([Column(name="Id", type="int"), Column(name="Note"), Column(name="tags", type="array<string>")])

    assert personal_columns(Pii(), schema) == set()
    assert personal_columns(Pii(detection=(rule("EMAIL"),)), schema) == {"note", "tags"}
    assert personal_columns(Pii(detection=(rule("EMAIL", "mask", "NOTE"),)), schema) == {"note", "tags"}
