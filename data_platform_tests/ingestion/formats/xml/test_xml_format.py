"""Elements become rows by their names; what is dangerous in XML is refused, and what is odd costs one record."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from data_platform.ingestion.delivery import Delivery
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform_tests.ingestion.landing_case import read

COLUMNS = Schema.of([Column(name="id"), Column(name="note"), Column(name="items")])


def landed(landing: Path, content: str | bytes, name: str = "a.xml") -> tuple[Delivery, Any]:
    (landing / "in").mkdir(exist_ok=True)
    (landing / "in" / name).write_bytes(content.encode() if isinstance(content, str) else content)
    source = {"format": "xml", "path": "in", "row_element": "order"}
    delivery, rows = read(landing, Source.model_validate(source), COLUMNS)
    return delivery, [(row["_line"], row["id"], row["note"], row["items"], row["_malformed"]) for row in rows]


def one(landing: Path, inside: str, attributes: str = "") -> Any:
    """The row of a single order."""
    delivery, [row] = landed(landing, f"<orders><order {attributes}>{inside}</order></orders>")
    assert (delivery.problems, delivery.unreadable) == ((), {})
    return row[1:]


@pytest.mark.parametrize(
    ("inside", "attributes", "row"),
    [
        pytest.param("<id>007</id><note> a &amp; b </note>", "", ("007", "a & b", None), id="elements"),
        pytest.param("<note><![CDATA[<x>]]></note>", 'id="7"', ("7", "<x>", None), id="attribute and CDATA"),
        pytest.param("<id>1</id><items><i>1</i><i>2</i></items>", "", ("1", None, '{"i":["1","2"]}'), id="list"),
        pytest.param("<items>1</items><id>1</id><items>2</items>", "", ("1", None, '["1","2"]'), id="repeated"),
        pytest.param(
            "<id>1</id><items q='2'>x</items>", "", ("1", None, '{"q":"2","value":"x"}'), id="with attributes"
        ),
        pytest.param("<id>1</id><note/><items></items>", "", ("1", None, None), id="empty"),
        pytest.param(
            "<id>1</id><note xsi:nil='true'/>",
            "xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'",
            ("1", None, None),
            id="nil",
        ),
        pytest.param("<n:id>1</n:id><!-- x --><?pi x?>", "xmlns:n='urn:n'", ("1", None, None), id="namespace"),
        pytest.param(
            "<id>1</id><items><order/><x>2</x></items>", "", ("1", None, '{"order":null,"x":"2"}'), id="order in order"
        ),
    ],
)
def test_parts_of_an_element_are_values_by_name(tmp_path: Path, inside: str, attributes: str, row: Any) -> None:
    assert one(tmp_path, inside, attributes) == (*row, None)


@pytest.mark.parametrize(
    ("inside", "attributes", "reason"),
    [
        ("<id>1</id> and <note>x</note>", "", "text between elements"),
        ("<id>1</id>", 'id="2"', "two attributes, or an attribute and an element, have one name"),
        ("", "", "an element without attributes, elements and text"),
    ],
)
def test_an_element_that_is_no_record_costs_only_itself(
    tmp_path: Path, inside: str, attributes: str, reason: str
) -> None:
    content = f"<o><order><id>1</id></order><order {attributes}>{inside}</order><order><id>3</id></order></o>"

    _, rows = landed(tmp_path, content)

    assert [row[:2] for row in rows] == [(1, "1"), (2, None), (3, "3")]
    assert rows[1][4].startswith(reason)


DECLARED = '<?xml version="1.0" encoding="{}"?><o><order><id>ä</id></order></o>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252"])
def test_the_document_says_its_encoding(tmp_path: Path, encoding: str) -> None:
    delivery, rows = landed(tmp_path, DECLARED.format(encoding).encode(encoding))

    assert (delivery.problems, rows) == ((), [(1, "ä", None, None, None)])


def test_what_is_not_well_formed_ends_the_reading(tmp_path: Path) -> None:
    content = "<o>\n<order><id>1</id></order>\n<order><id>2</order>\n<order><id>3</id></order></o>"

    _, rows = landed(tmp_path, gzip.compress(content.encode()), "a.xml.gz")

    assert rows[0] == (1, "1", None, None, None)
    assert rows[1][4] == "not XML: mismatched tag. Ask for the file again; nothing from here on was read"
    assert len(rows) == 2


def test_a_file_that_was_cut_off_holds_the_day(tmp_path: Path) -> None:
    delivery, rows = landed(tmp_path, "<o><order><id>1</id></order><order><id")

    assert delivery.problems == ("CUT_OFF:a.xml",)
    assert rows[-1][4].endswith("nothing from here on was read")


LAUGHS = '<!DOCTYPE o [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><o><order><id>&b;</id></order></o>'
OUTSIDE = '<!DOCTYPE o [<!ENTITY x SYSTEM "file:///etc/hostname">]><o><order><id>&x;</id></order></o>'


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(LAUGHS, "it has a document type declaration", id="entities in entities"),
        pytest.param(OUTSIDE, "it has a document type declaration", id="entity of a file"),
        pytest.param(LAUGHS.encode("utf-16"), "it has a document type declaration", id="in UTF-16"),
        pytest.param("<!--" + "x" * 100_000 + "-->" + LAUGHS, "it has a document type declaration", id="far in"),
        pytest.param('<!DOCTYPE o SYSTEM "http://example.com/o.dtd"><o/>', "it has a document type", id="by address"),
        pytest.param("<o><order><id>&nbsp;</id></order></o>", "not XML: undefined entity", id="undefined entity"),
        pytest.param("<o>" + "<p>" * 300, "more than 200 elements within each other", id="deep"),
        pytest.param("id,note\n1,x\n", "not XML: syntax error", id="CSV"),
        pytest.param("<o><row><id>1</id></row></o>", "no element order (source.row_element)", id="another element"),
        pytest.param("<o><order><x>1</x></order></o>", "its first records have none of the declared", id="other names"),
        pytest.param("", "no record: the file is empty", id="nothing"),
    ],
)
def test_a_dangerous_or_foreign_document_is_refused(tmp_path: Path, content: str | bytes, reason: str) -> None:
    delivery, _ = landed(tmp_path, content)

    assert delivery.unreadable["a.xml"].startswith(reason)


def test_a_source_of_xml_needs_its_row_element() -> None:
    with pytest.raises(ValueError, match="row_element: format xml needs it"):
        Source.model_validate({"format": "xml", "path": "in"})
