"""The fast parser and the parser of single records read the same rows, lines and malformed records out of any bytes."""

import io
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from data_platform.errors import SourceError
from data_platform.ingestion.delivery_file import DeliveryFile
from data_platform.ingestion.formats.csv import walk as walk_module
from data_platform.ingestion.formats.csv.arrow_parser import column_parser
from data_platform.ingestion.formats.csv.csv_format import CsvFormat
from data_platform.ingestion.formats.csv.dialect import CsvDialect
from data_platform.ingestion.formats.csv.parser import read_header, read_records
from data_platform.ingestion.formats.csv.record_scan import ScanRules
from data_platform.ingestion.formats.csv.walk import Piece, TextWalk
from data_platform.ingestion.formats.jsonl import jsonl_format
from data_platform.ingestion.formats.jsonl.jsonl_format import JsonLinesFormat
from data_platform.ingestion.formats.text import share as share_module
from data_platform.ingestion.formats.text import window
from data_platform.ingestion.formats.text.record import Record
from data_platform.ingestion.formats.text.share import tasks_of
from data_platform.ingestion.formats.text.text_format import read_share
from data_platform.model.schema import Column, Schema
from data_platform_tests.example_count import examples

WIDTH = 3
HEADER = b"id,name,note\n"
Found = list[tuple[int, tuple[str | None, ...], str, str]]

FRAGMENTS = [
    b"1,a,b\n", b"2,c,\r\n", b'"3","d ""e""","f"\n', b'4,"g\nh",i\n', b'5,"j,k",l\r\n', b"6,\xc3\xa9,m\n",
    b",", b'"', b'""', b"\n", b"\r\n", b"\r", b"\0", b"\xef\xbb\xbf", b"\xff", b"\xc3", b"\x1a", b"\x1a\n", b"x", b" ",
    b"7,n\n", b"8,o,p,q\n", b'9,"open,r\n', b'10,"s"t,u\n', b'11,5" pipe,v\n', b"T,2\n", b"T,2,x\n", b"a\n",
    b"a\n" * 30, b' "T" ,2\n', b"TT,a,b\n",
    b"\n" * 20, b"12,w,x\n" * 40, b'"13","y","z"\n' * 40, b"14," + b"l" * 300 + b",m\n",
    b"\xe2\x80\xa8,\xc2\x85,\x0b\n",
    b"  \n", b" \t\r\n", HEADER, b"\xef\xbb\xbf" + HEADER, b' "id" , name,note\n', b"--,----,---\r\n",
    b"==,=,\n", b"--,a,b\n",
]  # fmt: skip


@pytest.fixture(params=[512, 4096], ids=lambda size: f"pieces of {size} bytes", scope="module", autouse=True)
def small_pieces(request: pytest.FixtureRequest) -> Any:
    """So small that a short text has regular pieces, odd ones, and the ways between them."""
    patch = pytest.MonkeyPatch()
    patch.setattr(walk_module, "LARGE", request.param)
    patch.setattr(walk_module, "SMALL", 32)
    patch.setattr(window, "READ_AHEAD", request.param)
    patch.setattr(window, "BLOCK", 64)
    yield
    patch.undo()


def record_by_record(content: bytes, dialect: CsvDialect) -> Found:
    found: Found = []
    try:
        for record in read_records(io.BytesIO(content), "a.csv", dialect):
            found.append(row(record))
    except SourceError as error:
        found.append((0, (), "", str(error)))
    return found


def row(record: Record) -> tuple[int, tuple[str | None, ...], str, str]:
    return record.line, record.values, record.raw if record.malformed else "", record.malformed


