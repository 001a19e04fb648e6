"""The counts and totals in the header and the trailer of one file, as one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.ingestion.formats.protocol import TrailerTotals

if TYPE_CHECKING:
    from collections.abc import Iterable
    from decimal import Decimal

DIFFER = "the header and the trailer have different counts or totals; ask for the file again"


def merged_totals(found: Iterable[TrailerTotals]) -> TrailerTotals | None:
    """All counts and totals; None, if two of them differ."""
    counts: set[int] = set()
    totals: dict[str, Decimal] = {}
    for one in found:
        if any(totals.get(name, total) != total for name, total in one.totals.items()):
            return None
        totals |= one.totals
        counts |= set() if one.count is None else {one.count}
    return TrailerTotals(count=next(iter(counts), None), totals=totals) if len(counts) <= 1 else None
