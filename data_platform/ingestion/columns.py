"""Derives the columns of bronze: the declared ones, and those that only the delivery has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.schema import Column, Schema, is_widening
from data_platform.model.source import SourceFormat

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.ingestion.delivery_file import Delivery


def bronze_schema(delivery: Delivery, declared: Schema) -> Schema:
    """The columns of bronze: the declared ones in their order, then those that only the delivery has. All are nullable.

    Text stays STRING. A Parquet column gets its declared type if every file's type widens to it; else the widest type
    of the files; else, if no file's type holds the values of all others, STRING.
    """
    found: dict[str, list[Column]] = {}
    for file in delivery.files:
        for column in file.schema.columns:
            if column.name not in file.untyped:
                found.setdefault(column.name.lower(), []).append(column)
    columns = []
    for column in declared.columns:
        kinds = [one.type for one in found.pop(column.name.lower(), [])]
        kind = "string" if delivery.format is not SourceFormat.PARQUET else _common_type(column.type, kinds)
        columns.append(Column(name=column.name, type=kind))
    for extra in found.values():
        columns.append(Column(name=extra[0].name, type=_common_type(extra[0].type, [one.type for one in extra])))
    return Schema.of(columns)


def _common_type(preferred: str, found: Sequence[str]) -> str:
    for kind in (preferred, *found):
        if all(other == kind or is_widening(other, kind) for other in found):
            return kind
    return "string"
