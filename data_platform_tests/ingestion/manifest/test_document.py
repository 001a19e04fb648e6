"""A manifest lists what a complete delivery has, so a truncated delivery is detected."""

import hashlib
import json
from pathlib import Path

import pytest

from data_platform.errors import SourceError, SourceUnavailableError
from data_platform.ingestion.manifest.document import Manifest, manifest_problems, read_manifest
from data_platform_tests.case import case_file, expected

CONTENT = b"id\n1\n2\n"


def written(folder: Path, **keys: object) -> Manifest:
    """A delivery of two records in ``folder``, and a manifest with ``keys``."""
    (folder / "a.csv").write_bytes(CONTENT)
    (folder / "a.json").write_text(json.dumps({"file": "a.csv", **keys}))
    return read_manifest(folder / "a.json")


def test_a_byte_order_mark_is_taken_off() -> None:  # C09
    manifest = read_manifest(case_file("C09", "manifest_bom.json"))

    assert manifest.record_count == expected("C09")["manifest_record_count"]


def test_the_one_file_form_is_read() -> None:  # C08
    manifest = read_manifest(case_file("C08", "manifest.json"))

    assert [(f.file, f.record_count) for f in manifest.files] == [("orders.csv", 5)]


def test_a_whole_delivery_is_complete(tmp_path: Path) -> None:
    manifest = written(tmp_path, bytes=len(CONTENT), sha256=hashlib.sha256(CONTENT).hexdigest())

    assert manifest_problems(manifest, tmp_path) == ()


def test_a_truncated_delivery_is_detected_by_its_size(tmp_path: Path) -> None:
    manifest = written(tmp_path, bytes=len(CONTENT))
    (tmp_path / "a.csv").write_bytes(CONTENT[:4])

    assert manifest_problems(manifest, tmp_path) == ("MANIFEST_SIZE:a.csv:4≠7",)


def test_a_changed_byte_is_detected_by_the_checksum(tmp_path: Path) -> None:
    manifest = written(tmp_path, sha256=hashlib.sha256(CONTENT).hexdigest())
    (tmp_path / "a.csv").write_bytes(CONTENT.replace(b"2", b"3"))

    assert manifest_problems(manifest, tmp_path) == ("MANIFEST_CHECKSUM:a.csv",)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    manifest = written(tmp_path)
    (tmp_path / "a.csv").unlink()

    assert manifest_problems(manifest, tmp_path) == ("MANIFEST_MISSING:a.csv",)


def test_record_counts_of_files_are_summed_only_if_each_has_one() -> None:
    entry = {"file": "a", "record_count": 2}

    assert Manifest.model_validate({"files": [entry, entry]}).record_count == 4
    assert Manifest.model_validate({"files": [entry, {"file": "b"}]}).record_count is None


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        pytest.param({"records_in_all": 2}, "records_in_all: not a supported key", id="unknown key"),
        pytest.param({"record_count": -1}, "record_count: a count or size cannot be less than 0$", id="negative count"),
        pytest.param({"file": "../a.csv"}, "must be in its folder", id="path traversal"),
        pytest.param({"file": "/a.csv"}, "must be in its folder", id="absolute path"),
        pytest.param({"sha256": "abc"}, "sha256: ", id="not a checksum"),
    ],
)
def test_an_invalid_manifest_is_rejected(tmp_path: Path, keys: dict[str, object], problem: str) -> None:
    with pytest.raises(SourceError, match=problem):
        written(tmp_path, **keys)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        pytest.param(b"{", "not JSON", id="cut off"),
        pytest.param(b"\xff{}", "not valid UTF-8", id="not UTF-8"),
        pytest.param(b"{}", "files: Field required", id="says nothing"),
        pytest.param(b"[]", "files: it names no file", id="an empty list"),
        pytest.param(b'"a.csv"', "manifest: expected an object", id="not an object"),
    ],
)
def test_junk_is_a_clear_error(tmp_path: Path, content: bytes, problem: str) -> None:
    (tmp_path / "m.json").write_bytes(content)
    with pytest.raises(SourceError, match=problem):
        read_manifest(tmp_path / "m.json")


def test_a_manifest_that_is_not_there_may_come(tmp_path: Path) -> None:
    with pytest.raises(SourceUnavailableError, match="may still be on its way"):
        read_manifest(tmp_path / "m.json")
