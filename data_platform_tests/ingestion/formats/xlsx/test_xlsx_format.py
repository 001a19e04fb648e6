"""A sheet's rows have the values that Excel shows; a cell without a sure value costs its row, with a reason."""

from pathlib import Path
from typing import Any

import pytest

from data_platform.ingestion.delivery import Delivery
from data_platform.ingestion.formats.xlsx.workbook import moment_of
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform_tests.ingestion.formats.xlsx.workbook_file import number, row, sheet, text, workbook
from data_platform_tests.ingestion.landing_case import read

COLUMNS = Schema.of([Column(name="id"), Column(name="value")])
HEADER = row(1, text("A1", "id"), text("B1", "value"))


def landed(landing: Path, content: bytes, **keys: object) -> tuple[Delivery, Any]:
    (landing / "in").mkdir(exist_ok=True)
    (landing / "in" / "a.xlsx").write_bytes(content)
    delivery, rows = read(landing, Source.model_validate({"format": "xlsx", "path": "in", **keys}), COLUMNS)
    return delivery, [(one["_line"], one["id"], one["value"], one["_malformed"]) for one in rows]


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        pytest.param(number("B2", "0.10000000000000001"), "0.1", id="a float"),
        pytest.param(number("B2", "12.50"), "12.50", id="digits as written"),
        pytest.param(number("B2", "1.5E-7"), "0.00000015", id="an exponent"),
        pytest.param(number("B2", "123456789012345"), "123456789012345", id="15 digits"),
        pytest.param(text("B2", "007"), "007", id="a number that is text"),
        pytest.param('<c r="B2" t="s"><v>0</v></c>', "rich text", id="a shared text"),
        pytest.param('<c r="B2" t="b"><v>1</v></c>', "true", id="a boolean"),
        pytest.param('<c r="B2" t="str"><f>A2</f><v>x</v></c>', "x", id="a formula with its text"),
        pytest.param('<c r="B2"><f>1+1</f><v>2</v></c>', "2", id="a formula with its number"),
        pytest.param('<c r="B2" s="1"/>', None, id="an empty cell"),
        pytest.param(number("B2", "45658", 1), "2025-01-01", id="a day"),
        pytest.param(number("B2", "45658.25", 2), "2025-01-01 06:00:00", id="a day and time"),
        pytest.param(number("B2", "45658.999999999", 2), "2025-01-02 00:00:00", id="rounded to milliseconds"),
        pytest.param(number("B2", "45658", 3), "2025-01-01", id="a day in a format of the workbook"),
        pytest.param(number("B2", "45658", 4), "45658", id="a format with letters that shows no day"),
        pytest.param(number("B2", "59", 1), "1900-02-28", id="before the day that does not exist"),
        pytest.param(number("B2", "61", 1), "1900-03-01", id="behind it"),
        pytest.param(number("B2", "0.5", 2), "12:00:00", id="a time"),
        pytest.param(number("B2", "1.25", 5), "30:00:00", id="a duration"),
    ],
)
def test_a_cell_becomes_the_text_of_its_value(tmp_path: Path, cell: str, value: str | None) -> None:
    shared = ("<r><t>rich </t></r><r><t>text</t></r><rPh><t>ignored</t></rPh>",)

    _, rows = landed(tmp_path, workbook({"S": HEADER + row(2, number("A2", "1"), cell)}, shared=shared))

    assert rows == [(2, "1", value, None)]


@pytest.mark.parametrize(
    ("cell", "reason"),
    [
        ('<c r="B2" t="e"><v>#N/A</v></c>', "column B: an error cell, #N/A"),
        ('<c r="B2" t="e"><v>secret</v></c>', "column B: an error cell, #…"),
        ('<c r="B2"><f>A2*2</f></c>', "column B: a formula without a result"),
        (number("B2", "4111111111111111"), "column B: a number of more than 15 digits"),
        (number("B2", "60", 1), "column B: the day 1900-02-29, which does not exist"),
        (number("B2", "-1", 1), "column B: a number that is no day"),
        (number("B2", "3000000", 1), "column B: a number that is no day"),
        ('<c r="B2" t="s"><v>7</v></c>', "column B: a cell whose content is not valid"),
        (number("D2", "1"), "column D: a value in a column without a name"),
    ],
)
def test_a_cell_without_a_sure_value_costs_its_row(tmp_path: Path, cell: str, reason: str) -> None:
    rows_xml = HEADER + row(2, number("A2", "1"), cell) + row(3, number("A3", "3"))

    _, rows = landed(tmp_path, workbook({"S": rows_xml}))

    assert (rows[0][:3], rows[0][3].startswith(reason)) == ((2, None, None), True)
    assert rows[1] == (3, "3", None, None)


