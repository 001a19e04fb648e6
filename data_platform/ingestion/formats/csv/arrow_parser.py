"""Parses a regular piece of a CSV text into Arrow string columns with Arrow's parser.

The parser is used only where its result equals that of ``parser``: it gets the number of fields and may not infer
types. ``parser`` reads again whatever the parser refuses, or counts differently from the scan.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from data_platform.ingestion.formats.csv.record_scan import Scan, ScanRules


def column_parser(rules: ScanRules, width: int, places: Sequence[int | None]) -> Callable[[Scan], Any]:
    """Returns a parser that maps a piece to its line numbers and the columns at ``places``, out of ``width`` columns.

    The parser returns None if a record of the piece does not have ``width`` fields.
    """
    import pyarrow as pa  # type: ignore[import-untyped]
    from pyarrow import csv

    names = [str(place) for place in range(width)]
    wanted = sorted({place for place in places if place is not None}) or [0]
    dialect = rules.dialect
    parse = csv.ParseOptions(delimiter=dialect.delimiter, quote_char=dialect.quote, newlines_in_values=True)
    convert = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        include_columns=[names[place] for place in wanted],
        null_values=[""],
        strings_can_be_null=True,
        check_utf8=False,  # the scan has already decoded it
    )

    def columns(piece: Scan) -> tuple[Any, dict[int, Any]] | None:
        content = piece.content
        if rules.codec != "utf-8" and not content.isascii():
            content = content.decode(rules.codec).encode()
        read = csv.ReadOptions(column_names=names, use_threads=False, block_size=len(content) + 1)
        lines = piece.starts()
        if not len(lines):
            return lines, {place: pa.array([], pa.string()) for place in wanted}
        try:
            table = csv.read_csv(pa.BufferReader(content), read, parse, convert).combine_chunks()
        except pa.ArrowInvalid:
            return None
        if table.num_rows != len(lines):
            return None
        return lines, {place: table.column(names[place]).chunk(0) for place in wanted}

    return columns
