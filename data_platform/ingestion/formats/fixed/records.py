"""Reads the records of blocks: rows with the values of their fields, and malformed ones with text and reason.

A header or a trailer is no row. A header is at the beginning of a file, a trailer at its end; elsewhere a header is
malformed, and nothing behind a trailer is read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from data_platform.errors import SourceError
from data_platform.ingestion.formats.fixed.field import Values, field_values
from data_platform.ingestion.formats.text.record import Record
from data_platform.model.fixed_layout import Align

if TYPE_CHECKING:
    from collections.abc import Iterator

    from data_platform.ingestion.formats.fixed.block import Block
    from data_platform.ingestion.formats.fixed.grid import Grid
    from data_platform.model.fixed_layout import FieldPlace, FixedLayout
    from data_platform.model.schema import Schema


@dataclass(frozen=True)
class FixedPiece:
    """Rows: their ``lines``, and their ``values`` by column position; ``odd`` are the malformed records among them."""

    lines: Any
    values: dict[int, Any]
    odd: list[Record]


class FixedRecords:
    """Reads ``columns`` of the file ``name`` block by block; ``is_past_header`` is true behind its first records."""

    def __init__(self, layout: FixedLayout, columns: Schema, name: str, *, is_past_header: bool) -> None:
        self._layout, self._name, self._is_past_header = layout, name, is_past_header
        self._positions = {column.lower(): place for place, column in enumerate(columns.names)}
        self._trailer = 0
        """The line of a trailer that may be the last record; 0 before it."""

    def pieces(self, blocks: Iterator[Block]) -> Iterator[FixedPiece]:
        """Raises: SourceError, after all records before it."""
        for block in blocks:
            yield from self._pieces(block)

    def _pieces(self, block: Block) -> Iterator[FixedPiece]:
        import numpy as np

        grid, kinds = block.grid, Kinds(block.grid, self._layout)
        present = np.flatnonzero(~kinds.blank)
        after = self._after_trailer(kinds, present, block)
        if after is not None:
            present = present[present < after]
        is_header = kinds.header[present]
        above = np.logical_and.accumulate(is_header) & (not self._is_past_header)
        if len(present) and not above.all():
            self._is_past_header = True
        rows = present[~above & ~kinds.trailer[present]]
        reasons = self._reasons(grid, kinds, rows)
        good = rows[[row not in reasons for row in rows.tolist()]] if reasons else rows
        yield self._piece(block, good, reasons)
        if after is not None:
            raise SourceError(
                f"{self._name}:{self._trailer}: a trailer is before the last line. Ask for the file again."
            )

    def _after_trailer(self, kinds: Kinds, present: Any, block: Block) -> int | None:
        """The first record that follows a trailer, if there is one. It notes a trailer that is the last record."""
        if self._trailer and (len(present) or block.odd):
            return 0
        trailers = present[kinds.trailer[present]]
        if not len(trailers):
            return None
        self._trailer = int(block.lines[trailers[0]])
        later = present[present > trailers[0]]
        is_last = not len(later) and all(record.line < self._trailer for record in block.odd)
        return None if is_last else int(trailers[0])

    def _reasons(self, grid: Grid, kinds: Kinds, rows: Any) -> dict[int, str]:
        """Why rows are malformed, by row."""
        import numpy as np

        layout, reasons = self._layout, {}
        lengths, expected = grid.lengths[rows], layout.record_length
        wrong = lengths > expected if layout.trimmed else lengths != expected
        unit = "bytes" if layout.counts_bytes else "characters"
        for row in rows[np.flatnonzero(kinds.header[rows])].tolist():
            reasons[row] = "a header record that is not at the beginning of the file"
        for row in rows[np.flatnonzero(kinds.other[rows])].tolist():
            reasons.setdefault(row, "a record of an unknown kind, by the literal at source.layout.kind_start")
        for row in rows[np.flatnonzero(wrong)].tolist():
            reasons.setdefault(row, f"{grid.lengths[row]} {unit}, expected {expected}")
        return reasons

    def _piece(self, block: Block, rows: Any, reasons: dict[int, str]) -> FixedPiece:
        import numpy as np
        import pyarrow as pa  # type: ignore[import-untyped]

        values, bad = {}, np.zeros(len(rows), bool)
        for name, place in self._layout.fields.items():
            position = self._positions.get(name.lower())
            found = field_values(block.grid.texts(place.start, place.length, rows), place)
            for is_bad, reason in self._checks(block.grid, rows, place, found):
                for row in rows[is_bad].tolist():
                    reasons.setdefault(row, f"field {name}: {reason}")
                bad |= is_bad
            if position is not None:
                values[position] = found.values
        if bad.any():
            kept = pa.array(~bad)
            values = {position: column.filter(kept) for position, column in values.items()}
        odd = [Record(int(block.lines[row]), (), block.grid.raw(row), reason) for row, reason in reasons.items()]
        unread = [record for record in block.odd if not self._trailer or record.line < self._trailer]
        return FixedPiece(block.lines[rows[~bad]], values, sorted([*odd, *unread], key=lambda record: record.line))

    def _checks(self, grid: Grid, rows: Any, place: FieldPlace, found: Values) -> Iterator[tuple[Any, str]]:
        """Yields where the field of a row is bad, with the reason."""
        if self._layout.counts_bytes:
            yield grid.cuts_character(place.start, place.length, rows), "it begins or ends within a character"
        if self._layout.trimmed and place.is_number and place.align is not Align.LEFT:
            lengths = grid.lengths[rows]
            yield (lengths >= place.start) & (lengths < place.end), "the record ends within its digits"
        if place.is_number or grid.has_nul:
            yield found.is_bad().to_numpy(zero_copy_only=False), found.reason


class Kinds:
    """Which kind each record of a grid is of; ``other`` ones have the literal of no declared kind."""

    def __init__(self, grid: Grid, layout: FixedLayout) -> None:
        import numpy as np

        self.blank = grid.are_blank() if not layout.record_bytes else np.zeros(grid.count, bool)
        none = np.zeros(grid.count, bool)
        header, trailer = layout.header, layout.trailer
        self.header = _has_literal(grid, layout, header.literal) if header else none
        self.trailer = _has_literal(grid, layout, trailer.literal) if trailer else none
        detail = _has_literal(grid, layout, layout.detail) if layout.detail else ~none
        self.other = ~(self.header | self.trailer | detail)


def _has_literal(grid: Grid, layout: FixedLayout, literal: str) -> Any:
    import pyarrow.compute as pc  # type: ignore[import-untyped]

    texts = grid.texts(layout.kind_start or 1, len(literal))
    return pc.equal(texts, literal).to_numpy(zero_copy_only=False)
