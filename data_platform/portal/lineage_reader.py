"""Reads what the page of lineage shows, also the small drawing on a dataset's page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.lineage import NodeType
from data_platform.portal.column_lineage import column_view
from data_platform.portal.lineage_view import Asked, Broken, LineageFacts, lineage_view

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from data_platform.catalog import Catalog
    from data_platform.model.neighbourhood import Neighbourhood, NodeKey
    from data_platform.model.root_cause import RootCause
    from data_platform.portal.column_lineage import ColumnView
    from data_platform.portal.lineage_view import LineageView
    from data_platform.portal.overview import DatasetLine

DIRECTIONS = {"both": (False, True), "upstream": (False,), "downstream": (True,)}
"""By the name in the address; True is downstream."""
SMALL = Asked(kind=NodeType.DATASET, direction="both", hops=1, most=6)
"""The drawing on a dataset's page."""


def read_lineage(
    catalog: Catalog,
    reference: str,
    asked: Asked,
    *,
    opened: Sequence[tuple[NodeKey, bool]] = (),
    lines: Mapping[str, DatasetLine],
) -> LineageView:
    """Raises: NotFoundError, if the catalog has no such dataset or process."""
    found = catalog.lineage.neighbourhood(
        reference,
        kind=asked.kind,
        directions=DIRECTIONS[asked.direction],
        hops=asked.hops,
        opened=opened,
        most_at_once=asked.most,
    )
    start = found.nodes[0].node.name
    is_dataset = asked.kind is NodeType.DATASET
    columns = tuple(one.name for one in catalog.lineage.dataset_page(start).columns) if is_dataset else ()
    column = _read_column(catalog, start, asked) if is_dataset and asked.column else None
    return lineage_view(_facts(catalog, asked, found, lines, columns=columns, column=column))


def read_small_lineage(catalog: Catalog, reference: str, lines: Mapping[str, DatasetLine]) -> LineageView:
    found = catalog.lineage.neighbourhood(reference, most_at_once=SMALL.most)
    return lineage_view(_facts(catalog, SMALL, found, lines))


def read_broken_path(catalog: Catalog, number: int, lines: Mapping[str, DatasetLine], why: RootCause) -> LineageView:
    """Only the ways from the root cause to the dataset of the incident, and from there to who is affected.

    Raises:
        NotFoundError: There is no such incident, or the catalog does not have its dataset.
    """
    incident = catalog.incidents.get(number)
    cause = why.cause.dataset if why.cause else None
    found = catalog.lineage.between(
        [cause] if cause else [], incident.dataset, [one.dataset for one in incident.blast_radius.affected]
    )
    broken = Broken(incident=number, title=incident.title, summary=why.summary, cause=cause)
    asked = Asked(kind=NodeType.DATASET, direction="both", hops=1, most=len(found.nodes))
    return lineage_view(_facts(catalog, asked, found, lines, broken=broken))


def _facts(
    catalog: Catalog,
    asked: Asked,
    found: Neighbourhood,
    lines: Mapping[str, DatasetLine],
    *,
    broken: Broken | None = None,
    columns: tuple[str, ...] = (),
    column: ColumnView | None = None,
) -> LineageFacts:
    processes = [one.node.id for one in found.nodes if one.node.type is NodeType.PROCESS]
    runs = catalog.processes.last_runs(processes)
    return LineageFacts(asked=asked, found=found, lines=lines, runs=runs, broken=broken, columns=columns, column=column)


def _read_column(catalog: Catalog, dataset: str, asked: Asked) -> ColumnView:
    column = asked.column or ""
    sides = ("upstream", "downstream") if asked.direction == "both" else (asked.direction,)
    return column_view(
        dataset, column, {side: catalog.lineage.column_impact(dataset, column, direction=side) for side in sides}
    )
