"""Trailers and headers of records: declared ones are no rows and are kept, others are noticed."""

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from data_platform.ingestion.formats.column_name import as_declared
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform_tests.ingestion.landing_case import is_held, read, reasons

ORDERS = Schema.of([Column(name="id"), Column(name="amount"), Column(name="note")])
HEAD = "id,amount,note\n"
ROWS = HEAD + "1,1.00,x\n2,2.00,y\n"
DECLARED = {"trailer": {"prefix": "T", "count": 2, "totals": {"amount": 3}}}


def landed(landing: Path, text: str | bytes, name: str = "a.csv", **keys: object) -> Any:
    (landing / "in").mkdir(exist_ok=True)
    (landing / "in" / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return read(landing, Source.model_validate({"format": "csv", "path": "in", **keys}), ORDERS)


@pytest.mark.parametrize(
    ("end", "suspicious"),
    [
        pytest.param("T,2,3.00\n", True, id="short"),
        pytest.param("T,2,\n", True, id="as wide as a row"),
        pytest.param("TRL,0000000002,3.00", True, id="no line end"),
        pytest.param('"T","3","3.00"\n\n\n', True, id="quoted, counts itself, blank lines behind"),
        pytest.param("TOTAL,3.00,\r\n", True, id="total"),
        pytest.param("EOF\n", True, id="end of file"),
        pytest.param("(2 rows affected)\n", True, id="a client's last word"),
        pytest.param("99,2\n", True, id="a number, short"),
        pytest.param("#EOF,2,3.00\n", True, id="a word behind a sign"),
        pytest.param("UTL,2,3.00\n", True, id="a tape's label"),
        pytest.param("99,000002,3.00\n", True, id="a number that is narrower or wider than the ids, and the count"),
        pytest.param("T,2,3.00\n\x1a", True, id="the sign that ends a text of DOS behind it"),
        pytest.param("E O F\n", True, id="spaced"),
        pytest.param("END OF FILE - 2 RECORDS\n", True, id="a sentence"),
        pytest.param("-- end --\n", True, id="a word between signs"),
        pytest.param("RowCount=2\n", True, id="a count by name"),
        pytest.param("2\n", True, id="the count and nothing else"),
        pytest.param("(2 Zeilen)\n", True, id="another language"),
        pytest.param("Elapsed: 00:00:01.02\n", True, id="how long it took"),
        pytest.param("T0000000200000000000300\n", True, id="of fixed width"),
        pytest.param(",Total,3.00\n", True, id="its word behind an empty key"),
        pytest.param("CHECKSUM,abc,\n", True, id="a checksum"),
        pytest.param("Record Count: 2,,\n", True, id="a word and the count in one field"),
        pytest.param("\u5408\u8a08,3.00,\n", True, id="a total in Japanese"),
        pytest.param("Ende,2,\n", True, id="the end in German, and the count"),
        pytest.param("2,3.00,\n", True, id="the count, the sum, and nothing else"),
        pytest.param("T|2|3.00\n", True, id="with a delimiter of its own"),
        pytest.param("2 rows selected; 0.1 s\n", True, id="a client's word with a delimiter in it"),
        pytest.param("Total;2\n", True, id="a word with a delimiter of its own"),
        pytest.param("2,3.00,z\n", False, id="a row whose numbers are the count and the sum by chance"),
        pytest.param("2,4.00,\n", False, id="a row without a note"),
        pytest.param("Order: 2,4.00,\n", False, id="a key with a colon"),
        pytest.param("9,2.00,2\n", False, id="a row with an id as wide as the others, and its count by chance"),
        pytest.param("T,7.00,z\n", False, id="a row that begins with T"),
        pytest.param("99,2.00,z\n", False, id="a row with the id 99"),
        pytest.param("3,3.00,z\n", False, id="a row"),
        pytest.param("3,3.00\n", False, id="a short row"),
    ],
)
def test_a_last_record_that_looks_like_a_trailer_holds_the_day(tmp_path: Path, end: str, suspicious: bool) -> None:
    delivery, _ = landed(tmp_path, ROWS + end)

    assert (delivery.problems == ("TRAILER_RECORD:a.csv:4",)) is suspicious
    assert not landed(tmp_path, ROWS + end, trailer="none")[0].problems


@pytest.mark.parametrize(
    ("end", "suspicious"),
    [
        pytest.param("9,3,6.00\n", True, id="the count and the sum"),
        pytest.param("9,3,z\n", False, id="the count only"),
        pytest.param("9,6.00,z\n", False, id="the sum only"),
        pytest.param("4,3,6.00\n", False, id="an id that is no usual number of trailers"),
    ],
)
def test_a_number_as_wide_as_the_ids_is_a_trailer_with_count_and_sum(
    tmp_path: Path, end: str, suspicious: bool
) -> None:
    delivery, _ = landed(tmp_path, ROWS + "3,3.00,z\n" + end)

    assert (delivery.problems == ("TRAILER_RECORD:a.csv:5",)) is suspicious


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("rows", [2, 20_000], ids=["few", "many"])
def test_the_last_record_is_found_in_any_encoding_and_size(tmp_path: Path, encoding: str, rows: int) -> None:
    text = HEAD + "".join(f"{n},1.00,é\n" for n in range(rows)) + f"T,{rows},{rows}.00\n"

    delivery, found = landed(tmp_path, text.encode(encoding), encoding=encoding, **DECLARED)

    assert delivery.problems == ()
    assert (delivery.record_count, delivery.control_totals) == (rows, {"amount": f"{rows}.00"})
    assert (len(found), found[-1]["id"], found[-1]["note"]) == (rows, str(rows - 1), "é")
    assert landed(tmp_path, text.encode(encoding), encoding=encoding)[0].problems == (
        f"TRAILER_RECORD:a.csv:{rows + 2}",
    )


def test_the_sign_that_ends_a_text_of_dos_is_no_row_and_hides_no_trailer(tmp_path: Path) -> None:
    delivery, rows = landed(tmp_path, ROWS + "T,2,3.00\n\x1a", **DECLARED)

    assert (delivery.problems, delivery.record_count, [row["id"] for row in rows]) == ((), 2, ["1", "2"])
    assert len(landed(tmp_path, ROWS + "\x1a\n3,3.00,z\n")[1]) == 4  # within the text it is a record


def test_counts_and_totals_of_several_files_add_up(tmp_path: Path) -> None:
    landed(tmp_path, ROWS + "T,3,3.00\n", trailer={**DECLARED["trailer"], "counts_also": 1})

    delivery, rows = landed(
        tmp_path, HEAD + "3,4.50,z\nT,2,4.50\n", "b.csv", trailer={**DECLARED["trailer"], "counts_also": 1}
    )

    assert (delivery.record_count, delivery.file_counts) == (3, {"a.csv": 2, "b.csv": 1})
    assert delivery.control_totals == {"amount": "7.50"}
    assert [row["id"] for row in rows] == ["1", "2", "3"]


@pytest.mark.parametrize(("total", "problems"), [("3.0", ()), ("4", ("CONTROL_TOTAL:amount",))])
def test_a_manifest_and_a_trailer_must_agree(tmp_path: Path, total: str, problems: tuple[str, ...]) -> None:
    landed(tmp_path, f'{{"file": "a.csv", "control_totals": {{"amount": {total}}}}}', "m.json", ignore=["*"])

    delivery, _ = landed(tmp_path, ROWS + "T,2,3.00\n", manifest="m.json", **DECLARED)

    assert delivery.problems == problems


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param(ROWS, "NO_TRAILER:a.csv", id="cut off before it"),
        pytest.param(ROWS + "T,2\n", "TRAILER_INVALID:a.csv", id="cut off in it"),
        pytest.param(ROWS + "T,two,3.00\n", "TRAILER_INVALID:a.csv", id="no number"),
        pytest.param(ROWS + "T,2,NaN\n", "TRAILER_INVALID:a.csv", id="NaN"),
        pytest.param(ROWS + "T,\u0662,3.00\n", "TRAILER_INVALID:a.csv", id="digits that are not ASCII"),
        pytest.param(ROWS + "T,0_2,3.00\n", "TRAILER_INVALID:a.csv", id="an underscore"),
        pytest.param(ROWS + "T,1e400,3.00\n", "TRAILER_INVALID:a.csv", id="a huge count"),
        pytest.param(ROWS + "T,2,1e999999999\n", "TRAILER_INVALID:a.csv", id="a huge total"),
        pytest.param(ROWS + "T,-2,3.00\n", "TRAILER_INVALID:a.csv", id="a negative count"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_a_file_without_its_declared_trailer_is_held(tmp_path: Path, text: str, problem: str) -> None:
    delivery, _ = landed(tmp_path, text, **DECLARED)

    assert is_held(delivery)
    assert delivery.problems == ((problem,) if problem else ())


def test_a_trailer_before_the_last_line_ends_the_reading(tmp_path: Path) -> None:
    _, rows = landed(tmp_path, ROWS + "T,2,3.00\n3,3.00,z\nT,1,3.00\n", **DECLARED)

    assert rows[-1]["_line"] == 4
    assert rows[-1]["_malformed"].startswith("a trailer is before the last line")


def test_several_lines_above_the_names_may_be_declared(tmp_path: Path) -> None:
    delivery, rows = landed(tmp_path, "H,2025\nH,x,y\n\n" + ROWS, header_record={"prefix": "H"})

    assert not is_held(delivery)
    assert [row["_line"] for row in rows] == [5, 6]


def test_only_csv_has_trailers() -> None:
    with pytest.raises(ValidationError, match="trailer: not supported by format jsonl"):
        Source.model_validate({"format": "jsonl", "path": "in", **DECLARED})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param("id\tamount\tnote\n1\t1\tx\n", "the delimiter looks like a tab", id="tabs"),
        pytest.param("id|amount|note\n", "the delimiter looks like `|`", id="pipes, no row"),
        pytest.param('"sep=;"\nid;amount;note\n', "Excel's sep= line", id="Excel"),
        pytest.param("Report\n\n\n" + ROWS, "column names are on line 4", id="a title and blank lines"),
        pytest.param("H,2025,,\n" + ROWS, "column names are on line 2", id="a header record"),
        pytest.param("<!DOCTYPE html>\n<p>Sign in, again</p>\n", "HTML or XML", id="a page"),
        pytest.param("1,1.00,x\n2,2.00,y\n", "looks like a row", id="no header"),
        pytest.param("id:amount:note\n1:1.00:x\n", "the delimiter looks like `:`", id="colons"),
        pytest.param("id\x1famount\x1fnote\n", "the unit separator", id="ASCII's own separator"),
        pytest.param("id amount note\n1 1.00 x\n", "a blank", id="blanks"),
        pytest.param("\n \nsep=;\nid;amount;note\n", "Excel's sep= line", id="Excel behind blank lines"),
        pytest.param('[{"id": 1}]\n', "it is JSON", id="a JSON list"),
        pytest.param('{"error": "denied"}\n', "it is JSON", id="a JSON object"),
        pytest.param(ROWS.replace("\n", "\x0c"), "form feeds", id="form feeds as line ends"),
        pytest.param(ROWS.replace("\n", "\u2028"), "U+2028", id="Unicode's line ends"),
        pytest.param("id,amount,note,amount\u200b\n", "look like one column name", id="two names that look alike"),
        pytest.param("id,amount,note,\u00e9,e\u0301\n", "look like one column name", id="an accent in two ways"),
        pytest.param("id,amount,note,\n1,1.00,x,\n", "column 4 has no name", id="a delimiter at the end"),
    ],
)
def test_a_missing_header_is_reported_with_its_cause(tmp_path: Path, text: str, words: str) -> None:
    delivery, _ = landed(tmp_path, text)

    assert words in delivery.unreadable["a.csv"]
    assert "a.csv" in reasons(delivery)


