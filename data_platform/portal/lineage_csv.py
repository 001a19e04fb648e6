"""All that a dataset or process depends on, and all that depends on it, as a CSV file for a spreadsheet."""

from __future__ import annotations

import csv
from io import StringIO
from typing import TYPE_CHECKING

from data_platform.portal.lineage_reader import DIRECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from data_platform.catalog import Catalog
    from data_platform.model.lineage import NodeType
    from data_platform.model.lineage_graph import ImpactHit
    from data_platform.portal.overview import DatasetLine

HEADER = ("direction", "hops", "type", "name", "owner", "state", "path")
_PAGE = 1000
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""A spreadsheet computes a cell that begins so, whoever wrote the name in it."""


def lineage_csv(
    catalog: Catalog, reference: str, *, kind: NodeType, direction: str, lines: Mapping[str, DatasetLine]
) -> Iterator[str]:
    """One line for each node to full depth, nearest first, in pieces of some hundred kilobytes."""
    yield _text([HEADER])
    for downstream in DIRECTIONS[direction]:
        side = "downstream" if downstream else "upstream"
        cursor: str | None = None
        while True:
            page = catalog.lineage.impact(reference, kind=kind, direction=side, limit=_PAGE, cursor=cursor)
            yield _text([_row(side, hit, lines) for hit in page.hits.items])
            cursor = page.hits.cursor
            if cursor is None:
                break


def _row(side: str, hit: ImpactHit, lines: Mapping[str, DatasetLine]) -> tuple[str, ...]:
    node, line = hit.node, lines.get(hit.node.name)
    state = line.state if line else (node.status or "").lower()
    return side, str(hit.depth), node.type, node.name, node.owner_team or "", state, " > ".join(hit.path)


def _text(rows: list[tuple[str, ...]]) -> str:
    written = StringIO()
    csv.writer(written, lineterminator="\r\n").writerows([_safe(cell) for cell in row] for row in rows)
    return written.getvalue()


def _safe(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell
