"""Records of fixed width are cut where the layout says; each that does not fit is kept with its text and the reason."""

import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_platform.ingestion.delivery import Delivery
from data_platform.ingestion.delivery_file import DeliveryFile
from data_platform.ingestion.formats.fixed import block as block_module
from data_platform.ingestion.formats.fixed.fixed_format import FixedWidthFormat
from data_platform.ingestion.formats.text import share as share_module
from data_platform.ingestion.formats.text import window
from data_platform.ingestion.formats.text.share import tasks_of
from data_platform.ingestion.formats.text.text_format import read_share
from data_platform.model.fixed_layout import FixedLayout
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform_tests.example_count import examples
from data_platform_tests.ingestion.landing_case import read

COLUMNS = Schema.of([Column(name="id"), Column(name="name"), Column(name="amount")])
AMOUNT = {"start": 13, "length": 7, "decimals": 2}
LAYOUT: dict[str, Any] = {
    "fields": {
        "id": {"start": 2, "length": 5, "pad": "0", "align": "right"},
        "name": {"start": 7, "length": 6},
        "amount": AMOUNT,
    },
    "kind_start": 1,
    "header": {"literal": "H"},
    "detail": "D",
    "trailer": {"literal": "T", "count": {"start": 2, "length": 5}, "totals": {"amount": AMOUNT}},
}
PLAIN = {"fields": LAYOUT["fields"]}
ROWS = "H20250101\nD00012Ägon  0001234\nD00340Bob   0000100\nT00002      0001334\n"


def landed(landing: Path, content: bytes, layout: dict[str, Any] = LAYOUT, **keys: object) -> tuple[Delivery, Any]:
    (landing / "in").mkdir(exist_ok=True)
    (landing / "in" / "a.dat").write_bytes(content)
    source = {"format": "fixed_width", "path": "in", "layout": layout, **keys}
    delivery, rows = read(landing, Source.model_validate(source), COLUMNS)
    return delivery, [(row["_line"], row["id"], row["name"], row["amount"], row["_malformed"]) for row in rows]


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        pytest.param(ROWS.encode(), "utf-8", id="UTF-8"),
        pytest.param("\ufeff".encode() + ROWS.replace("\n", "\r\n").encode(), "utf-8", id="mark and CRLF"),
        pytest.param(ROWS.encode("utf-16"), "utf-16", id="UTF-16"),
        pytest.param(ROWS.encode("cp1252"), "cp1252", id="cp1252"),
        pytest.param(ROWS.encode("cp037"), "cp037", id="EBCDIC, line feeds"),
        pytest.param(ROWS.replace("\n", "\x85").encode("cp500"), "cp500", id="EBCDIC, new lines"),
        pytest.param(ROWS.replace("\n", "\r").encode(), "utf-8", id="returns"),
        pytest.param((ROWS + "\x1a").encode(), "utf-8", id="end of file of DOS"),
        pytest.param(ROWS.replace("\n", "\n\n").encode(), "utf-8", id="blank lines"),
    ],
)
def test_rows_and_control_totals_are_the_same_in_every_encoding(tmp_path: Path, content: bytes, encoding: str) -> None:
    delivery, rows = landed(tmp_path, content, encoding=encoding)

    assert (delivery.problems, delivery.unreadable) == ((), {})
    assert (delivery.record_count, delivery.control_totals) == (2, {"amount": "13.34"})
    assert [row[1:] for row in rows] == [("12", "Ägon", "12.34", None), ("340", "Bob", "1.00", None)]
    assert [row[0] for row in rows] == ([2, 3] if content != ROWS.replace("\n", "\n\n").encode() else [3, 5])


