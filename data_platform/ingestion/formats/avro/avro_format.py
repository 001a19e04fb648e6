"""Avro as a source format: the fields of the records are columns, every value as text."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, ClassVar

from data_platform.errors import SourceError
from data_platform.ingestion.formats.avro.container import Header, read_blocks, read_header
from data_platform.ingestion.formats.avro.value import has_bytes, text_of
from data_platform.ingestion.formats.column_name import as_declared, name_problems, names_in_table
from data_platform.ingestion.formats.protocol import FileColumns
from data_platform.ingestion.formats.text.record import Record
from data_platform.ingestion.formats.text.record_batch import batched, record_batch
from data_platform.ingestion.formats.text.text_format import TextFormat
from data_platform.ingestion.packing import kind_of
from data_platform.model.delta_name import delta_name
from data_platform.model.personal import is_like_data
from data_platform.model.schema import Column, Schema
from data_platform.model.source import Unpack
from data_platform.model.source_format import SourceFormat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.ingestion.content import Content
    from data_platform.ingestion.delivery_file import DeliveryFile
    from data_platform.ingestion.formats.text.share import Share

_DAMAGE = (ValueError, EOFError, LookupError, TypeError, ArithmeticError, struct.error, MemoryError, RecursionError)
"""What the library raises for bytes that are not a record of the schema."""


@dataclass(frozen=True)
class AvroFormat(TextFormat):
    """One task reads a file; ``_line`` is the number of the record."""

    limits: Unpack = field(default_factory=Unpack)
    kind: ClassVar[SourceFormat] = SourceFormat.AVRO

    def content_problem(self, head: bytes) -> str:
        if (kind := kind_of(head)) == "Avro":
            return ""
        return f"not an Avro file{f', but {kind}' if kind else ', or cut off'}. Ask the sender for a whole one."

    def columns(self, file: DeliveryFile, declared: Schema) -> FileColumns:
        with file.open() as source:
            original = _names(read_header(source, file.name), file.name)
        if problems := list(name_problems(original)):
            raise SourceError(f"{file.name}: {'; '.join(problems)}. Have the sender give each column one name.")
        names = names_in_table([delta_name(name) for name in original], declared.names, file.name)
        renamed = {new: old for new, old in zip(names, original, strict=True) if new != old}
        return FileColumns(Schema.of(Column(name=name) for name in names), renamed)

    def has_rows(self, file: DeliveryFile, content: Content) -> bool:
        with file.open() as source:
            try:
                blocks = read_blocks(source, read_header(source, file.name), file.name, self.limits)
                return any(block.count for block in blocks)
            except SourceError:
                return True

    def content_digest(self, content: Content) -> str:
        return content.sha256

    def batches(self, source: IO[bytes], file: DeliveryFile, columns: Schema, share: Share) -> Iterator[Any]:
        header = read_header(source, file.name)
        names = [delta_name(name) for name in _names(header, file.name)]
        places = {name.lower(): place for place, name in enumerate(as_declared(names, columns.names))}
        binding = [places.get(name.lower()) for name in columns.names]
        for batch in batched(self._records(source, header, file.name), file.name):
            yield record_batch(batch, binding, columns, file.name)

    def _records(self, source: IO[bytes], header: Header, file: str) -> Iterator[Record]:
        from fastavro import schemaless_reader

        schema, names, number = _parsed(header, file), _names(header, file), 0
        for block in read_blocks(source, header, file, self.limits):
            content = io.BytesIO(block.content)
            for _ in range(block.count):
                number += 1
                try:
                    value: Any = schemaless_reader(content, schema, None)
                    values = tuple(text_of(value[name]) for name in names)
                except _DAMAGE:
                    raise SourceError(f"{file}:{number}: a record does not have the schema of the file.") from None
                yield Record(number, values, "")
            if content.read(1):
                raise SourceError(f"{file}:{number}: a block has more bytes than its records. Ask for the file again.")


def _parsed(header: Header, file: str) -> Any:
    from fastavro import parse_schema
    from fastavro.schema import SchemaParseException, UnknownType

    try:
        return parse_schema(header.schema)
    except (SchemaParseException, UnknownType, *_DAMAGE):
        raise SourceError(f"{file}: its schema is not valid. Ask for the file again.") from None


def _names(header: Header, file: str) -> Sequence[str]:
    """The names of the fields.

    Raises:
        SourceError: The schema is not that of a record, or a field has bytes.
    """
    _parsed(header, file)
    schema = header.schema
    if not isinstance(schema, dict) or schema.get("type") != "record" or not schema.get("fields"):
        raise SourceError(f"{file}: its schema is not a record with fields. Ask for records.")
    for one in schema["fields"]:
        if has_bytes(one["type"]):
            shown = "(not shown)" if is_like_data(one["name"]) else one["name"]
            raise SourceError(f"{file}: column {shown} has bytes, which are not read. Ask for text, or for Parquet.")
    return [one["name"] for one in schema["fields"]]
