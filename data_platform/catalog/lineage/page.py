"""Reads the detail page of a dataset or process, and compares two schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import func, select

from data_platform.catalog.certification import find_certification
from data_platform.catalog.lineage.history import find_latest, find_process_runs
from data_platform.catalog.lineage.impact import neighbours
from data_platform.catalog.lineage.registry import facets_of, refs
from data_platform.catalog.lineage.similar import find_look_alikes
from data_platform.catalog.lineage_table import LINEAGE_EDGE, NODE_FACET
from data_platform.catalog.registry_table import (
    DATASET_SCHEMA,
    DATASET_VERSION,
    QUALITY_CHECK_DEF,
    QUALITY_CHECK_RESULT,
)
from data_platform.errors import NotFoundError
from data_platform.model.dataset_page import ColumnCard, ColumnChange, DatasetPage, OtherName, SchemaCard, SchemaDiff
from data_platform.model.lineage import EdgeRole, LinkKind, NodeType
from data_platform.model.process_page import ProcessPage
from data_platform.model.schema import is_widening

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.graph import Graph, Node
    from data_platform.model.dataset_page import DatasetCard
    from data_platform.model.process_page import ProcessCard


def dataset_page(connection: Connection, graph: Graph, dataset: DatasetCard) -> DatasetPage:
    node: Node = (NodeType.DATASET, dataset.id)
    latest = find_latest(connection, dataset.id)
    linked = [
        number for (_, number) in {*graph.names_of(node, downstream=True), *graph.names_of(node, downstream=False)}
    ]
    digest = latest.schema_hash if latest and latest.schema_hash else _newest_hash(connection, dataset.id)
    return DatasetPage(
        dataset=dataset,
        latest=latest,
        certification=find_certification(connection, dataset.reference),
        columns=_columns(connection, dataset.id, digest) if digest else (),
        upstream=len(neighbours(graph, node, downstream=False)),
        downstream=len(neighbours(graph, node, downstream=True)),
        checks=_checks(connection, dataset.id),
        facets=facets_of(connection, node),
        other_names=_other_names(connection, graph, node),
        look_alikes=find_look_alikes(connection, [dataset.id], linked),
        dropped_at=_dropped_at(connection, dataset.id),
    )


def _other_names(connection: Connection, graph: Graph, node: Node) -> tuple[OtherName, ...]:
    links: list[tuple[Node, str]] = []
    for (source, target), kind in graph.links.items():
        if node not in (source, target):
            continue
        other = target if node == source else source
        renamed = "renamed to" if node == source else "renamed from"
        links.append((other, "symlink" if kind is LinkKind.SYMLINK else renamed))
    names = refs(connection, {other for other, _ in links})
    listed = {(names[other].name, kind) for other, kind in links}
    return tuple(OtherName(dataset=name, kind=kind) for name, kind in sorted(listed))


def _dropped_at(connection: Connection, dataset_id: int) -> datetime | None:
    """The time at which it was dropped, if nothing was written since."""
    facet, version = NODE_FACET.c, DATASET_VERSION.c
    newest = select(facet.said_at, facet.value).where(
        facet.node_type == NodeType.DATASET, facet.node_id == dataset_id, facet.facet == "lifecycleStateChange"
    )
    row = connection.execute(newest).first()
    change = row.value.get("lifecycleStateChange") if row is not None and isinstance(row.value, dict) else None
    if row is None or str(change).upper() != "DROP":
        return None
    later = version.dataset_id == dataset_id, version.state_change.is_(None), version.produced_at > row.said_at
    written = connection.execute(select(version.dataset_version_id).where(*later).limit(1)).first()
    at: datetime = row.said_at
    return at if written is None else None


def find_schema(connection: Connection, dataset: DatasetCard, version: str | None = None) -> SchemaCard:
    """The schema of the version with this tag, or of the newest version that has one.

    Raises:
        NotFoundError: There is no such version, or no producer has reported its schema.
    """
    table = DATASET_VERSION.c
    versions = select(table.version_tag, table.schema_hash).where(table.dataset_id == dataset.id)
    if version is not None:
        rows = {
            row.version_tag: row for row in connection.execute(versions.where(table.version_tag.in_(_tags(version))))
        }
        row = next((rows[tag] for tag in _tags(version) if tag in rows), None)
        if row is None:
            raise NotFoundError(f"{dataset.full_name} has no version {version[:100]!r}")
    else:
        with_schema = versions.where(table.schema_hash.is_not(None), table.produced_at.is_not(None))
        row = connection.execute(
            with_schema.order_by(table.produced_at.desc(), table.dataset_version_id.desc())
        ).first()
    if row is not None and row.schema_hash:
        columns = _columns(connection, dataset.id, row.schema_hash)
        return SchemaCard(version=row.version_tag, hash=row.schema_hash, columns=columns)
    newest = None if version is not None else _newest_hash(connection, dataset.id)
    if newest is None:
        raise NotFoundError(f"no producer has reported the schema of {dataset.full_name}, version {version or 'any'}")
    return SchemaCard(version="", hash=newest, columns=_columns(connection, dataset.id, newest))


def _tags(version: str) -> list[str]:
    """The given tag, and the number in ``v3``, since ``status`` prints Delta versions so."""
    number = version.removeprefix("v")
    return [version, number] if number.isdecimal() and number.isascii() else [version]


def diff(before: SchemaCard, after: SchemaCard) -> SchemaDiff:
    """Compares columns by name; a renamed column is one removed and one added."""
    old = {column.name: (place, column) for place, column in enumerate(before.columns)}
    new = {column.name: (place, column) for place, column in enumerate(after.columns)}
    changes = [ColumnChange(kind="REMOVED", column=name, before=old[name][1].type) for name in old if name not in new]
    changes += [ColumnChange(kind="ADDED", column=name, after=new[name][1].type) for name in new if name not in old]
    for name in (name for name in old if name in new):
        one, other = old[name][1], new[name][1]
        if one.type.lower() != other.type.lower():
            changes.append(ColumnChange(kind="RETYPED", column=name, before=one.type, after=other.type))
        if one.nullable != other.nullable:
            kinds = ("nullable" if column.nullable else "not null" for column in (one, other))
            changes.append(ColumnChange(kind="NULLABILITY", column=name, before=next(kinds), after=next(kinds)))
    changes += _moved([name for name in old if name in new], [name for name in new if name in old])
    return SchemaDiff(before=before.version, after=after.version, changes=tuple(changes))


def breaking_columns(changes: SchemaDiff) -> list[str]:
    """The columns whose readers break: removed, of another type that is not wider, or no longer NOT NULL."""
    return [
        change.column
        for change in changes.changes
        if change.kind == "REMOVED"
        or (change.kind == "RETYPED" and not is_widening(change.before or "", change.after or ""))
        or (change.kind == "NULLABILITY" and change.after == "nullable")
    ]


def process_page(connection: Connection, process: ProcessCard, *, runs: int = 10) -> ProcessPage:
    node: Node = (NodeType.PROCESS, process.id)
    table = LINEAGE_EDGE.c
    into = select(table.source_type, table.source_id, table.edge_role).where(
        table.target_type == node[0], table.target_id == node[1], table.retired_at.is_(None)
    )
    out = select(table.target_type, table.target_id, table.edge_role).where(
        table.source_type == node[0], table.source_id == node[1], table.retired_at.is_(None)
    )
    sources = [((NodeType(row[0]), row[1]), row[2]) for row in connection.execute(into)]
    targets = [((NodeType(row[0]), row[1]), row[2]) for row in connection.execute(out)]
    names = refs(connection, {other for other, _ in (*sources, *targets)})

    def named(edges: list[tuple[Node, str]], role: EdgeRole) -> tuple[str, ...]:
        return tuple(sorted(names[other].name for other, edge_role in edges if edge_role == role))

    return ProcessPage(
        process=process,
        inputs=named(sources, EdgeRole.CONSUMES),
        outputs=named(targets, EdgeRole.PRODUCES),
        parents=named(sources, EdgeRole.CONTAINS),
        children=named(targets, EdgeRole.CONTAINS),
        runs=find_process_runs(connection, process.id, limit=runs).items,
        facets=facets_of(connection, node),
    )


def _columns(connection: Connection, dataset_id: int, digest: str) -> tuple[ColumnCard, ...]:
    table = DATASET_SCHEMA.c
    columns = select(DATASET_SCHEMA).where(table.dataset_id == dataset_id, table.schema_hash == digest)
    return tuple(
        ColumnCard(
            name=row.column_name,
            type=row.column_type,
            nullable=row.nullable,
            description=str(row.column_metadata.get("description", "")),
        )
        for row in connection.execute(columns.order_by(table.column_order))
    )


def _newest_hash(connection: Connection, dataset_id: int) -> str | None:
    """The newest schema hash, also of a dataset without versions, such as one that is only read."""
    table = DATASET_SCHEMA.c
    newest = select(table.schema_hash).where(table.dataset_id == dataset_id).order_by(table.schema_id.desc()).limit(1)
    return connection.execute(newest).scalar_one_or_none()


def _checks(connection: Connection, dataset_id: int) -> dict[str, int]:
    """Counts the newest results of the checks by status."""
    result = QUALITY_CHECK_RESULT.c
    newest = (
        select(result.qdef_id, func.max(result.executed_at).label("at"))
        .join(QUALITY_CHECK_DEF, QUALITY_CHECK_DEF.c.qdef_id == result.qdef_id)
        .where(QUALITY_CHECK_DEF.c.dataset_id == dataset_id)
        .group_by(result.qdef_id)
        .subquery()
    )
    same = (newest.c.qdef_id == result.qdef_id) & (newest.c.at == result.executed_at)
    query = select(result.status, func.count().label("number")).join(newest, same).group_by(result.status)
    return {row.status: row.number for row in connection.execute(query)}


def _moved(old: list[str], new: list[str]) -> list[ColumnChange]:
    """Columns of both schemas whose position among them changed."""
    places = {name: place for place, name in enumerate(new, 1)}
    return [
        ColumnChange(kind="MOVED", column=name, before=str(place), after=str(places[name]))
        for place, name in enumerate(old, 1)
        if places[name] != place
    ]
