"""Records of Avro are read with the file's own schema; a damaged block ends the reading, with its number."""

import io
import zlib
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import fastavro
import pyarrow as pa  # type: ignore[import-untyped]
import pytest

from data_platform.ingestion.delivery import Delivery
from data_platform.ingestion.formats.avro.container import CODECS
from data_platform.ingestion.formats.avro.value import has_bytes
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Source
from data_platform_tests.ingestion.landing_case import read

COLUMNS = Schema.of([Column(name="id"), Column(name="value")])
MARKER = b"0123456789abcdef"


def written(kind: Any, *values: Any, codec: str = "null", interval: int = 16_000) -> bytes:
    """A file of records with an id from 1, and a ``value`` of type ``kind``."""
    fields = [{"name": "id", "type": "long"}, {"name": "value", "type": kind}]
    schema = {"type": "record", "name": "order", "fields": fields}
    records = [{"id": number, "value": value} for number, value in enumerate(values, start=1)]
    target = io.BytesIO()
    fastavro.writer(target, fastavro.parse_schema(schema), records, codec, interval, sync_marker=MARKER)
    return target.getvalue()


def landed(landing: Path, content: bytes, **keys: object) -> tuple[Delivery, Any]:
    (landing / "in").mkdir(exist_ok=True)
    (landing / "in" / "a.avro").write_bytes(content)
    delivery, rows = read(landing, Source.model_validate({"format": "avro", "path": "in", **keys}), COLUMNS)
    return delivery, [(row["_line"], row["id"], row["value"], row["_malformed"]) for row in rows]


POINT = {"type": "record", "name": "point", "fields": [{"name": "x", "type": "int"}, {"name": "t", "type": "string"}]}


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        pytest.param(["null", "string"], None, None, id="null"),
        pytest.param("boolean", True, "true", id="boolean"),
        pytest.param(["null", "int", "string"], "7", "7", id="union of several"),
        pytest.param("double", 0.1, "0.1", id="double"),
        pytest.param("double", float("-inf"), "-Infinity", id="infinity"),
        pytest.param(
            {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
            Decimal("-1.50"),
            "-1.50",
            id="decimal",
        ),
        pytest.param({"type": "int", "logicalType": "date"}, date(2025, 1, 2), "2025-01-02", id="date"),
        pytest.param({"type": "int", "logicalType": "time-millis"}, time(3, 4), "03:04:00", id="time"),
        pytest.param(
            {"type": "long", "logicalType": "timestamp-micros"},
            datetime(2025, 1, 2, 3, 4, 5, 6, tzinfo=UTC),
            "2025-01-02 03:04:05.000006Z",
            id="timestamp",
        ),
        pytest.param(
            {"type": "long", "logicalType": "local-timestamp-millis"},
            datetime(2025, 1, 2, 3, 4),
            "2025-01-02 03:04:00",
            id="local timestamp",
        ),
        pytest.param({"type": "string", "logicalType": "uuid"}, UUID(int=7), str(UUID(int=7)), id="UUID"),
        pytest.param(
            {"type": "fixed", "name": "d", "size": 12, "logicalType": "duration"},
            b"\1\0\0\0\2\0\0\0\3\0\0\0",
            '{"months":"1","days":"2","milliseconds":"3"}',
            id="duration",
        ),
        pytest.param({"type": "enum", "name": "e", "symbols": ["A", "B"]}, "B", "B", id="enum"),
        pytest.param({"type": "array", "items": POINT}, [{"x": 1, "t": "ä"}], '[{"x":"1","t":"ä"}]', id="records"),
        pytest.param({"type": "map", "values": "int"}, {"a": 1}, '{"a":"1"}', id="map"),
    ],
)
def test_a_value_becomes_the_text_that_other_formats_have(tmp_path: Path, kind: Any, value: Any, text: str) -> None:
    delivery, rows = landed(tmp_path, written(kind, value))

    assert (delivery.problems, delivery.unreadable) == ((), {})
    assert rows == [(1, "1", text, None)]


