"""Compressed files are read completely within limits, or rejected with the reason."""

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform_tests.ingestion.landing_case import is_held, read, reasons

ORDERS = Schema.of([Column(name="id"), Column(name="amount")])
ONE, TWO = b"id,amount\n1,1.00\n", b"id,amount\n2,2.00\n"


def zipped(entries: dict[str, bytes], **external: int) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = external.get("mode", 0o644) << 16
            archive.writestr(info, content)
    return target.getvalue()


def zstd(content: bytes) -> bytes:
    return bytes(pa.compress(content, codec="zstd", asbytes=True))


def tarred(content: bytes) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as archive:
        info = tarfile.TarInfo("a.csv")
        info.size = len(content)
        archive.addfile(info, io.BytesIO(content))
    return target.getvalue()


def landed(landing: Path, name: str, content: bytes, kind: str = "csv", **keys: object) -> Any:
    (landing / "in").mkdir(exist_ok=True)
    (landing / "in" / name).write_bytes(content)
    return read(landing, Source.model_validate({"format": kind, "path": "in", **keys}), ORDERS)


@pytest.mark.parametrize(
    ("name", "content", "files"),
    [
        pytest.param("a.csv.gz", gzip.compress(ONE) + gzip.compress(b"2,2.00\n"), ["a.csv.gz"], id="two gzip members"),
        pytest.param("a.csv.bz2", bz2.compress(ONE) + bz2.compress(b"2,2.00\n"), ["a.csv.bz2"], id="two bzip2 streams"),
        pytest.param("a.csv.zst", zstd(ONE) + zstd(b"2,2.00\n"), ["a.csv.zst"], id="two zstd frames"),
        pytest.param("A.CSV.GZ", gzip.compress(ONE + b"2,2.00\n"), ["A.CSV.GZ"], id="upper case"),
        pytest.param(
            "a.zip", zipped({"1.csv": ONE, "x/2.csv": TWO}), ["a.zip/1.csv", "a.zip/x/2.csv"], id="zip of several"
        ),
        pytest.param(
            "a.csv.zip",
            zipped({"1.csv": ONE + b"2,2.00\n", "__MACOSX/._1.csv": b"x", ".DS_Store": b"x"}),
            ["a.csv.zip/1.csv"],
            id="zip of a Mac",
        ),
    ],
)
def test_packed_files_are_read(tmp_path: Path, name: str, content: bytes, files: list[str]) -> None:
    delivery, rows = landed(tmp_path, name, content)

    assert not is_held(delivery)
    assert [file.name for file in delivery.files] == files
    assert [row["id"] for row in rows] == ["1", "2"]
    assert {row["_file"] for row in rows} == set(files)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        pytest.param("a.csv.gz", gzip.compress(ONE * 900)[:-9], "cut off or damaged", id="cut gzip"),
        pytest.param("a.csv.gz", gzip.compress(ONE) + b"rubbish", "cut off or damaged", id="rubbish behind gzip"),
        pytest.param("a.csv.gz", ONE, "its bytes are not", id="gzip by name only"),
        pytest.param("a.csv.gz", gzip.compress(gzip.compress(ONE)), "compressed content is gzip", id="gzip in gzip"),
        pytest.param("a.csv.gz", gzip.compress(tarred(ONE)), "compressed content is tar", id="tar in gzip"),
        pytest.param("a.csv.gz", gzip.compress(zipped({"a.csv": ONE})), "compressed content is zip", id="zip in gzip"),
        pytest.param("a.zip", gzip.compress(ONE), "its bytes are gzip", id="gzip named zip"),
        pytest.param("a.csv.zst", gzip.compress(ONE), "its bytes are gzip", id="gzip named zstd"),
        pytest.param("a.csv.zst", zstd(ONE * 99)[:-9], "cut off or damaged", id="cut zstd"),
        pytest.param("a.csv.bz2", bz2.compress(ONE)[:-9], "cut off or damaged", id="cut bzip2"),
        pytest.param("a.zip", zipped({"1.csv": ONE})[:-9], "cut off or damaged", id="cut zip"),
        pytest.param("a.zip", zipped({"b.zip": zipped({"1.csv": ONE})}), "contains b.zip", id="zip in zip"),
        pytest.param("a.zip", zipped({"1.csv": ONE, "readme.txt": b"x"}), "contains readme.txt", id="two formats"),
        pytest.param("a.zip", zipped({}), "no csv file", id="empty zip"),
        pytest.param("a.zip", zipped({"../1.csv": ONE}), "a path outside the zip", id="zip slip"),
        pytest.param("a.zip", zipped({"/etc/1.csv": ONE}), "a path outside the zip", id="absolute entry"),
        pytest.param("a.zip", zipped({"C:\\x\\1.csv": ONE}), "a path outside the zip", id="entry with a drive"),
        pytest.param("a.zip", zipped({"1.csv": b"/etc/passwd"}, mode=stat.S_IFLNK | 0o777), "is a link", id="link"),
        pytest.param("a.csv", bz2.compress(ONE), "bzip2", id="bzip2 by its bytes"),
        pytest.param("a.csv", lzma.compress(ONE), "xz", id="xz by its bytes"),
        pytest.param("a.csv", tarred(ONE), "tar", id="tar by its bytes"),
        pytest.param("a.csv", b"\x28\xb5\x2f\xfd\x00", "zstd", id="zstd by its bytes"),
        pytest.param("a.csv", b"PAR1\x00\x00PAR1", "Parquet", id="Parquet under another name"),
    ],
)
def test_what_cannot_be_read_is_held_with_its_cause(tmp_path: Path, name: str, content: bytes, words: str) -> None:
    delivery, rows = landed(tmp_path, name, content)

    assert is_held(delivery)
    assert words in reasons(delivery)
    assert name in reasons(delivery)
    assert rows == []