def fast(content: bytes, dialect: CsvDialect, cuts: list[tuple[int, int]] | None = None) -> Found:
    """``cuts``, if given, gets the places and lines at which the walk allows the text to be cut."""
    found: Found = []
    try:
        names = read_header(io.BytesIO(content), "a.csv", dialect).original
        width = len(names)
        walk = TextWalk(io.BytesIO(content), "a.csv", dialect, width=width, names=names, parse=parser(dialect, width))
        for one in walk:
            found += rows_of(one, width)
            if cuts is not None and isinstance(one, Piece) and not walk.is_final:
                cuts.append((walk.taken, walk.line))
    except SourceError as error:
        found.append((0, (), "", str(error)))
    return found


def parser(dialect: CsvDialect, width: int) -> Any:
    return column_parser(ScanRules(dialect), width, range(width))


def rows_of(found: Piece | Record, width: int) -> Found:
    if isinstance(found, Record):
        return [row(found)]
    lines, columns = found.values
    values = zip(*(columns[place].to_pylist() for place in range(width)), strict=True)
    return [(int(line) + found.line, tuple(one), "", "") for line, one in zip(lines, values, strict=True)]


def in_shares(content: bytes, dialect: CsvDialect, cuts: list[tuple[int, int]]) -> Found:
    """The text read in shares, cut at each of ``cuts``."""
    names = read_header(io.BytesIO(content), "a.csv", dialect).original
    width = len(names)
    found: Found = []
    for (start, line), end in zip([(0, 1), *cuts], [*(place for place, _ in cuts), None], strict=True):
        source = io.BytesIO(content)
        source.seek(start)
        length = None if end is None else end - start
        parse = parser(dialect, width)
        walk = TextWalk(source, "a.csv", dialect, width=width, names=names, parse=parse, line=line, length=length)
        try:
            for one in walk:
                found += rows_of(one, width)
        except SourceError as error:
            found.append((0, (), "", str(error)))
    return found


def assert_same(content: bytes, dialect: CsvDialect) -> None:
    want, cuts = record_by_record(content, dialect), list[tuple[int, int]]()

    assert fast(content, dialect, cuts) == want
    for places in (cuts, planned_cuts(content, dialect)):
        if places:
            assert in_shares(content, dialect, places) == want


def planned_cuts(content: bytes, dialect: CsvDialect) -> list[tuple[int, int]]:
    """Where the driver, which parses nothing, cuts the text."""
    cuts = []
    with suppress(SourceError):
        read_header(io.BytesIO(content), "a.csv", dialect)  # else it is no readable file, and nobody cuts it
        cuts.extend(CsvFormat(dialect=dialect).record_starts(io.BytesIO(content), "a.csv"))
    return cuts


FORMATS = st.builds(
    CsvDialect,
    encoding=st.sampled_from(["utf-8", "utf-8", "cp1252", "latin-1", "utf-16", "shift_jis"]),
    trailer_prefix=st.sampled_from(["", "", "T"]),
    header_prefix=st.sampled_from(["", "", "H"]),
    quote=st.sampled_from(['"', '"', "'"]),
)
PARTS = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.binary(max_size=4)), max_size=60)


@settings(max_examples=examples(400), deadline=None)
@given(PARTS, FORMATS, st.sampled_from([HEADER, b"\xef\xbb\xbf" + HEADER, b"H,1\n" + HEADER, b"id\n", b""]))
@example([b'9,"open\n', b"1,a,b\n" * 1200, b"x\xff\n"], CsvDialect(), HEADER)
@example([b'9,"open\n', b"1,a,b\n" * 1200, b'2,"x\n', b"1,a,b\n" * 998, b'",y\n'], CsvDialect(), HEADER)
@example([b'9,"', b"a\n" * 999, b'",y\n', b"1,a,b\n" * 90], CsvDialect(), HEADER)
@example([b"a\n" * 40, b"\x1a\n", b"a\n", b"\x1a"], CsvDialect(), b"id\n")
@example([b"\xef\xbb\xbf1,a,b\n", b"1,a,b\n" * 90], CsvDialect(), HEADER)
@example([b"1,a,b\n" * 90, b"T,90,x\n"], CsvDialect(trailer_prefix="T"), HEADER)
@example([b'1,x,a"\n2,",\n', b"z" * 600, b'",c\n3,y,b"\n'], CsvDialect(), HEADER)
@example([b'9,"', b"a\n" * 1000, b'",y\n', b"1,a,b\n" * 90], CsvDialect(), HEADER)
def test_any_bytes_are_read_alike(parts: list[bytes], dialect: CsvDialect, header: bytes) -> None:
    assert_same(header + b"".join(parts), dialect)