def test_days_count_from_1904_in_workbooks_of_old_macs(tmp_path: Path) -> None:
    content = workbook({"S": HEADER + row(2, number("A2", "1"), number("B2", "0", 1))}, starts_in_1904=True)

    assert landed(tmp_path, content)[1] == [(2, "1", "1904-01-01", None)]


def test_rows_that_are_blank_merged_or_hidden(tmp_path: Path) -> None:
    rows_xml = (
        HEADER + row(2) + row(3, number("A3", "3"), attributes="hidden='1'") + row(4, number("A4", "4"))
        + row(5, number("A5", "5")) + '|<mergeCells><mergeCell ref="B4:B5"/><mergeCell ref="A1:A1"/></mergeCells>'
    )  # fmt: skip

    delivery, rows = landed(tmp_path, workbook({"S": rows_xml}))

    assert delivery.warnings == {
        "HIDDEN_ROWS:a.xlsx": "a.xlsx: 1 hidden row, such as a filter leaves, which are read like the others"
    }
    assert [one[:2] for one in rows] == [(3, "3"), (4, None), (5, None)]
    assert rows[1][3].startswith("a row with merged cells")


def test_columns_are_bound_by_name_below_the_declared_row(tmp_path: Path) -> None:
    titled = row(1, text("A1", "Orders")) + row(3, text("B3", "id"), text("A3", "value")) + row(4, text("B4", "x"))

    delivery, rows = landed(tmp_path, workbook({"S": titled}), header_row=3)
    other, _ = landed(tmp_path, workbook({"S": titled}))

    assert (delivery.unreadable, rows) == ({}, [(4, "x", None, None)])
    assert other.unreadable == {"a.xlsx": "the column names are in row 3; declare source.header_row: 3."}


def test_a_sheet_is_named_or_the_only_visible_one(tmp_path: Path) -> None:
    sheets = {"Data": HEADER + row(2, text("A2", "1")), "Lists": HEADER + row(2, text("A2", "2"))}

    _, hidden = landed(tmp_path, workbook(sheets, hidden=("Lists",)))
    _, named = landed(tmp_path, workbook(sheets), sheet="lists")
    several, _ = landed(tmp_path, workbook(sheets))
    missing, _ = landed(tmp_path, workbook(sheets), sheet="Orders")

    assert [hidden[0][1], named[0][1]] == ["1", "2"]
    assert several.unreadable["a.xlsx"].startswith("2 visible sheets; it has Data, Lists. Name one of them")
    assert missing.unreadable["a.xlsx"].startswith("no sheet 'Orders'; it has Data, Lists.")


OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>'


@pytest.mark.parametrize(
    ("content", "keys", "reason"),
    [
        (
            b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600,
            {},
            "an old Excel file (.xls), or a workbook with a password",
        ),
        (b"id,value\n1,2\n", {}, "not an Excel workbook. Ask for an .xlsx file."),
        (workbook({"S": HEADER})[:-30], {}, "the workbook is cut off or damaged"),
        (workbook({"S": row(2, text("A2", "1"))}), {}, "row 1 is empty; expected the column names there"),
        (workbook({"S": row(1, text("A1", "id"), text("C1", "value"))}), {}, "row 1: unnamed column at position 2"),
        (workbook({"S": row(1, text("A1", "id"), text("B1", "ID"))}), {}, "row 1: id / ID are one column name"),
        (workbook({"S": row(1, text("A1", "x"))}), {}, "row 1 has none of the declared columns"),
        (workbook({"S": HEADER}), {"unpack": {"max_bytes": 10}}, "it unpacks to more than source.unpack.max_bytes"),
        (
            workbook({"S": ""}, extra={"xl/worksheets/s1.xml": BOMB + sheet(HEADER)}),
            {},
            "it has a document type declaration",
        ),
        (
            workbook(
                {"S": ""}, extra={"xl/worksheets/s1.xml": (BOMB + sheet(HEADER)).encode("utf-16").decode("latin-1")}
            ),
            {},
            "not XML",
        ),
    ],
)
def test_a_file_that_is_no_workbook_with_names_is_refused(
    tmp_path: Path, content: bytes, keys: dict[str, Any], reason: str
) -> None:
    delivery, _ = landed(tmp_path, content, **keys)

    assert delivery.unreadable["a.xlsx"].startswith(reason)


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("yyyy-mm-dd", "day"), ("[$-407]d. mmmm yyyy", "day"), ("[h]:mm", "duration"), ("General", ""), ("0.00", ""),
        ('0" days"', ""), ("[Red]0", ""), ("#,##0\\ \\d", ""), ("0;[Red]dd", ""), ("@", ""),
    ],
)  # fmt: skip
def test_a_format_shows_a_day_if_it_has_letters_of_days_outside_texts_and_colours(code: str, shown: str) -> None:
    assert moment_of(code) == shown
