"""A CSV file loses no record, binds by name, and never turns bytes into other characters."""

import csv
import io
from contextlib import suppress
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_platform.errors import SourceError
from data_platform.ingestion.formats.csv.dialect import CsvDialect
from data_platform.ingestion.formats.csv.parser import MAX_RECORD_LINES, read_header, read_records
from data_platform.ingestion.formats.text.record import Record
from data_platform_tests.case import case_file, expected


def records(text: str | bytes, dialect: CsvDialect | None = None) -> list[Record]:
    source = text.encode() if isinstance(text, str) else text
    return list(read_records(io.BytesIO(source), "orders.csv", dialect))


def rows(case: str, name: str, dialect: CsvDialect | None = None) -> list[dict[str, str | None]]:
    content = case_file(case, name).read_bytes()
    names = read_header(io.BytesIO(content), name, dialect).names
    return [dict(zip(names, record.values, strict=True)) for record in records(content, dialect)]


def test_malformed_records_are_kept_with_line_raw_text_and_reason() -> None:  # C08
    found = records(case_file("C08", "orders.csv").read_bytes())

    assert len(found) == expected("C08")["records_in_file"]
    malformed = [{"line": r.line, "raw": r.raw, "reason": r.malformed} for r in found if r.malformed]
    assert malformed == expected("C08")["quarantined"][1:]  # the first is well-formed text, and a type mismatch


@pytest.mark.parametrize(
    ("name", "encoding"),
    [
        pytest.param("customers_bom.csv", "utf-8", id="byte-order mark"),
        pytest.param("customers_bom_quoted.csv", "utf-8", id="byte-order mark before a quote"),
        pytest.param("customers_utf16.csv", "utf-16", id="UTF-16"),
        pytest.param("customers_cp1252.csv", "cp1252", id="Windows"),
    ],
)
def test_a_named_encoding_is_read_right(name: str, encoding: str) -> None:  # C09
    found = rows("C09", name, CsvDialect(encoding=encoding))

    assert list(found[0]) == expected("C09")["columns"]
    assert [list(row.values()) for row in found] == expected("C09")["rows"]


@pytest.mark.parametrize("name", ["customers_utf16.csv", "customers_cp1252.csv"])
def test_an_unnamed_encoding_is_refused(name: str) -> None:  # C09
    with pytest.raises(SourceError, match="not valid UTF-8"):
        rows("C09", name)


def test_an_unknown_encoding_is_named() -> None:
    with pytest.raises(SourceError, match="'utf-9' is not an encoding"):
        records("id\n1\n", CsvDialect(encoding="utf-9"))


def test_a_reordered_header_binds_by_name() -> None:  # C11
    assert rows("C11", "reordered.csv") == [{"amount": "10", "id": "1"}, {"amount": "20", "id": "2"}]
    assert [{k: int(v or 0) for k, v in row.items()} for row in rows("C11", "reordered.csv")] == expected("C11")[
        "reordered.csv"
    ]["rows"]


@pytest.mark.parametrize("name", ["duplicate.csv", "case_collision.csv", "blank.csv"])
def test_a_header_that_cannot_be_bound_is_refused(name: str) -> None:  # C11
    reason = str(expected("C11")[name]).removeprefix("reject: ")
    with pytest.raises(SourceError, match=reason):
        rows("C11", name)


def test_identifiers_keep_every_character() -> None:  # C12
    assert [list(row.values()) for row in rows("C12", "accounts.csv")] == expected("C12")["rows"]


def test_a_file_without_a_byte_has_no_header() -> None:  # C16
    with pytest.raises(SourceError, match=expected("C16")["zero_byte.csv"]["reason"]):
        rows("C16", "zero_byte.csv")


@pytest.mark.parametrize("name", ["header_only.csv", "blank_lines.csv"])
def test_a_header_alone_has_no_records(name: str) -> None:  # C16
    assert len(rows("C16", name)) == expected("C16")[name]["rows"]


def test_names_that_become_one_in_delta_collide() -> None:  # C17
    with pytest.raises(SourceError, match="Order ID / Order_ID are one column name"):
        records("Order ID,Order_ID\n1,2\n")


def test_invalid_names_are_renamed_and_map_back() -> None:  # C17
    content = case_file("C17", "orders.csv").read_bytes()

    header = read_header(io.BytesIO(content), "orders.csv")

    assert list(header.original) == expected("C17")["columns_in"]
    assert header.names == ("Order_ID", "Order-ID", "amount_$_", "a.b", "naïve", "cost_%")
    assert header.renamed == {"Order_ID": "Order ID", "amount_$_": "amount($)", "cost_%": "cost %"}
    assert len(records(content)) == expected("C17")["rows"]