@pytest.mark.parametrize("seed", range(30))
def test_a_good_file_with_some_bytes_changed_is_read_alike(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - a test that can be repeated
    lines = [b'%d,"name, %d",note\n' % (n, n) if n % 7 == 0 else b"%d,name,note\n" % n for n in range(400)]
    content = bytearray(HEADER + b"".join(lines))
    for _ in range(chance.randrange(6)):
        sign = chance.choice([b'"', b",", b"\n", b"\r", b"\r\n", b"\0", b"\xff", b"\xef\xbb\xbf", b"\x1a", b""])
        place = chance.randrange(len(HEADER), len(content))
        content[place : place + chance.randrange(2)] = sign

    assert_same(bytes(content), CsvDialect())


def test_one_odd_record_does_not_make_its_file_slow() -> None:
    content = HEADER + b"1,a,b\n" * 500 + b'2,"open,b\n' + b"3,a\n" + b"4,a,b\n" * 5000
    walk = TextWalk(io.BytesIO(content), "a.csv", CsvDialect(), width=WIDTH, parse=parser(CsvDialect(), WIDTH))

    found = list(walk)

    assert sum(isinstance(one, Record) for one in found) < 1_200  # the lines behind an open quote, and few beside them
    assert [one.line for one in found if isinstance(one, Record) and one.malformed] == [502, 503]
    assert len([one for one in found if isinstance(one, Piece)]) > 1


def test_a_large_file_is_shared_out_and_small_ones_share_a_task(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share_module, "SHARE_BYTES", 4_000)
    columns = Schema.of(Column(name=name) for name in ("id", "name", "note"))
    files = []
    for number, size in enumerate([3_000, 2, 2, 2]):
        path = tmp_path / f"{number}.csv"
        path.write_bytes(HEADER + b"".join(b'%d,"a\nb",c\n' % n for n in range(size)))
        files.append(file_at(path, columns))

    tasks = tasks_of(CsvFormat(), files, cores=2)

    shares = [share for task in tasks for share in task]
    assert [share.file for share in shares][-3:] == [1, 2, 3]
    assert len([share for share in shares if share.file == 0]) > 2
    found = [
        line
        for share in shares
        if share.file == 0
        for batch in read_share(CsvFormat(), files[0], columns, share)
        for line in batch.column("_line").to_pylist()
    ]
    assert found == [2 + 2 * n for n in range(3_000)]


def test_a_large_json_file_is_shared_out_with_the_lines_of_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(share_module, "SHARE_BYTES", 4_000)
    monkeypatch.setattr(jsonl_format, "_BLOCK", 1_000)
    columns = Schema.of([Column(name="id")])
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"".join(b'{"id": %d}\n\n' % n for n in range(2_000)) + b"\xff\n" + b'{"id": 1}\n' * 2_000)

    file = file_at(path, columns)
    tasks = tasks_of(JsonLinesFormat(), [file], cores=2)

    rows = [
        line
        for task in tasks
        for share in task
        for batch in read_share(JsonLinesFormat(), file, columns, share)
        for line in batch.column("_line").to_pylist()
    ]
    assert len(tasks) > 2
    assert rows == [1 + 2 * n for n in range(2_000)] + [4_001]


def file_at(path: Path, columns: Schema) -> DeliveryFile:
    return DeliveryFile(
        name=path.name, path=str(path), bytes=path.stat().st_size, record_count=None, schema=columns, renamed={},
        root=str(path.parent),
    )  # fmt: skip