@pytest.mark.parametrize("text", ["id,amount\n1,1.00\n", "id,amount,remark\n1,1.00,x\n", "a,b,c\nx,y,z\n"])
def test_another_schema_is_for_the_schema_gate_to_judge(tmp_path: Path, text: str) -> None:
    delivery, _ = landed(tmp_path, text)

    assert not is_held(delivery)


@pytest.mark.parametrize(
    ("found", "names"),
    [
        pytest.param(["id", "amount\u200b"], ("id", "amount"), id="zero width"),
        pytest.param(["id", "amo\u00adunt"], ("id", "amount"), id="soft hyphen"),
        pytest.param(["\ufeffID", "amount"], ("id", "amount"), id="byte-order mark, another case"),
        pytest.param(["id", "amount", "amount\u200b"], ("id", "amount", "amount\u200b"), id="beside the declared one"),
        pytest.param(["id", "\u0430mount"], ("id", "\u0430mount"), id="a Cyrillic letter is another"),
    ],
)
def test_a_name_that_differs_in_invisible_characters_is_the_declared_one(
    found: list[str], names: tuple[str, ...]
) -> None:
    assert as_declared(found, ["id", "amount"]) == names


@pytest.mark.parametrize(
    "end",
    [
        pytest.param("T,4,9.00\n", id="a letter, with another count"),
        pytest.param("CTL,3,9\n", id="a word that no list has, and the count"),
        pytest.param("TR0003,9.00,\n", id="the count within the word"),
        pytest.param("S,3,9.00\nT,1,9.00\n", id="two of them"),
        pytest.param(",9.00,\n", id="no key, and the sum"),
        pytest.param("----,----,\n,Sum,9.00\n", id="a line of dashes, and the sum"),
        pytest.param("Insgesamt,9.00,\n", id="a word that no list has, and the sum"),
        pytest.param("Report of 2025-01-06,,\n", id="a sentence in place of the key, and nothing else"),
        pytest.param("EOF|a.csv|3,,\n", id="a trailer that is padded to the width of the rows"),
        pytest.param("Total,9.00,\n,,\n,,\n", id="empty records of a spreadsheet below it"),
    ],
)
def test_a_last_record_of_another_kind_than_all_rows_holds_the_day(tmp_path: Path, end: str) -> None:  # C44
    rows = HEAD + "101,2.00,x\n102,3.00,y\n103,4.00,z\n"

    assert [problem.split(":")[0] for problem in landed(tmp_path, rows + end)[0].problems] == ["TRAILER_RECORD"]


