"""The texts of sampled rows by their paths, also within structs, arrays and maps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.gates.expression.pii_nested import ELEMENT, KEY, VALUE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pyspark.sql.types import DataType


def texts_by_path(kinds: Mapping[str, DataType], rows: Sequence[tuple[Any, ...]]) -> dict[str, list[str]]:
    """Maps each path to its texts; ``kinds`` are the types of the columns of ``rows``, in order."""
    texts: dict[str, list[str]] = {}
    for row in rows:
        for (name, kind), value in zip(kinds.items(), row, strict=True):
            for path, text in _texts(name, kind, value):
                texts.setdefault(path, []).append(text)
    return texts


def _texts(path: str, kind: DataType, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif value is not None:
        for step, inner, item in _parts(kind, value):
            yield from _texts(f"{path}.{step}", inner, item)


def _parts(kind: DataType, value: Any) -> Iterator[tuple[str, DataType, Any]]:
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(kind, StructType):
        yield from ((field.name, field.dataType, item) for field, item in zip(kind.fields, value, strict=True))
    elif isinstance(kind, ArrayType):
        yield from ((ELEMENT, kind.elementType, item) for item in value)
    elif isinstance(kind, MapType):
        for key, item in value.items():
            yield KEY, kind.keyType, key
            yield VALUE, kind.valueType, item
