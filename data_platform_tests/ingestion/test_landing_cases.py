"""Every file of a delivery is read, or the day is held with its name: the cases, each with its right result."""

import gzip
from pathlib import Path

import pytest

from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform_tests.case import CASES
from data_platform_tests.ingestion.landing_case import delivered, is_held, read, reasons


@pytest.mark.parametrize(
    ("case", "dataset", "ids"),
    [
        ("C42", "seen_upper", "1234"),
        ("C42", "seen_gz", "1234"),
        ("C42", "seen_only_upper", "12"),
        ("C43", "gz_good", "12"),
        ("C43", "gz_latin1", "12"),
        ("C43", "gz_two_members", "123"),
        ("C43", "gz_jsonl", "1"),
        ("C45", "header_only_part", "12"),
        ("C45", "empty_part", "12"),
        ("C45", "empty_part_jsonl", "1"),
        ("C47", "man_text_count", "12"),
        ("C47", "man_number_total", "12"),
        ("C47", "man_prefixed_sha", "12"),
        ("C47", "man_backslash", "12"),
        ("C47", "man_utf16", "12"),
        ("C61", "mix_order", "12"),
        ("C61", "cr_only", "12"),
        ("C61", "head_nfd", "1"),
        ("C61", "head_invisible", "1"),
    ],
)
def test_whole_deliveries_are_read_whole(case: str, dataset: str, ids: str) -> None:
    delivery, rows = delivered(case, dataset)

    assert not is_held(delivery)
    assert sorted(row["id"] for row in rows if not row["_malformed"]) == list(ids)
    assert not any(row["_malformed"] for row in rows)


@pytest.mark.parametrize(
    ("case", "dataset", "words"),
    [
        ("C42", "seen_sub", ("part2/orders_2.csv", "is in a folder")),
        ("C43", "gz_cut", ("orders.csv.gz", "cut off or damaged")),
        ("C43", "gz_named_csv", ("orders.csv", "compressed with gzip")),
        ("C43", "zip_named_csv", ("orders.csv", "compressed with zip")),
        ("C44", "trailer_full", ("line 5", "trailer record", "source.trailer")),
        ("C44", "trailer_short", ("line 5", "trailer record", "source.trailer")),
        ("C44", "leading_h", ("ledger.csv", "line 2", "source.header_record")),
        ("C46", "twice_no_key", ("orders.csv", "orders (1).csv", "same content")),
        ("C46", "twice_with_key", ("orders.csv", "orders - Copy.csv", "same content")),
        ("C61", "mix_delimiter", ("c.csv", "`;`")),
        ("C61", "mix_headerless", ("c.csv", "looks like a row")),
        ("C61", "mix_preamble", ("c.csv", "line 3")),
        ("C61", "mix_excel_hint", ("c.csv", "sep=")),
        ("C61", "mix_trailing", ("c.csv", "ends in a delimiter", "column 4")),
    ],
)
def test_others_are_held_with_the_name_of_the_file_and_the_cause(
    case: str, dataset: str, words: tuple[str, ...]
) -> None:
    delivery, _ = delivered(case, dataset)

    assert is_held(delivery)
    for word in words:
        assert word in reasons(delivery)


@pytest.mark.parametrize("dataset", ["trailer_full", "trailer_short"])
def test_a_declared_trailer_is_no_row_and_promises_count_and_total(dataset: str) -> None:  # C44
    delivery, rows = delivered("C44", dataset, trailer={"prefix": "T", "count": 2, "totals": {"amount": 3}})

    assert not is_held(delivery)
    assert [row["account"] for row in rows] == ["10000001", "10000002", "10000003"]
    assert (delivery.record_count, delivery.control_totals) == (3, {"amount": "60.00"})


def test_blank_lines_before_a_trailer_do_not_make_it_a_row(tmp_path: Path) -> None:  # C44
    text = (next(CASES.glob("C44_*")) / "landing" / "trailer_full" / "ledger.csv").read_text()
    (tmp_path / "ledger.csv").write_text(text.replace("T|3", "\n  \nT|3"))
    source = Source.model_validate({"format": "csv", "path": ".", "producer": "vendor-a", "delimiter": "|"})

    delivery, _ = read(tmp_path, source, Schema.of(Column(name=name) for name in ("account", "qty", "amount", "note")))

    assert is_held(delivery)
    assert "line 7 looks like a trailer record" in reasons(delivery)