@pytest.mark.parametrize("end", ["104,3.00,T\n", "x104,3.00,z\n", "104,9.00,z\n", ",5.00,z\n"])
def test_a_row_at_the_end_is_a_row(tmp_path: Path, end: str) -> None:
    rows = HEAD + "101,2.00,x\n102,3.00,y\n103,4.00,z\n"

    assert not is_held(landed(tmp_path, rows + end)[0])


@pytest.mark.parametrize(
    ("end", "problems"),
    [
        pytest.param("3,3", ("CUT_OFF:a.csv",), id="in a record"),
        pytest.param('3,3.00,"z', ("CUT_OFF:a.csv",), id="in a quoted field"),
        pytest.param('3,3.00,"z\nz', ("CUT_OFF:a.csv",), id="in a quoted field of two lines"),
        pytest.param('3,3.00,"z\nz"', (), id="behind a quoted field of two lines"),
        pytest.param("3,3.00,", (), id="an empty last field"),
        pytest.param("3,3.00,z", (), id="a whole record"),
        pytest.param("3,3\n", (), id="a short record with its line end"),
    ],
)
def test_a_file_that_ends_within_a_record_was_cut_off(tmp_path: Path, end: str, problems: tuple[str, ...]) -> None:
    assert landed(tmp_path, ROWS + end)[0].problems == problems