def test_records_without_line_ends_have_a_number_of_bytes(tmp_path: Path) -> None:
    layout = {**LAYOUT, "record_bytes": 20}
    records = [b"H20250101", b"D00012\0\0\0\0\0\x000001234", b"D00340B\0b   0000100", b"T00002      0001334"]
    content = b"".join(record.ljust(20) for record in records).decode().encode("cp037")

    delivery, rows = landed(tmp_path, content, layout, encoding="cp037")

    assert (delivery.problems, delivery.record_count) == ((), 2)
    assert rows == [
        (2, "12", None, "12.34", None),  # NUL characters fill an empty field
        (3, None, None, None, "field name: a NUL character within a field"),
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("D00012Anna  000123", "18 characters, expected 19"),
        ("D00012Anna  00012345", "20 characters, expected 19"),
        ("D00012Anna  00012.3", "field amount: expected digits alone, with 2 implied decimals"),
        ("D00012Anna  0,01234", "field amount: expected digits alone, with 2 implied decimals"),
        ("X00012Anna  0001234", "a record of an unknown kind, by the literal at source.layout.kind_start"),
        ("H20250101", "a header record that is not at the beginning of the file"),
    ],
)
def test_a_record_that_does_not_fit_costs_only_itself(tmp_path: Path, line: str, reason: str) -> None:
    content = f"H\nD00001a     0000001\n{line}\nD00002b     0000002\nT00003      0000003\n"

    delivery, rows = landed(tmp_path, content.encode())

    assert delivery.problems == ()
    assert rows == [
        (2, "1", "a", "0.01", None), (3, None, None, None, reason), (4, "2", "b", "0.02", None)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("place", "text", "value"),
    [
        ({}, "  a b ", "a b"),
        ({}, "      ", None),
        ({"pad": "0", "align": "right"}, "000000", "0"),
        ({"pad": "0", "align": "right"}, "000120", "120"),
        ({"pad": "0", "align": "left"}, "A10000", "A1"),
        ({"pad": "*", "align": "right"}, "***1.5", "1.5"),
        ({"pad": "_", "align": "left"}, "______", None),
        ({"decimals": 2}, "     7", "0.07"),
        ({"decimals": 2}, "      ", None),
        ({"decimals": 0}, "-00120", "-120"),
        ({"decimals": 3, "sign": "trailing"}, "01200-", "-1.200"),
        ({"decimals": 2, "sign": "overpunch"}, "00012}", "-1.20"),
        ({"decimals": 2, "sign": "overpunch"}, "00012A", "1.21"),
        ({"decimals": 2, "sign": "overpunch"}, "000123", "1.23"),
        ({"decimals": 2, "sign": "overpunch"}, "00012R", "-1.29"),
    ],
)
def test_a_value_loses_its_padding_and_gains_its_point(
    tmp_path: Path, place: dict[str, Any], text: str, value: str | None
) -> None:
    layout = {"fields": {"id": {"start": 1, "length": 1}, "name": {"start": 2, "length": 6, **place}}}

    _, rows = landed(tmp_path, f"1{text}\n".encode(), layout)

    assert rows == [(1, "1", value, None, None)]


@pytest.mark.parametrize(
    ("content", "keys", "problems"),
    [
        pytest.param(ROWS[:-3], {}, {"TRAILER_INVALID:a.dat"}, id="cut trailer"),
        pytest.param(ROWS[:45], {}, {"CUT_OFF:a.dat", "NO_TRAILER:a.dat"}, id="cut row"),
        pytest.param(ROWS[10:], {}, {"NO_HEADER:a.dat"}, id="no header"),
        pytest.param(ROWS * 2, {}, set(), id="two files in one"),
        pytest.param(ROWS.replace("T00002", "T0000x"), {}, {"TRAILER_INVALID:a.dat"}, id="no number"),
    ],
)
def test_the_ends_of_a_file_are_checked(tmp_path: Path, content: str, keys: Any, problems: set[str]) -> None:
    delivery, _ = landed(tmp_path, content.encode(), **keys)

    assert set(delivery.problems) == problems


def test_nothing_behind_a_trailer_is_read(tmp_path: Path) -> None:
    _, rows = landed(tmp_path, (ROWS + ROWS).encode())

    assert [row[0] for row in rows] == [2, 3, 4]
    assert rows[2][4].startswith("a trailer is before the last line")


def test_counts_in_header_and_trailer_must_agree(tmp_path: Path) -> None:
    header = {"literal": "H", "count": {"start": 2, "length": 5}, "counts_also": 2}

    agreed, _ = landed(tmp_path, ROWS.replace("H20250101", "H00004").encode(), {**LAYOUT, "header": header})
    differs, _ = landed(tmp_path, ROWS.replace("H20250101", "H00005").encode(), {**LAYOUT, "header": header})

    assert (agreed.problems, agreed.record_count) == ((), 2)
    assert differs.problems == ("HEADER_DIFFERS:a.dat",)


def test_a_trimmed_record_may_be_short(tmp_path: Path) -> None:
    delivery, rows = landed(tmp_path, b"D00012Anna\nD00013\nD00014      00012\n", {**PLAIN, "trimmed": True})

    assert (delivery.problems, [row[1:] for row in rows]) == (
        (), [("12", "Anna", None, None), ("13", None, None, None),
             (None, None, None, "field amount: the record ends within its digits")]
    )  # fmt: skip


def test_positions_in_bytes_count_two_for_a_wide_character(tmp_path: Path) -> None:
    layout = {**PLAIN, "positions": "bytes"}
    content = "D00012全角 x0001234\nD0001全aaaaa0001234\n".encode("cp932")

    _, rows = landed(tmp_path, content, layout, encoding="cp932")

    assert rows[0] == (1, "12", "全角 x", "12.34", None)
    assert rows[1][4] == "field id: it begins or ends within a character"