def test_a_declared_header_record_is_not_the_header() -> None:  # C44
    delivery, rows = delivered("C44", "leading_h", header_record={"prefix": "H"})

    assert not is_held(delivery)
    assert [(row["account"], row["_line"]) for row in rows] == [("10000001", 3), ("10000002", 4), ("10000003", 5)]


def test_a_quoted_header_name_gets_one_name() -> None:  # C61
    delivery, rows = delivered("C61", "quoted_header")

    assert delivery.files[0].schema.names == ("id", "amount_USD")
    assert rows[0]["id"] == "1"


def test_an_empty_part_is_warned_of_in_every_format() -> None:  # C45
    for dataset, name in (("empty_part", "part-00001.csv"), ("empty_part_jsonl", "b.jsonl")):
        delivery, _ = delivered("C45", dataset)
        assert list(delivery.warnings) == [f"EMPTY_FILE:{name}"]


def test_a_nul_character_is_named_with_its_file_and_line() -> None:  # C61
    _, rows = delivered("C61", "nul_bytes")

    (bad,) = [row for row in rows if row["_malformed"]]
    assert (bad["_file"], bad["_line"]) == ("a.csv", 2)
    assert "NUL character" in bad["_malformed"]


def test_text_files_of_any_name_are_read_under_it(tmp_path: Path) -> None:  # C48
    names = (
        "orders 2025",
        "u\u0308bung",
        "orders%20x",
        "orders#1",
        "orders[1]",
        "a+b&c",
        "orders?",
        "a'b\"",
        "two\nlines",
    )
    for number, name in enumerate(names):
        (tmp_path / f"{name}.csv").write_text(f"id\n{number}\n")
    source = Source.model_validate({"format": "csv", "path": ".", "producer": "vendor-a"})

    delivery, rows = read(tmp_path, source, Schema.of([Column(name="id")]))

    assert not is_held(delivery)
    assert {row["_file"]: row["id"] for row in rows} == {f"{name}.csv": str(n) for n, name in enumerate(names)}


BLANK = {
    "nothing": b"",
    "a byte-order mark": b"\xef\xbb\xbf",
    "a mark of UTF-16": b"\xff\xfe",
    "a line end": b"\n",
    "old Macs' line ends": b"\r\r",
    "blanks": b"  \n\t\n",
    "the sign that ends a text of DOS": b"\x1a",
    "packed line ends": gzip.compress(b"\r\n\r\n"),
}


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize("content", BLANK.values(), ids=BLANK)
def test_a_part_with_nothing_to_see_is_empty_in_every_format(tmp_path: Path, kind: str, content: bytes) -> None:  # C45
    name = f"b.{kind}.gz" if content.startswith(b"\x1f\x8b") else f"b.{kind}"
    source, columns = Source.model_validate({"format": kind, "path": "in"}), Schema.of([Column(name="id")])
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / name).write_bytes(content)

    alone, _ = read(tmp_path, source, columns)
    (tmp_path / "in" / f"a.{kind}").write_text("id\n1\n" if kind == "csv" else '{"id": 1}\n')
    beside, rows = read(tmp_path, source, columns)

    assert list(alone.unreadable) == [name]
    assert not is_held(beside)
    assert list(beside.warnings) == [f"EMPTY_FILE:{name}"]
    assert [row["id"] for row in rows] == ["1"]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_part_of_nul_characters_is_not_empty(tmp_path: Path, kind: str) -> None:  # C45: what a failed copy leaves
    source, columns = Source.model_validate({"format": kind, "path": "in"}), Schema.of([Column(name="id")])
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / f"a.{kind}").write_text("id\n1\n" if kind == "csv" else '{"id": 1}\n')
    (tmp_path / "in" / f"b.{kind}").write_bytes(b"\0" * 64)

    assert is_held(read(tmp_path, source, columns)[0])