@pytest.mark.parametrize("codec", ["null", "deflate", "bzip2", "xz"])
def test_blocks_are_unpacked(tmp_path: Path, codec: str) -> None:
    _, rows = landed(tmp_path, written("string", *"abc" * 400, codec=codec, interval=100))

    assert [row[2] for row in rows] == list("abc" * 400)


@pytest.mark.parametrize("codec", ["snappy", "zstandard"])
def test_the_codecs_of_arrow_are_unpacked(codec: str) -> None:
    text = b"text " * 99
    packed = pa.compress(text, codec={"zstandard": "zstd"}.get(codec, codec), asbytes=True)
    if codec == "snappy":
        packed += zlib.crc32(text).to_bytes(4, "big")

    assert CODECS[codec](packed, 1 << 20) == text
    assert len(CODECS[codec](packed, 10)) == 10


def test_a_file_without_records_is_a_day_without_rows(tmp_path: Path) -> None:
    delivery, rows = landed(tmp_path, written("string"))

    assert (delivery.problems, delivery.unreadable, rows) == ((), {}, [])


WHOLE = written("string", *"abcdef", interval=1)
SECOND = WHOLE.index(MARKER, WHOLE.index(MARKER) + 1)
"""The marker of the first block."""


@pytest.mark.parametrize(
    ("content", "count", "reason"),
    [
        pytest.param(WHOLE[:-3], 5, "block 6 is cut off or damaged", id="cut off"),
        pytest.param(WHOLE[:SECOND] + b"x" + WHOLE[SECOND + 1 :], 0, "block 1 ends in another marker", id="marker"),
        pytest.param(WHOLE[: SECOND + 16] + b"\xff" * 12, 1, "block 2 is cut off or damaged", id="no number"),
        pytest.param(WHOLE[: SECOND + 16] + b"\xfe\xff\3\0", 1, "block 2 is cut off", id="no marker"),
        pytest.param(WHOLE[: SECOND + 16] + b"\xfe\xff\3\2x" + MARKER, 1, "block 2 has fewer bytes", id="count"),
        pytest.param(WHOLE.replace(b"\2d", b"\1d"), 3, "a record does not have the schema", id="record"),
    ],
)
def test_damage_ends_the_reading(tmp_path: Path, content: bytes, count: int, reason: str) -> None:
    _, rows = landed(tmp_path, content)

    assert [row[2] for row in rows[:-1]] == list("abcdef")[:count]
    assert rows[-1][3].startswith(reason)
    assert rows[-1][3].endswith("nothing from here on was read")


def test_a_block_that_unpacks_to_too_much_is_not_read(tmp_path: Path) -> None:
    content = written("string", "a" * 100_000, codec="deflate")

    _, rows = landed(tmp_path, content, unpack={"max_bytes": 50_000})

    assert [row[3][:7] for row in rows] == ["block 1"]
    assert "source.unpack" in rows[0][3]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        pytest.param(b"id,value\n", "not an Avro file", id="CSV"),
        pytest.param(WHOLE[:40], "its header is cut off or damaged", id="cut header"),
        pytest.param(WHOLE.replace(b"null", b"nill", 1), "compressed with 'nill', which is not read", id="codec"),
        pytest.param(WHOLE.replace(b'"long"', b'"lung"', 1), "its schema is not valid", id="type"),
        pytest.param(WHOLE.replace(b'"fields"', b'"feelds"', 1), "its schema is not a record with fields", id="fields"),
        pytest.param(written("bytes", b"x"), "column value has bytes, which are not read", id="bytes"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, content: bytes, reason: str) -> None:
    delivery, _ = landed(tmp_path, content)

    assert delivery.unreadable["a.avro"].startswith(reason)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "array", "items": "bytes"}, True),
        (["null", {"type": "fixed", "size": 4, "name": "f"}], True),
        ({"type": "map", "values": POINT}, False),
        ({"type": "record", "name": "r", "fields": [{"name": "b", "type": ["null", "bytes"]}]}, True),
        ({"type": "bytes", "logicalType": "decimal", "precision": 4}, False),
    ],
)
def test_bytes_are_found_at_any_depth(schema: Any, expected: bool) -> None:
    assert has_bytes(schema) is expected
