"""Manifests of other tools are read correctly, or rejected with the cause."""

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

from data_platform.errors import SourceError
from data_platform.ingestion.manifest.document import Manifest, manifest_problems, read_manifest

CONTENT = b"id,amount\n1,10.00\n"
HEX = {name: hashlib.new(name, CONTENT).hexdigest() for name in ("md5", "sha1", "sha256", "sha512")}


def manifest(folder: Path, text: str | bytes) -> Manifest:
    (folder / "data").mkdir(exist_ok=True)
    for name in ("a.csv", "data/a.csv"):
        (folder / name).write_bytes(CONTENT)
    (folder / "m.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_manifest(folder / "m.json")


@pytest.mark.parametrize(
    "keys",
    [
        pytest.param({"sha256": HEX["sha256"].upper()}, id="upper case"),
        pytest.param({"sha256": "SHA256:" + HEX["sha256"]}, id="prefix"),
        pytest.param({"sha256": "SHA2: " + HEX["sha256"]}, id="prefix SHA2"),
        pytest.param({"checksum": "sha-512=" + HEX["sha512"]}, id="another algorithm by prefix"),
        pytest.param({"checksum": HEX["sha1"]}, id="by length"),
        pytest.param({"MD5": HEX["md5"]}, id="by key"),
        pytest.param({"md5sum": HEX["md5"]}, id="by the tool's name"),
        pytest.param({"hash": HEX["sha512"], "hash_algorithm": "SHA-512"}, id="beside its algorithm"),
        pytest.param({"sha256": base64.b64encode(bytes.fromhex(HEX["sha256"])).decode()}, id="base64"),
        pytest.param(
            {"sha256": base64.urlsafe_b64encode(bytes.fromhex(HEX["sha256"])).decode().rstrip("=")},
            id="base64 for URLs, without padding",
        ),
        pytest.param({"md5": base64.b64encode(bytes.fromhex(HEX["md5"])).decode()}, id="base64 that ends in =="),
        pytest.param(
            {"checksum": "sha512:" + base64.b64encode(bytes.fromhex(HEX["sha512"])).decode()}, id="its prefix too"
        ),
        pytest.param(
            {"checksum": "sha256-" + base64.b64encode(bytes.fromhex(HEX["sha256"])).decode()}, id="as browsers write it"
        ),
        pytest.param({"md5": HEX["md5"], "sha256": HEX["sha256"]}, id="two of one file"),
        pytest.param({"etag": f'"{HEX["md5"]}"'}, id="an object store's"),
    ],
)
def test_a_checksum_of_any_form_is_asked_of_the_file(tmp_path: Path, keys: dict[str, str]) -> None:
    read = manifest(tmp_path, json.dumps({"file": "a.csv", **keys}))

    assert manifest_problems(read, tmp_path) == ()
    (tmp_path / "a.csv").write_bytes(CONTENT.replace(b"1", b"2"))
    assert manifest_problems(read, tmp_path) == ("MANIFEST_CHECKSUM:a.csv",)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"file": "a.csv", "bytes": "18", "record_count": "1"}', id="numbers as text"),
        pytest.param('{"file": "a.csv", "bytes": 18.0, "record_count": 1e0}', id="numbers with a point"),
        pytest.param('{"fileName": "a.csv", "fileSize": 18, "rowCount": 1}', id="camel case"),
        pytest.param('{"FILE_NAME": "a.csv", "SIZE": 18, "ROWS": 1, "CREATED_AT": "2025-01-01"}', id="upper case"),
        pytest.param('{"entries": [{"path": "a.csv", "length": 18, "num_rows": 1}], "version": 2}', id="entries"),
        pytest.param('[{"file": "a.csv", "bytes": 18, "record_count": 1}]', id="a list of files"),
        pytest.param('{"files": ["a.csv"], "record_count": 1, "totalBytes": 18}', id="names, and a count of all"),
        pytest.param(f'{{"files": {{"a.csv": "{HEX["sha256"]}"}}, "rows": 1}}', id="names to digests"),
        pytest.param('{"files": {"a.csv": {"size": 18, "rows": 1}}}', id="names mapped to facts"),
        pytest.param('{"file": ".\\\\a.csv", "records": 1}', id="backslash"),
        pytest.param('{"file": "a.csv", "records": 1}'.encode("utf-16"), id="UTF-16 with its mark"),
        pytest.param('{"file": "a.csv", "records": 1}'.encode("utf-16-be"), id="UTF-16 without a mark"),
        pytest.param('\ufeff{"file": "a.csv", "records": 1}'.encode("utf-32"), id="UTF-32"),
        pytest.param('\ufeff{"file": "a.csv", "records": 1}'.encode(), id="UTF-8 with its mark"),
    ],
)
def test_other_spellings_mean_the_same(tmp_path: Path, text: str | bytes) -> None:
    read = manifest(tmp_path, text)

    assert (read.record_count, manifest_problems(read, tmp_path)) == (1, ())
    assert [Path(file.file).name for file in read.files] == ["a.csv"]


