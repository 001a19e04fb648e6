"""``catalog.lineage``: queries about datasets, processes, runs and dependencies. Each method is one read transaction.

``reference`` is an id or a name: the reference of a dataset, a URN for the platform's own; the key of a process.
Each method raises ``NotFoundError`` if the node does not exist, and ``InputError`` for a wrong limit or cursor.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from data_platform.catalog.lineage import (
    history,
    impact,
    neighbourhood,
    page,
    registry,
    service_level,
    victim,
)
from data_platform.errors import InputError, NotFoundError
from data_platform.model.lineage import NodeType
from data_platform.model.schema_impact import SchemaImpact

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.database import Database
    from data_platform.catalog.lineage.graph_source import Graphs
    from data_platform.model.dataset_page import DatasetCard, DatasetPage, SchemaCard, SchemaDiff, VersionCard
    from data_platform.model.lineage_graph import ColumnImpact, ImpactPage, LineageGraph, NodeRef
    from data_platform.model.neighbourhood import Neighbourhood, NodeKey
    from data_platform.model.page import Page
    from data_platform.model.process_page import ProcessCard, ProcessPage, ProcessRun
    from data_platform.model.service_level import SlaState

DIRECTIONS = ("upstream", "downstream", "both")


class Lineage:
    """May be used from several threads."""

    def __init__(self, database: Database, graphs: Graphs) -> None:
        self._database, self._graphs = database, graphs

    def dataset(self, reference: str) -> DatasetCard:
        with self._database.reading() as connection:
            return registry.find_dataset(connection, reference)

    def dataset_page(self, reference: str) -> DatasetPage:
        with self._database.reading() as connection:
            dataset = registry.find_dataset(connection, reference)
            return page.dataset_page(connection, self._graphs.now(connection), dataset)

    def versions(self, reference: str, *, limit: int = 100, cursor: str | None = None) -> Page[VersionCard]:
        """Newest first."""
        with self._database.reading() as connection:
            dataset = registry.find_dataset(connection, reference)
            return history.find_versions(connection, dataset.id, limit=limit, cursor=cursor)

    def schema(self, reference: str, version: str | None = None) -> SchemaCard:
        """The schema of the version with this tag, or of the newest version that has one."""
        with self._database.reading() as connection:
            return page.find_schema(connection, registry.find_dataset(connection, reference), version)

    def schema_diff(self, reference: str, before: str, after: str | None = None) -> SchemaDiff:
        """Changes of the schema from version ``before`` to ``after``, or to the newest if ``after`` is None."""
        with self._database.reading() as connection:
            dataset = registry.find_dataset(connection, reference)
            old = page.find_schema(connection, dataset, before)
            changes = page.diff(old, page.find_schema(connection, dataset, after))
            columns = page.breaking_columns(changes)
            impact = victim.find_victims(connection, self._graphs.now(connection), dataset.id, columns)
            return replace(changes, impact=impact)

    def victims(self, reference: str, columns: Sequence[str]) -> SchemaImpact:
        """What a change of ``columns`` breaks; nothing if the catalog does not have the dataset yet."""
        with self._database.reading() as connection:
            try:
                dataset = registry.find_dataset(connection, reference)
            except NotFoundError:
                return SchemaImpact()
            return victim.find_victims(connection, self._graphs.now(connection), dataset.id, columns)

    def impact(
        self,
        reference: str,
        *,
        kind: NodeType = NodeType.DATASET,
        direction: str = "downstream",
        depth: int | None = None,
        only: NodeType | None = None,
        stages: bool = False,
        limit: int = 100,
        cursor: str | None = None,
    ) -> ImpactPage:
        """Every node that the dataset or process reaches, with the path to it; nearest first.

        ``only`` filters by node type; ``depth`` counts edges, and None means no limit. A part of a platform
        dataset counts as that dataset, unless ``stages`` is set.
        """
        _one_of("direction", direction, DIRECTIONS[:2])
        _depth(depth)
        with self._database.reading() as connection:
            return impact.find_impact(
                connection,
                self._graphs.now(connection),
                (kind, self._key(connection, kind, reference)),
                downstream=direction == "downstream",
                depth=depth,
                kind=only,
                stages=stages,
                limit=limit,
                cursor=cursor,
            )

    def column_impact(
        self, reference: str, column: str, *, direction: str = "downstream", depth: int | None = None
    ) -> ColumnImpact:
        """Every column computed from this one (downstream), or from which it is computed; nearest first."""
        _one_of("direction", direction, DIRECTIONS[:2])
        _depth(depth)
        with self._database.reading() as connection:
            dataset = registry.find_dataset(connection, reference)
            downstream = direction == "downstream"
            graph = self._graphs.now(connection)
            return impact.find_column_impact(connection, graph, dataset.id, column, downstream=downstream, depth=depth)

    def graph(
        self, reference: str, *, kind: NodeType = NodeType.DATASET, direction: str = "both", depth: int = 2
    ) -> LineageGraph:
        """The nodes around the node and all edges among them, for a drawing."""
        _one_of("direction", direction, DIRECTIONS)
        _depth(depth)
        with self._database.reading() as connection:
            node = (kind, self._key(connection, kind, reference))
            return impact.find_lineage(connection, self._graphs.now(connection), node, direction=direction, depth=depth)

    def neighbourhood(
        self,
        reference: str,
        *,
        kind: NodeType = NodeType.DATASET,
        directions: Collection[bool] = (False, True),
        hops: int = 1,
        opened: Sequence[tuple[NodeKey, bool]] = (),
        most_at_once: int = 100,
    ) -> Neighbourhood:
        """What a drawing shows: parts of a platform dataset as that dataset, and counts of what is left out.

        True is downstream. ``opened`` are nodes that people opened in a direction; those that are not drawn are
        ignored. Each node shows at most ``most_at_once`` neighbours in a direction.
        """
        _depth(hops)
        with self._database.reading() as connection:
            return neighbourhood.find_neighbourhood(
                connection,
                self._graphs.now(connection),
                (kind, self._key(connection, kind, reference)),
                directions=directions,
                hops=hops,
                opened=[((node.type, node.id), downstream) for node, downstream in opened],
                most_at_once=most_at_once,
            )

    def between(self, starts: Iterable[str], end: str, affected: Iterable[str] = ()) -> Neighbourhood:
        """Every way from the datasets ``starts`` to ``end``, and a shortest way from there to each of ``affected``."""
        with self._database.reading() as connection:
            first, last, others = (
                [(NodeType.DATASET, found.id) for found in registry.known_datasets(connection, names)]
                for names in (starts, (end,), affected)
            )
            if not last:
                raise NotFoundError(f"no dataset {end[:200]!r} is in the catalog")
            return neighbourhood.find_between(connection, self._graphs.now(connection), first, last[0], others)

    def consumers(self, reference: str) -> tuple[NodeRef, ...]:
        """Processes that read the dataset directly."""
        with self._database.reading() as connection:
            dataset = registry.find_dataset(connection, reference)
            nodes = impact.consumers_of(self._graphs.now(connection), (NodeType.DATASET, dataset.id))
            names = registry.refs(connection, nodes)
            return tuple(sorted((names[node] for node in nodes), key=lambda ref: ref.name))

    def last_successful_run(self, reference: str) -> ProcessRun | None:
        """The last successful run that wrote the dataset, or None."""
        with self._database.reading() as connection:
            dataset = registry.find_dataset(connection, reference)
            return history.find_last_successful_run(connection, dataset.id)

    def process(self, reference: str) -> ProcessCard:
        with self._database.reading() as connection:
            return registry.find_process(connection, reference)

    def process_page(self, reference: str) -> ProcessPage:
        with self._database.reading() as connection:
            return page.process_page(connection, registry.find_process(connection, reference))

    def process_runs(self, reference: str, *, limit: int = 100, cursor: str | None = None) -> Page[ProcessRun]:
        """Newest first."""
        with self._database.reading() as connection:
            process = registry.find_process(connection, reference)
            return history.find_process_runs(connection, process.id, limit=limit, cursor=cursor)

    def failed_last(self, namespace: str, *, since: datetime) -> tuple[ProcessRun, ...]:
        """The newest run of each process of ``namespace``, if it failed; runs from before ``since`` do not count."""
        with self._database.reading() as connection:
            return history.find_failed_last(connection, namespace, since)

    def run(self, run_uuid: str) -> ProcessRun:
        """The run with its facets."""
        with self._database.reading() as connection:
            return history.find_run(connection, run_uuid)

    def sla_states(self, *, now: datetime, late_only: bool = False) -> tuple[SlaState, ...]:
        """Most overdue first."""
        with self._database.reading() as connection:
            return service_level.find_sla_states(connection, now=now, late_only=late_only)

    def _key(self, connection: Connection, kind: NodeType, reference: str) -> int:
        if kind is NodeType.DATASET:
            return registry.find_dataset(connection, reference).id
        return registry.find_process(connection, reference).id


def _one_of(field: str, value: str, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise InputError(field, f"{value[:40]!r}: expected one of {', '.join(allowed)}")


def _depth(depth: int | None) -> None:
    if depth is not None and depth < 1:
        raise InputError("depth", f"{depth}: expected 1 or more edges")