@pytest.mark.parametrize(
    ("end", "problems"),
    [
        ('{"id": 2', ("CUT_OFF:a.jsonl",)),
        ('{"id": 2, "note": "z', ("CUT_OFF:a.jsonl",)),
        ('{"id": 2}', ()),
        ("[2]", ()),
        ('{"id": 2\n', ()),
    ],
)
def test_json_lines_that_end_within_an_object_were_cut_off(tmp_path: Path, end: str, problems: tuple[str, ...]) -> None:
    delivery, _ = landed(tmp_path, '{"id": 1}\n' + end, "a.jsonl", format="jsonl")

    assert delivery.problems == problems


@pytest.mark.parametrize(
    ("above", "end", "problems", "count"),
    [
        pytest.param("H,2,3.00\n", "", (), 2, id="a header"),
        pytest.param("\ufeffH,2,3.00\r\nH,other\n", "T,2,3.00\n", (), 2, id="header and trailer"),
        pytest.param("H,3,3.00\n", "T,2,3.00\n", ("HEADER_DIFFERS:a.csv",), None, id="they differ"),
        pytest.param("H,x,3.00\n", "", ("HEADER_INVALID:a.csv",), None, id="no number"),
        pytest.param("", "", ("NO_HEADER:a.csv",), None, id="missing"),
    ],
)
def test_a_header_record_may_have_the_control_totals(
    tmp_path: Path, above: str, end: str, problems: tuple[str, ...], count: int | None
) -> None:
    header = {"header_record": {"prefix": "H", "count": 2, "totals": {"amount": 3}}}

    delivery, rows = landed(tmp_path, above + ROWS + end, **header, **(DECLARED if end else {}))

    assert (delivery.problems, delivery.record_count, len(rows)) == (problems, count, 2)
    assert delivery.control_totals == ({} if problems else {"amount": "3.00"})