def test_a_trailer_with_a_byte_that_is_not_valid_is_no_trailer(tmp_path: Path) -> None:
    content = ROWS.encode()[:-20] + b"\x85\xffT00002      0001334\n"

    delivery, _ = landed(tmp_path, content, {**LAYOUT, "positions": "bytes"}, encoding="cp932")

    assert "NO_TRAILER:a.dat" in delivery.problems


@pytest.mark.parametrize(
    ("content", "encoding", "reason"),
    [
        (ROWS.encode("cp037"), "cp1252", "its bytes look like EBCDIC"),
        (ROWS.encode(), "cp037", "its bytes are ASCII, and cp037 is EBCDIC"),
        (b"", "utf-8", "no record: the file is empty"),
    ],
)
def test_a_file_in_another_encoding_is_refused(tmp_path: Path, content: bytes, encoding: str, reason: str) -> None:
    delivery, _ = landed(tmp_path, content, encoding=encoding)

    assert delivery.unreadable["a.dat"].startswith(reason)


def test_a_byte_that_is_not_valid_ends_lines_but_costs_one_record_of_known_size(tmp_path: Path) -> None:
    rows = [b"D00012Anna  0001234", b"D00013\xffnna  0001234", b"D00014Anna  0001234"]

    _, in_lines = landed(tmp_path, b"\n".join(rows) + b"\n", PLAIN)
    _, in_bytes = landed(tmp_path, b"".join(rows), {**PLAIN, "record_bytes": 19})

    assert [(row[0], row[1]) for row in in_lines] == [(1, "12"), (2, None)]
    assert in_lines[1][4].endswith("nothing from here on was read")
    assert [(row[0], row[1], row[4]) for row in in_bytes] == [
        (1, "12", None), (2, None, "not valid utf-8"), (3, "14", None)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("layout", "problem"),
    [
        ({"fields": {}}, "at least 1"),
        ({**PLAIN, "length": 18}, "amount: ends behind the record"),
        ({**PLAIN, "kind_start": 1}, "kind_start has no effect"),
        ({**PLAIN, "detail": "D"}, "kind_start is missing"),
        ({**LAYOUT, "detail": "HD"}, "the literal of one kind of record begins that of another"),
        ({"fields": {"a": {"start": 1, "length": 2, "pad": "0"}}}, "needs align"),
        ({"fields": {"a": {"start": 1, "length": 2}, "A": {"start": 1, "length": 2}}}, "differ only in case"),
        ({"fields": {"a b": {"start": 1, "length": 2}}}, "cannot be the name of a column"),
        ({**PLAIN, "record_bytes": 19, "trimmed": True}, "length and trimmed have no effect"),
    ],
)
def test_a_layout_that_no_file_can_have_is_refused(layout: dict[str, Any], problem: str) -> None:
    with pytest.raises(ValueError, match=problem):
        FixedLayout.model_validate(layout)


def test_a_source_of_fixed_width_needs_a_layout() -> None:
    with pytest.raises(ValueError, match="layout: format fixed_width needs it"):
        Source.model_validate({"format": "fixed_width", "path": "in"})


PARTS = ["D00012Anna  0001234\n",
         "D00012Änna  0001234\r\n", "D1\n", "\n", "\r", "X", "H1\n", "T00002      0001334\n", "\0",
         "D00012Anna  00x1234\n", "\x1a\n", "\ufeff"]  # fmt: skip


@settings(max_examples=examples(100))
@given(st.lists(st.sampled_from(PARTS), max_size=25), st.binary(max_size=2), st.sampled_from([None, 20]))
def test_blocks_and_shares_read_what_a_single_block_reads(
    parts: list[str], odd: bytes, record_bytes: int | None
) -> None:
    padded = [part.rstrip("\n").ljust(record_bytes) if record_bytes else part for part in parts]
    content = "".join(padded).encode() + odd
    fixed = FixedWidthFormat(FixedLayout.model_validate({**LAYOUT, "record_bytes": record_bytes}))
    whole = rows_of(fixed, content)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_module, "LARGE", 64)
        patch.setattr(window, "READ_AHEAD", 64)
        patch.setattr(window, "BLOCK", 32)
        patch.setattr(share_module, "SHARE_BYTES", 40)

        assert rows_of(fixed, content) == whole


def rows_of(fixed: FixedWidthFormat, content: bytes) -> list[Any]:
    """The rows of a file in memory, share by share."""

    class File(DeliveryFile):
        def open(self) -> Any:
            return io.BytesIO(content)

    file = File(name="a", path="a", bytes=len(content), record_count=None, schema=COLUMNS, renamed={})
    shares = [share for task in tasks_of(fixed, [file], 2) for share in task]
    batches = [batch for share in shares for batch in read_share(fixed, file, COLUMNS, share)]
    return [tuple(row.values()) for batch in batches for row in batch.to_pylist()]
