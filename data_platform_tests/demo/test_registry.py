"""The Parquet file has exactly the types and the nullability that its policy declares."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from data_platform.demo.history import plane_rows
from data_platform.demo.registry import plane_content
from data_platform.model.schema import Column, Schema
from data_platform_tests.demo.delivered import bundle

SPARK_NAMES = {pa.int32(): "int", pa.string(): "string"}


def test_the_file_has_the_declared_schema() -> None:
    schema = pq.read_schema(pa.BufferReader(plane_content(plane_rows())))

    found = Schema.of(Column(name=f.name, type=SPARK_NAMES[f.type], nullable=f.nullable) for f in schema)
    assert found == bundle("ops/planes").schema_.declared


def test_every_aircraft_is_in_the_file_with_null_for_unknown_values() -> None:
    rows = pq.read_table(pa.BufferReader(plane_content(plane_rows()))).to_pylist()

    assert len(rows) == 3322
    assert sum(row["speed"] is None for row in rows) == 3299
    assert rows[0]["seats"] == 55