@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(zipped({"[Content_Types].xml": b"x", "xl/workbook.xml": b"x"}), "spreadsheet", id="Excel"),
        pytest.param(b"\x5d\x00\x00\x80\x00" + b"\xff" * 8, "lzma", id="LZMA"),
        pytest.param(zlib.compress(ONE * 20), "zlib", id="zlib"),
        pytest.param(b"\xff\x06\x00\x00sNaPpY" + b"x" * 9, "snappy", id="snappy"),
        pytest.param(b"ORC\x0a\x01", "ORC", id="ORC"),
        pytest.param(b"-----BEGIN PGP MESSAGE-----\n\nhQ\n", "PGP", id="PGP"),
        pytest.param(b"version https://git-lfs.github.com/spec/v1\n", "Git LFS", id="a pointer of Git LFS"),
    ],
)
def test_content_under_a_wrong_name_is_reported_by_its_kind(tmp_path: Path, content: bytes, words: str) -> None:  # C43
    delivery, _ = landed(tmp_path, "a.csv", content)

    assert list(delivery.unreadable) == ["a.csv"]
    assert words in reasons(delivery)


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (".b.csv", "hidden"),
        ("_b.csv", "hidden"),
        (".d/b.csv", "hidden"),
        ("~b.csv", "a backup copy"),
        ("b.csv.tmp", "not csv"),
    ],
)
def test_an_entry_that_may_be_data_and_is_not_taken_holds_its_zip(tmp_path: Path, entry: str, words: str) -> None:
    delivery, _ = landed(tmp_path, "a.zip", zipped({"a.csv": ONE, entry: TWO}))

    assert is_held(delivery)
    assert entry in reasons(delivery)
    assert words in reasons(delivery)


def test_an_encrypted_zip_is_refused(tmp_path: Path) -> None:
    content = bytearray(zipped({"1.csv": ONE}))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the flag of an encrypted entry, in both headers
        content[content.index(mark) + place] |= 1

    delivery, _ = landed(tmp_path, "a.zip", bytes(content))

    assert "1.csv is encrypted" in reasons(delivery)


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        pytest.param({"max_bytes": 1 << 20}, "source.unpack.max_bytes", id="bytes"),
        pytest.param({"max_ratio": 50}, "source.unpack.max_ratio", id="ratio"),
        pytest.param({"max_files": 1}, "source.unpack.max_files", id="files"),
    ],
)
@pytest.mark.parametrize("kind", ["gz", "zip", "bz2", "zst"])
def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path, limits: dict[str, int], words: str, kind: str) -> None:
    text = ONE + b"0" * (20 << 20)
    pack = {"gz": gzip.compress, "bz2": bz2.compress, "zst": zstd}.get(kind)
    packed = pack(text) if pack else zipped({"1.csv": text, "2.csv": TWO})

    delivery, rows = landed(tmp_path, f"a.csv.{kind}", packed, unpack=limits)

    if kind == "zip" or words != "source.unpack.max_files":
        assert words in reasons(delivery)
        assert rows == []


def test_the_same_text_packed_and_unpacked_is_a_duplicate(tmp_path: Path) -> None:
    landed(tmp_path, "a.csv.gz", gzip.compress(ONE))

    delivery, _ = landed(tmp_path, "a.csv", ONE)

    assert delivery.problems == ("DUPLICATE_FILE:a.csv = a.csv.gz",)


def test_json_lines_and_empty_parts_may_be_packed(tmp_path: Path) -> None:
    landed(tmp_path, "a.jsonl.gz", gzip.compress(b'{"id": 1, "amount": 1.00}\n'), "jsonl")

    delivery, rows = landed(tmp_path, "b.jsonl.gz", gzip.compress(b""), "jsonl")

    assert list(delivery.warnings) == ["EMPTY_FILE:b.jsonl.gz"]
    assert [(row["id"], row["amount"]) for row in rows] == [("1", "1.00")]


def test_a_packed_file_of_another_encoding_is_decoded(tmp_path: Path) -> None:
    packed = gzip.compress("id,amount\né,1\n".encode("utf-16"))

    _, rows = landed(tmp_path, "a.csv.gz", packed, encoding="utf-16")

    assert rows[0]["id"] == "é"
