"""A new format is a member of ``SourceFormat``, a module and a case of the registry: no other module changes."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest
from pyspark.sql import SparkSession

from data_platform.ingestion import delivery as delivery_module
from data_platform.ingestion.content import Content
from data_platform.ingestion.delivery import Delivery, bronze_schema, find_delivery
from data_platform.ingestion.delivery_file import DeliveryFile
from data_platform.ingestion.formats.protocol import ContentCheck, FileColumns, Finding
from data_platform.ingestion.formats.text.encoding import decoded_lines
from data_platform.ingestion.formats.text.record import Record
from data_platform.ingestion.formats.text.record_batch import batched, record_batch
from data_platform.ingestion.formats.text.share import Share
from data_platform.ingestion.formats.text.text_format import TextFormat, read_share
from data_platform.ingestion.reader import read_rows
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform.model.source_format import FormatTraits, SourceFormat

COLUMNS = Schema.of([Column(name="id"), Column(name="note")])
WIDTH = 4


class FixedFormat(TextFormat):
    """Lines of fields of four characters, without a header; a line of asterisks ends a whole file."""

    def columns(self, file: DeliveryFile, declared: Schema) -> FileColumns:
        with file.open() as source:
            next(decoded_lines(source, file.name, "utf-8"))
        return FileColumns(declared)

    def check(self, file: DeliveryFile, content: Content) -> ContentCheck:
        if content.tail.endswith(b"****\n"):
            return ContentCheck()
        return ContentCheck(problems=(Finding("CUT_OFF", f"{content.size} bytes do not end in asterisks", file.name),))

    def batches(self, source: IO[bytes], file: DeliveryFile, columns: Schema, share: Share) -> Iterator[Any]:
        assert share.length is None  # it never named a place where a file may be cut
        for records in batched(records_in(source, file.name), file.name):
            yield record_batch(records, range(len(columns.names)), columns, file.name)


def records_in(source: IO[bytes], file: str) -> Iterator[Record]:
    for number, line in enumerate(decoded_lines(source, file, "utf-8"), start=1):
        text = line.rstrip("\n")
        values = tuple(text[at : at + WIDTH].strip() or None for at in range(0, len(text), WIDTH))
        if set(text) != {"*"}:
            is_whole = len(values) == len(COLUMNS.names)
            yield Record(number, values if is_whole else (), text, "" if is_whole else "another width")


def registered(monkeypatch: pytest.MonkeyPatch) -> Source:
    """What the member would make, and the case of the registry: an enumeration takes no member at run time."""
    kind = str.__new__(SourceFormat, "fixed")
    kind._name_, kind._value_, kind.traits = "FIXED", "fixed", FormatTraits(endings=(".fix", ".fixed"))
    monkeypatch.setitem(SourceFormat._member_map_, "FIXED", kind)
    monkeypatch.setitem(SourceFormat._value2member_map_, "fixed", kind)
    monkeypatch.setattr(FixedFormat, "kind", kind, raising=False)
    monkeypatch.setattr(delivery_module, "format_of", lambda *_: FixedFormat())
    return Source(format=SourceFormat.CSV, path="in").model_copy(update={"format": kind})


def delivered(folder: Path, source: Source, **contents: bytes) -> Delivery:
    """The files named in ``contents``, with a dot for each ``__``, as a delivery."""
    (folder / "in").mkdir()
    for name, content in contents.items():
        (folder / "in" / name.replace("__", ".")).write_bytes(content)
    return find_delivery(folder, source, None, COLUMNS)


def test_a_format_that_was_made_up_is_found_checked_and_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = registered(monkeypatch)
    packed, cut = gzip.compress(b"4   d   \n****\n"), b"5   e   \n"

    delivery = delivered(tmp_path, source, a__fix=b"1   a   \n2\n3       \n****\n", b__FIXED__gz=packed, c__fix=cut)

    batches = [batch for file in delivery.files for batch in read_share(FixedFormat(), file, COLUMNS)]
    rows = [row for batch in batches for row in batch.to_pylist()]
    assert delivery.problems == ("CUT_OFF:c.fix:c.fix",)
    assert delivery.details == ("c.fix: 9 bytes do not end in asterisks",)
    assert bronze_schema(delivery, COLUMNS) == COLUMNS
    assert [(row["_file"], row["_line"], row["id"], row["note"], row["_malformed"]) for row in rows] == [
        ("a.fix", 1, "1", "a", None),
        ("a.fix", 2, None, None, "another width"),
        ("a.fix", 3, "3", None, None),
        ("b.FIXED.gz", 1, "4", "d", None),
        ("c.fix", 1, "5", "e", None),
    ]


def test_what_every_format_is_judged_for_holds_for_it_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source, whole = registered(monkeypatch), b"1   a   \n****\n"

    contents = {"a__fix": whole, "b__fix": whole, "bad__fix": b"x\xff\n", "blank__fix": b"\n", "c__csv": b"id\n"}
    delivery = delivered(tmp_path, source, **contents)

    assert set(delivery.problems) == {"DUPLICATE_FILE:a.fix = b.fix", "UNEXPECTED_FILE:c.csv"}
    assert delivery.warnings.keys() == {"EMPTY_FILE:blank.fix"}
    assert delivery.unreadable["bad.fix"].startswith("not valid UTF-8")


def test_spark_reads_it(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = registered(monkeypatch)
    delivery = delivered(tmp_path, source, a__fix=b"1   a   \n\xff\n****\n", b__fix=b"2   b   \n****\n")

    rows = read_rows(spark, delivery, COLUMNS).orderBy("_file", "_line").collect()

    assert [(row["_file"], row["id"], (row["_malformed"] or "")[:15]) for row in rows] == [
        ("a.fix", "1", ""),
        ("a.fix", None, "not valid UTF-8"),
        ("b.fix", "2", ""),
    ]
