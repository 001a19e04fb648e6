"""The aircraft register as a Parquet file, which has its own types and declares which columns are never NULL."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.demo.history import Row

_NUMBERS = ("year", "engines", "seats", "speed")
_NULLABLE = ("year", "speed")


def plane_content(rows: Sequence[Row]) -> bytes:
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    schema = pa.schema(
        pa.field(name, pa.int32() if name in _NUMBERS else pa.string(), nullable=name in _NULLABLE) for name in rows[0]
    )
    columns = {
        name: [(int(row[name]) if name in _NUMBERS else row[name]) if row[name] else None for row in rows]
        for name in rows[0]
    }
    target = pa.BufferOutputStream()
    pq.write_table(pa.table(columns, schema=schema), target)
    return bytes(target.getvalue().to_pybytes())
