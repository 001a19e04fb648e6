"""Finds the columns of each file, and derives from them those of bronze."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from data_platform.errors import SourceError
from data_platform.ingestion.formats.provenance import PROVENANCE
from data_platform.model.schema import Column, Schema, fits_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.ingestion.delivered import Delivered
    from data_platform.ingestion.delivery_file import DeliveryFile
    from data_platform.ingestion.formats.protocol import FileFormat


def with_columns(file: DeliveryFile, file_format: FileFormat, declared: Schema) -> DeliveryFile:
    """``file`` with its columns.

    Raises:
        SourceError: The file is not of the format, or its columns cannot form one table.
        OSError: The file does not exist, or cannot be opened.
    """
    columns = file_format.columns(file, declared)
    if reserved := [name for name in columns.schema.names if name.lower() in PROVENANCE]:
        raise SourceError(
            f"{file.name}: reserved column {', '.join(reserved)}: the platform adds its own. Have it renamed."
        )
    return replace(file, schema=columns.schema, renamed=columns.renamed, untyped=columns.untyped)


def bronze_schema(delivery: Delivered, declared: Schema) -> Schema:
    """The columns of bronze: the declared ones in their order, then those that only the delivery has. All are nullable.

    Text stays STRING, as does what is read as text.

    A typed column gets its declared type if every file's type widens to it; else the widest type of the files; else,
    if no file's type holds the values of all others, STRING.
    """
    delivered: dict[str, list[Column]] = {}
    as_text: set[str] = set()
    for part in delivery.parts:
        as_text.update(name.lower() for name in part.as_text)
        for column in part.schema.columns:
            if column.name not in part.untyped:
                delivered.setdefault(column.name.lower(), []).append(column)
    columns = []
    for column in declared.columns:
        types = [one.type for one in delivered.pop(column.name.lower(), [])]
        is_typed = delivery.is_typed and column.name.lower() not in as_text
        kind = _common_type(column.type, types) if is_typed else "string"
        columns.append(Column(name=column.name, type=kind))
    for undeclared in delivered.values():
        kind = _common_type(undeclared[0].type, [column.type for column in undeclared])
        is_text = undeclared[0].name.lower() in as_text
        columns.append(Column(name=undeclared[0].name, type="string" if is_text else kind))
    return Schema.of(columns)


def _common_type(preferred: str, types: Sequence[str]) -> str:
    for kind in (preferred, *types):
        if all(fits_in(other, kind) for other in types):
            return kind
    return "string"