def test_an_unclosed_quote_costs_its_own_line_only() -> None:
    found = records('id,note\n1,"open\n2,b\n3,c\n')

    assert [(r.line, r.values) for r in found] == [(2, ()), (3, ("2", "b")), (4, ("3", "c"))]
    assert found[0].malformed == "a quote is opened and never closed"


def test_an_unclosed_quote_in_a_long_file_is_given_up_after_a_bound() -> None:
    found = records('id,note\n1,"open\n' + "2,b\n" * (2 * MAX_RECORD_LINES))

    assert len(found) == 1 + 2 * MAX_RECORD_LINES
    assert [r.line for r in found if r.malformed] == [2]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        pytest.param('1,"a\nb"\n', ("1", "a\nb"), id="line end in quotes"),
        pytest.param('1,"a ""b"" c"\n', ("1", 'a "b" c'), id="doubled quotes"),
        pytest.param('1,5" pipe\n', ("1", '5" pipe'), id="a quote inside plain text"),
        pytest.param('1,""\n', ("1", None), id="empty quotes"),
        pytest.param("1,x\r\n", ("1", "x"), id="Windows line end"),
        pytest.param("1,x", ("1", "x"), id="no last line end"),
    ],
)
def test_rfc_4180_quoting(text: str, values: tuple[str | None, ...]) -> None:
    assert [r.values for r in records("id,note\n" + text)] == [values]


def test_text_beside_a_quoted_field_is_malformed() -> None:
    assert [r.malformed for r in records('id,note\n1,"a"b\n2,c\n')] == ["text next to a quoted field", ""]


@pytest.mark.parametrize("quote", ["", '"'], ids=["plain", "quoted"])
def test_a_field_may_be_longer_than_pythons_csv_allows(quote: str) -> None:
    note = "x" * 200_000

    (found,) = records(f'id,note\n"1",{quote}{note}{quote}\n')

    assert found.values == ("1", note)


def test_records_before_undecodable_bytes_are_given_and_the_line_is_named() -> None:
    rest = read_records(io.BytesIO(b"id\n" + b"1\n" * 500 + b"\xe9\n2\n"), "orders.csv")

    assert [record.line for record in islice(rest, 500)] == list(range(2, 502))
    with pytest.raises(SourceError, match=r"orders.csv:502: not valid UTF-8"):
        next(rest)


def test_lines_read_ahead_behind_an_open_quote_are_not_lost_to_undecodable_bytes() -> None:
    rest = read_records(io.BytesIO(b'id,note\n1,"open\n2,b\n3,c\n4,\xe9\n'), "orders.csv")

    assert [(record.line, bool(record.malformed)) for record in islice(rest, 3)] == [(2, True), (3, False), (4, False)]
    with pytest.raises(SourceError, match=r"orders.csv:5: not valid UTF-8"):
        next(rest)


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=2, max_size=2)))
def test_what_a_csv_writer_wrote_is_read_back(table: list[list[str]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["id", "note"], *table])
    quotes_may_hold_long_texts = all(
        value.count("\n") + value.count("\r") < MAX_RECORD_LINES for row in table for value in row
    )

    found = records(text.getvalue())

    assert quotes_may_hold_long_texts
    assert [[value or "" for value in record.values] for record in found] == table


@given(st.binary())
def test_junk_is_records_or_a_clear_error(content: bytes) -> None:
    with suppress(SourceError):  # any other error is a crash
        assert all(record.malformed or record.values for record in records(content))


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        pytest.param("id,amount", "a repeated header line", id="as it is"),
        pytest.param("\ufeff7,8", "a byte-order mark within the file, as where files were joined", id="a mark"),
        pytest.param('\ufeff"id", amount ', "a repeated header line", id="with a mark, quotes and blanks"),
        pytest.param("--,------", "a line of dashes, not a record", id="a rule of a database's client"),
    ],
)
def test_lines_among_rows_that_are_not_rows_are_quarantined(line: str, reason: str) -> None:  # C61
    found = records(f"id,amount\n1,2\n{line}\n3,4\n")

    assert [record.malformed for record in found] == ["", reason, ""]


def test_the_name_of_an_only_column_may_be_a_value() -> None:
    assert [record.values for record in records("word\nword\n--\n")] == [("word",), ("--",)]


def test_a_line_of_blanks_is_no_record_unless_blanks_separate() -> None:  # C61
    assert [record.line for record in records("a,b\n1,2\n  \t\n3,4\n")] == [2, 4]
    assert len(records("a b\n \n", CsvDialect(delimiter=" "))) == 1