@pytest.mark.parametrize("literal", ["30.0", "30", "1e2", "0.10", "12345678901234567890.123456789"])
def test_a_total_keeps_its_digits(tmp_path: Path, literal: str) -> None:
    read = manifest(tmp_path, f'{{"file": "a.csv", "control_totals": {{"amount": {literal}, "qty": "{literal}"}}}}')

    assert read.control_totals == {"amount": literal, "qty": literal}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param('{"file": "C:\\\\data\\\\a.csv"}', "has a drive", id="drive"),
        pytest.param('{"file": "\\\\\\\\host\\\\a.csv"}', "has a drive or host", id="host"),
        pytest.param('{"file": "..\\\\a.csv"}', "must be in its folder", id="out by backslash"),
        pytest.param('{"file": "s3://bucket/a.csv"}', "is a URL", id="address"),
        pytest.param('{"file": "a\\u0000.csv"}', "no file name can have", id="NUL"),
        pytest.param('{"file": "\\ud800.csv"}', "no file name can have", id="half a character"),
        pytest.param('{"file": "."}', "names a folder", id="a folder"),
        pytest.param('{"file": "a.csv", "sha256": "md5:' + HEX["md5"] + '"}', "algorithm", id="two algorithms"),
        pytest.param('{"file": "a.csv", "checksum": "crc32:1a2b3c4d"}', "algorithm", id="unknown algorithm"),
        pytest.param('{"file": "a.csv", "checksum": "1a2b"}', "not a checksum", id="no checksum"),
        pytest.param('{"file": "a.csv", "rows": 1.5}', "whole number", id="half a record"),
        pytest.param('{"file": "a.csv", "rows": "1,234"}', "whole number", id="a separator"),
        pytest.param('{"file": "a.csv", "rows": 1, "count": 2}', "given twice", id="two counts"),
        pytest.param('{"file": "a.csv", "file": "b.csv"}', "file occurs twice", id="a key twice"),
        pytest.param('{"file": "a.csv", "control_totals": {"amount": NaN}}', "NaN is not a JSON number", id="NaN"),
        pytest.param('{"file": "a.csv", "checkpoint": 1}', "checkpoint: not a supported key", id="unknown key"),
        pytest.param('{"files": [{"file": "a.csv", "rows": 1}], "rows": 2}', "not the sum", id="counts that disagree"),
        pytest.param('{"file": "a.csv", "rows": "1_000"}', "whole number", id="an underscore"),
        pytest.param('{"file": "a.csv", "rows": "\u0663"}', "whole number", id="digits that are not ASCII"),
        pytest.param('{"file": "a.csv", "rows": 1e999999999}', "whole number", id="more digits than fit into memory"),
        pytest.param('{"file": "a.csv", "rows": true}', "whole number", id="a truth value"),
        pytest.param(
            '{"file_count": 2, "files": [{"file": "a.csv"}]}', "not the number of the files", id="a file less"
        ),
        pytest.param(
            '{"totalSize": 9, "files": [{"file": "a.csv", "size": 8}]}', "not the sum of the sizes", id="sizes"
        ),
        pytest.param('{"file": "a.csv", "crc32": "1a2b3c4d"}', "a CRC is not a supported checksum", id="a CRC alone"),
        pytest.param('{"file": "a.csv", "ann.case@example.com": 1}', r"REDACTED:EMAIL", id="a person for a key"),
        pytest.param("<manifest/>", "looks like XML", id="XML"),
        pytest.param("file,size\na.csv,3\n", "looks like CSV", id="CSV"),
        pytest.param("a.csv|2|3.00\n", "looks like CSV", id="a control file of fields"),
        pytest.param("$$File=a.csv\n", "names and values", id="a control file of names"),
        pytest.param("LOAD DATA INFILE 'a.csv'", r"SQL\*Loader", id="a control file of Oracle"),
        pytest.param("files:\n- a.csv\n", "looks like YAML", id="YAML"),
        pytest.param("a.csv\n", "a list of names", id="names alone"),
        pytest.param("[" * 100_000, "too deeply", id="deep"),
        pytest.param(b"\x1f\x8b\x08", "compressed", id="gzip"),
        pytest.param('{"file": "é.csv"}'.encode("cp1252"), "not valid UTF-8", id="another encoding"),
    ],
)
def test_what_cannot_be_understood_is_refused_by_its_cause(tmp_path: Path, text: str | bytes, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        manifest(tmp_path, text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(HEX["sha256"] + "  a.csv\n", id="sha256sum"),
        pytest.param("\ufeff" + HEX["md5"] + " *./a.csv\r\n", id="md5sum of Windows"),
        pytest.param(f"SHA512 (a.csv) = {HEX['sha512']}\n", id="BSD"),
        pytest.param(json.dumps({"file": "a.csv", "checksums": {"md5": HEX["md5"]}}), id="an object of checksums"),
        pytest.param(json.dumps({"file": "a.csv", "hashes": [{"type": "SHA-1", "value": HEX["sha1"]}]}), id="a list"),
        pytest.param(json.dumps({"files": [{"key": "a.csv", "MD5checksum": HEX["md5"]}]}), id="S3 inventory"),
        pytest.param(json.dumps([{"Name": "a.csv", "Content-MD5": HEX["md5"]}]), id="Azure"),
        pytest.param(
            json.dumps({"kind": "x", "items": [{"name": "a.csv", "md5Hash": HEX["md5"], "crc32c": "x"}]}), id="GCS"
        ),
        pytest.param(
            json.dumps({"resources": [{"name": "a", "path": "a.csv", "hash": HEX["md5"]}]}), id="Frictionless"
        ),
        pytest.param(json.dumps({"file": "a.csv", "ETag": f'W/"{HEX["md5"]}"'}), id="a weak tag"),
        pytest.param(json.dumps({"file": "a.csv", "sha1": ":".join(re.findall("..", HEX["sha1"]))}), id="colons"),
    ],
)
def test_checksums_as_other_tools_list_them_are_asked_of_the_file(tmp_path: Path, text: str) -> None:  # C47
    good = manifest(tmp_path, text)
    assert good.files[0].digest is not None

    assert manifest_problems(good, tmp_path) == ()
    (tmp_path / "a.csv").write_bytes(b"another")
    assert manifest_problems(good, tmp_path) == (f"MANIFEST_CHECKSUM:{good.files[0].file}",)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param('{"file": "a.csv", "rows": 2}\n{"file": "b.csv", "rows": 3}\n', id="an object a line"),
        pytest.param('{"entries": [{"url": "a.csv", "meta": {"record_count": 2}}, {"url": "b.csv", "mandatory": true, '
                     '"meta": {"record_count": 3}}], "meta": {"record_count": 5}, "author": {}}', id="Redshift"),
        pytest.param('{"rows_unloaded": 5, "input_bytes": 9, "files": ["a.csv", "b.csv"]}', id="Snowflake"),
    ],
)  # fmt: skip
def test_counts_in_the_form_of_other_tools_are_read(tmp_path: Path, text: str) -> None:  # C47
    found = manifest(tmp_path, text)

    assert [file.file for file in found.files] == ["a.csv", "b.csv"]
    assert found.record_count == 5


