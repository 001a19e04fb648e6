"""A delivery is whole before it is promised, and a correction leaves no old promise beside a new file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from data_platform.demo import parcel
from data_platform.demo.parcel import MANIFEST, Parcel, csv_content, send, total
from data_platform.ingestion.manifest.document import manifest_problems, read_manifest

if TYPE_CHECKING:
    from pathlib import Path


def letter(content: bytes = b"id\n1\n") -> Parcel:
    return Parcel(file="letter.csv", content=content, records=1, producer="someone")


def test_a_shipment_matches_its_manifest(tmp_path: Path) -> None:
    send(letter(), tmp_path)

    manifest = read_manifest(tmp_path / MANIFEST)
    assert manifest_problems(manifest, tmp_path) == ()
    assert (manifest.producer, manifest.record_count, manifest.files[0].bytes) == ("someone", 1, 5)


def test_what_is_lost_on_the_way_is_missing_from_the_promise(tmp_path: Path) -> None:
    send(letter(), tmp_path, arrived=b"id\n")

    assert manifest_problems(read_manifest(tmp_path / MANIFEST), tmp_path) == ("MANIFEST_SIZE:letter.csv:3≠5",)


def test_a_correction_replaces_file_and_manifest(tmp_path: Path) -> None:
    send(letter(), tmp_path, arrived=b"id\n")

    send(letter(b"id\n2\n"), tmp_path)

    assert (tmp_path / "letter.csv").read_bytes() == b"id\n2\n"
    assert manifest_problems(read_manifest(tmp_path / MANIFEST), tmp_path) == ()


@pytest.mark.parametrize("renames", [pytest.param(0, id="at the file"), pytest.param(1, id="at the manifest")])
def test_a_correction_that_stops_halfway_has_no_manifest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, renames: int
) -> None:
    send(letter(), tmp_path)
    done: list[Path] = []
    replace = parcel.os.replace

    def stop(source: Path, target: Path) -> None:
        if len(done) == renames:
            raise OSError("the power failed")
        done.append(target)
        replace(source, target)

    monkeypatch.setattr(parcel.os, "replace", stop)

    with pytest.raises(OSError, match="the power failed"):
        send(letter(b"id\n2\n"), tmp_path)
    assert not (tmp_path / MANIFEST).exists()
    assert sorted(path.name for path in tmp_path.glob("*.csv")) == ["letter.csv"]


def test_text_with_commas_and_quotes_is_quoted() -> None:
    content = csv_content([{"id": "1", "note": 'says "no", twice'}, {"id": "2", "note": ""}])

    assert content == b'id,note\n1,"says ""no"", twice"\n2,\n'


def test_a_total_is_exact_and_leaves_null_out() -> None:
    assert total([{"fare": "0.10"}, {"fare": "0.20"}, {"fare": ""}], "fare") == "0.30"
