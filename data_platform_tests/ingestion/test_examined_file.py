"""A delivery that is examined twice is read once, unless a file has changed in between."""

import gzip
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest

from data_platform.ingestion import examined_file
from data_platform.ingestion.delivery import Delivery, find_delivery
from data_platform.ingestion.examined_file import ExaminedFiles
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source

ORDERS = Schema.of([Column(name="id"), Column(name="amount")])
TEXT = b"id,amount\n1,1.00\n"


@pytest.fixture
def read_files(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files whose contents are read, and the algorithms of checksums; every file is old enough."""
    names: list[str] = []
    read_content, new = examined_file.read_content, hashlib.new

    def reading(path: str, root: str, name: str, *rest: Any) -> Any:
        names.append(name)
        return read_content(path, root, name, *rest)

    def hashing(algorithm: str, **keys: Any) -> Any:
        names.append(algorithm)
        return new(algorithm, **keys)

    monkeypatch.setattr(examined_file, "read_content", reading)
    monkeypatch.setattr(examined_file.hashlib, "new", hashing)
    monkeypatch.setattr(examined_file, "TICK_NS", -1)
    return names


def found(landing: Path, examined: ExaminedFiles, **source: Any) -> Delivery:
    policy = Source.model_validate({"format": "csv", "path": "in", **source})
    return find_delivery(landing, policy, None, ORDERS, (), examined)


def landed(landing: Path, **files: bytes) -> Path:
    folder = landing / "in"
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_bytes(content)
    return folder


def test_files_that_stay_the_same_are_read_once(tmp_path: Path, read_files: list[str]) -> None:
    folder = landed(tmp_path, a_csv=TEXT, b_csv_gz=gzip.compress(TEXT.replace(b"1,", b"2,")))
    (folder / "a.csv.md5").write_text(hashlib.md5(TEXT, usedforsecurity=False).hexdigest())
    examined = ExaminedFiles()

    first, second = found(tmp_path, examined), found(tmp_path, examined)

    assert read_files == ["md5", "a.csv", "b.csv.gz"]
    assert (first, [file.name for file in second.files]) == (second, ["a.csv", "b.csv.gz"])


def test_the_checksums_of_a_manifest_are_computed_once(tmp_path: Path, read_files: list[str]) -> None:
    folder = landed(tmp_path, a_csv=TEXT)
    digest = hashlib.sha1(TEXT, usedforsecurity=False).hexdigest()
    (folder / "m.json").write_text(json.dumps({"file": "a.csv", "sha1": digest}))
    examined = ExaminedFiles()

    deliveries = [found(tmp_path, examined, manifest="m.json") for _ in range(2)]

    assert read_files == ["sha1", "a.csv"]
    assert [delivery.problems for delivery in deliveries] == [(), ()]


def test_a_file_that_changed_in_between_is_read_again_even_if_it_looks_the_same(
    tmp_path: Path, read_files: list[str]
) -> None:
    path = landed(tmp_path, a_csv=TEXT) / "a.csv"
    examined, before = ExaminedFiles(), os.stat(path)
    first = found(tmp_path, examined)
    with path.open("r+b") as file:
        file.write(TEXT.replace(b"1.00", b"9.00"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    second = found(tmp_path, examined)

    assert (os.stat(path).st_size, os.stat(path).st_mtime_ns) == (before.st_size, before.st_mtime_ns)
    assert read_files == ["a.csv", "a.csv"]
    assert first.id != second.id


def test_files_that_came_or_went_in_between_are_noticed(tmp_path: Path, read_files: list[str]) -> None:
    folder = landed(tmp_path, a_csv=TEXT, b_csv=TEXT.replace(b"1,", b"2,"))
    examined = ExaminedFiles()
    found(tmp_path, examined)
    (folder / "a.csv").unlink()
    landed(tmp_path, c_csv=TEXT.replace(b"1,", b"3,"))

    assert [file.name for file in found(tmp_path, examined).files] == ["b.csv", "c.csv"]
    assert read_files == ["a.csv", "b.csv", "c.csv"]


@pytest.mark.usefixtures("read_files")
def test_limits_of_unpacking_hold_for_files_that_are_not_read_again(tmp_path: Path) -> None:
    landed(tmp_path, a_csv_gz=gzip.compress(TEXT))
    examined, limit = ExaminedFiles(), {"unpack": {"max_bytes": len(TEXT) + 1}}
    assert not found(tmp_path, examined, **limit).unreadable
    landed(tmp_path, b_csv_gz=gzip.compress(TEXT.replace(b"1,", b"2,")))

    assert "max_bytes" in found(tmp_path, examined, **limit).unreadable["b.csv.gz"]
    assert "max_bytes" in found(tmp_path, examined, unpack={"max_bytes": 1}).unreadable["a.csv.gz"]


def test_a_file_that_was_just_written_is_read_again(
    tmp_path: Path, read_files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examined_file, "TICK_NS", 3_600_000_000_000)
    landed(tmp_path, a_csv=TEXT)
    examined = ExaminedFiles()

    assert found(tmp_path, examined) == found(tmp_path, examined)
    assert read_files == ["a.csv", "a.csv"]