@pytest.mark.parametrize(
    ("written", "declared", "words"),
    [
        ("utf-16", "utf-8", "source.encoding: utf-16,"),
        ("utf-16-le", "utf-8", "source.encoding: utf-16-le"),
        ("utf-16-be", "cp1252", "source.encoding: utf-16-be"),
        ("utf-32", "utf-8", "source.encoding: utf-32,"),
        ("utf-8-sig", "cp1252", "source.encoding: utf-8,"),
        ("utf-16", "latin-1", "source.encoding: utf-16,"),
    ],
)
def test_another_encoding_is_reported_by_name_and_read_if_declared(
    tmp_path: Path, written: str, declared: str, words: str
) -> None:  # C09
    columns = Schema.of([Column(name="id"), Column(name="city")])
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_bytes("id,city\n1,Malmö\n".encode(written))

    held, _ = read(tmp_path, Source.model_validate({"format": "csv", "path": "in", "encoding": declared}), columns)
    _, rows = read(tmp_path, Source.model_validate({"format": "csv", "path": "in", "encoding": written}), columns)

    assert f"not valid {'UTF-8' if declared == 'utf-8' else declared}" in held.unreadable["a.csv"]
    assert words in held.unreadable["a.csv"]
    assert [(row["id"], row["city"]) for row in rows] == [("1", "Malmö")]


@pytest.mark.parametrize(
    ("written", "declared"), [("utf-16-le", "utf-16"), ("utf-16-be", "utf-16"), ("utf-16-be", "utf-16-le")]
)
def test_utf_16_without_a_mark_is_refused_with_its_byte_order(tmp_path: Path, written: str, declared: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_bytes("id,city\n1,Malmö\n".encode(written))

    source = Source.model_validate({"format": "csv", "path": "in", "encoding": declared})
    held, _ = read(tmp_path, source, Schema.of([Column(name="id"), Column(name="city")]))

    assert f"first bytes are {written.upper()}. Declare source.encoding: {written}," in held.unreadable["a.csv"]


def test_a_byte_order_mark_is_removed_also_with_a_declared_endianness(tmp_path: Path) -> None:  # C09
    columns = Schema.of([Column(name="city")])
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.csv").write_bytes(b"\xfe\xff" + "naïve\n1\n".encode("utf-16-be"))

    big_endian, _ = read(
        tmp_path, Source.model_validate({"format": "csv", "path": "in", "encoding": "utf-16-be"}), columns
    )
    other, _ = read(tmp_path, Source.model_validate({"format": "csv", "path": "in", "encoding": "utf-16-le"}), columns)

    assert big_endian.files[0].schema.names == ("naïve",)
    assert "UTF-16-BE" in other.unreadable["a.csv"]


@pytest.mark.parametrize(
    ("text", "written", "declared", "doubtful"),
    [
        ("Malmö", "utf-8", "cp1252", True),
        ("Malmö", "cp1252", "cp1252", False),
        ("Malmö", "utf-8", "utf-8", False),
        ("Malmö", "latin-1", "latin-1", False),
        ("Bonn", "ascii", "latin-1", False),
        ("“Malmö” 5 €", "cp1252", "latin-1", True),
        ("“Malmö” 5 €", "cp1252", "ISO-8859-15", True),
        ("“Malmö” 5 €", "cp1252", "cp1252", False),
    ],
)
def test_letters_of_another_encoding_that_are_read_as_others_are_warned_of(
    tmp_path: Path, text: str, written: str, declared: str, doubtful: bool
) -> None:  # C09
    (tmp_path / "in").mkdir()
    text = f"id,city\n1,{text}\n"
    (tmp_path / "in" / "a.csv").write_bytes(text.encode(written))

    source = Source.model_validate({"format": "csv", "path": "in", "encoding": declared})
    delivery, _ = read(tmp_path, source, Schema.of([Column(name="id"), Column(name="city")]))

    assert list(delivery.warnings) == (["DOUBTFUL_ENCODING:a.csv"] if doubtful else [])
    assert not is_held(delivery)
