"""Reads the columns of a Parquet file, with the types that Spark gives them, from its footer and without Spark.

If Spark cannot read one column, the whole file is refused here with a clear message, instead of hours
later with a stack trace.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.errors import SourceError
from data_platform.model.personal import is_like_data, redacted

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

_SPARK_TYPES = {
    "bool": "boolean", "int8": "tinyint", "int16": "smallint", "int32": "int", "int64": "bigint",
    # unsigned integers map to the smallest signed type that holds every value
    "uint8": "smallint", "uint16": "int", "uint32": "bigint", "uint64": "decimal(20,0)",
    "float": "float", "double": "double", "date32[day]": "date",
    "string": "string", "large_string": "string", "string_view": "string",
    "binary": "binary", "large_binary": "binary", "binary_view": "binary",
}  # fmt: skip
_MAX_DIGITS = 38
_COMPRESSIONS = frozenset({"UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "LZ4", "LZ4_RAW"})
"""Spark has no library for others, such as BROTLI and LZO."""


@dataclass(frozen=True)
class ParquetColumn:
    """``name`` is the name in the file; ``type`` is Spark SQL's, None if the column holds only NULLs without a type."""

    name: str
    type: str | None
    nullable: bool


def read_parquet_columns(path: Path, file: str) -> tuple[ParquetColumn, ...]:
    """Reads the columns of ``path``, in order.

    Raises:
        SourceError: The file is not a complete Parquet file, or a column has a type that Spark does not read.
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    import pyarrow.parquet as pq  # type: ignore[import-untyped]

    try:
        with pq.ParquetFile(path) as opened:
            schema, physical, other = opened.schema_arrow, opened.schema, _other_compression(opened.metadata)
    except (pa.ArrowException, OSError):
        raise SourceError(f"{file}: not a Parquet file, or cut off. Ask the sender for a whole one.") from None
    if not len(schema):
        raise SourceError(f"{file}: it has no columns. Ask the sender for one with its columns.")
    if other:
        raise SourceError(f"{file}: compressed with {other}, which Spark does not read. Ask for ZSTD or SNAPPY.")
    # Arrow reads INT96 as a nanosecond timestamp, a type that Spark refuses; Spark reads INT96 itself.
    has_int96 = any(physical.column(i).physical_type == "INT96" for i in range(len(physical)))
    columns = []
    for field in schema:
        try:
            kind = None if pa.types.is_null(field.type) else _spark_type(field.type, has_int96=has_int96)
        except SourceError as error:
            raise SourceError(f"{file}: column {_shown(field.name)}: {error}") from None
        except TypeError as error:
            raise SourceError(
                f"{file}: column {_shown(field.name)} is of type {error}, which Spark does not read. "
                "Ask for another type: timestamps in microseconds, times as text."
            ) from None
        columns.append(ParquetColumn(field.name, kind, field.nullable))
    return tuple(columns)


def _other_compression(footer: Any) -> str:
    """The first compression that Spark does not read; empty if there is none."""
    groups = (footer.row_group(number) for number in range(footer.num_row_groups))
    used = {group.column(number).compression for group in groups for number in range(group.num_columns)}
    return min(used - _COMPRESSIONS, default="")


def _spark_type(arrow: Any, *, has_int96: bool) -> str:
    """Maps an Arrow type to Spark SQL's. Raises: TypeError, if Spark has no such type."""
    from pyarrow import types

    if types.is_timestamp(arrow):
        return _timestamp(arrow, has_int96=has_int96)
    if types.is_decimal(arrow) and arrow.precision <= _MAX_DIGITS:
        return f"decimal({arrow.precision},{arrow.scale})"
    if types.is_dictionary(arrow):
        return _spark_type(arrow.value_type, has_int96=has_int96)
    if types.is_fixed_size_binary(arrow) and not types.is_decimal(arrow):
        return "binary"
    if types.is_duration(arrow):  # Parquet has no durations: it stores a number without a unit
        return "bigint"
    if types.is_nested(arrow):
        return _nested(arrow, has_int96=has_int96)
    if str(arrow) not in _SPARK_TYPES:
        raise TypeError(str(arrow))
    return _SPARK_TYPES[str(arrow)]


def nested_names(names: Sequence[str]) -> list[str]:
    """Names of a struct's fields in Delta: each run of characters other than letters, digits and ``_`` becomes ``_``.

    A name with a personal value becomes its position, ``field_2``: after the replacement nothing would recognize it.

    Raises:
        SourceError: Two fields would have the same name, or a field has no name.
    """
    new_names = [
        re.sub(r"\W+", "_", name) if redacted(name) == name else f"field_{place}"
        for place, name in enumerate(names, start=1)
    ]
    first: dict[str, str] = {}
    for new, old in zip(new_names, names, strict=True):
        if not old.strip():
            raise SourceError("it has a field without a name. Have the sender give each field one name.")
        if (other := first.setdefault(new.lower(), old)) is not old:
            raise SourceError(
                f"its fields {_shown(other)} / {_shown(old)} become one name. Have the sender give each field one name."
            )
    return new_names


def _timestamp(arrow: Any, *, has_int96: bool) -> str:
    if arrow.unit == "ns":
        if not has_int96:
            raise TypeError(str(arrow))
        return "timestamp"
    return "timestamp" if arrow.tz else "timestamp_ntz"


def _nested(arrow: Any, *, has_int96: bool) -> str:
    from pyarrow import types

    def of(part: Any) -> str:
        return _spark_type(part, has_int96=has_int96)

    if types.is_struct(arrow):
        names = nested_names([field.name for field in arrow])
        return f"struct<{','.join(f'{name}:{of(field.type)}' for name, field in zip(names, arrow, strict=True))}>"
    if types.is_map(arrow):
        return f"map<{of(arrow.key_type)},{of(arrow.item_type)}>"
    if types.is_list(arrow) or types.is_large_list(arrow) or types.is_fixed_size_list(arrow):
        return f"array<{of(arrow.value_type)}>"
    raise TypeError(str(arrow))


def _shown(name: str) -> str:
    return "(its name is not shown, because it looks like a value)" if is_like_data(name) else name