def test_a_tag_of_a_file_that_was_sent_in_parts_is_no_checksum(tmp_path: Path) -> None:
    assert manifest(tmp_path, '{"file": "a.csv", "ETag": "' + HEX["md5"] + '-3"}').files[0].digest is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f'{{"hashAlgorithm": "MD5", "files": [{{"file": "a.csv", "hash": "{HEX["md5"]}"}}]}}', id="list"),
        pytest.param(f'{{"algorithm": "md5", "files": {{"a.csv": "{HEX["md5"]}"}}}}', id="names and digests"),
        pytest.param(
            f'{{"algorithm": "sha1", "files": [{{"file": "a.csv", "hash": "{HEX["md5"]}", "hash_type": "md5"}}]}}',
            id="a file's own comes first",
        ),
    ],
)
def test_an_algorithm_at_the_top_level_is_that_of_all_files(tmp_path: Path, text: str) -> None:
    read = manifest(tmp_path, text)

    assert [(entry.algorithm, entry.digest) for entry in read.files] == [("md5", HEX["md5"])]


@pytest.mark.parametrize("total", ["null", "true", '["30"]', '{"sum": "30"}'])
def test_a_total_that_is_neither_text_nor_number_is_refused(tmp_path: Path, total: str) -> None:
    with pytest.raises(SourceError, match="amount: expected text; a control total is text or a number"):
        manifest(tmp_path, f'{{"file": "a.csv", "control_totals": {{"amount": {total}}}}}')


def test_a_key_without_a_value_has_its_default(tmp_path: Path) -> None:
    keys = '"encoding": null, "delimiter": null, "header": null, "producer": null, "control_totals": null'
    read = manifest(tmp_path, f'{{"file": "a.csv", {keys}}}')

    assert (read.encoding, read.delimiter, read.header, read.producer, read.control_totals) == (
        "utf-8", ",", True, None, {},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        pytest.param("", "the manifest is empty", id="no bytes"),
        pytest.param(" \r\n", "the manifest is empty", id="a blank line"),
        pytest.param('{"file": "a.csv", "rows": [1]}', "expected a whole number", id="a list as count"),
        pytest.param('{"file": "a.csv", "control_totals": [{"amount": 1}]}', "maps columns to their sums", id="totals"),
        pytest.param('{"file": ""}', "expected at least one character", id="no name"),
        pytest.param('{"file": "a.csv", "producer": {"name": "x"}}', "producer: expected text$", id="producer"),
    ],
)
def test_what_is_wrong_is_said_in_words(tmp_path: Path, text: str, problem: str) -> None:
    with pytest.raises(SourceError, match=problem):
        manifest(tmp_path, text)
