"""Stores versions of datasets: what was written, when, by which run, how large.

A version has its producer's tag, or else the run's id until an event of the run reports a tag. The same tag from two
runs is one version, that of the later run.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import bindparam, delete, select, update

from data_platform.catalog.arrival import version as arrival
from data_platform.catalog.lineage.latest_value import LatestValues, merged, stamped, value_of
from data_platform.catalog.registry_table import DATASET_VERSION, QUALITY_CHECK_RESULT
from data_platform.catalog.upsert import WANTED, add_missing, chunks
from data_platform.model.arrival import REPORT_FACET
from data_platform.model.lineage import NO_DELIVERY, DatasetRole, EventType

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from sqlalchemy.engine import Connection

    from data_platform.catalog.lineage.node import Nodes
    from data_platform.model.lineage import DatasetMention, LineageEvent

VersionKey: TypeAlias = tuple[int, str]
"""A dataset's key and a tag."""


_VERSIONS = select(DATASET_VERSION).where(
    DATASET_VERSION.c.version_tag.in_(WANTED),
    DATASET_VERSION.c.dataset_id.in_(bindparam("datasets", expanding=True)),
)


def add_versions(
    connection: Connection,
    nodes: Nodes,
    events: Iterable[LineageEvent],
    tags: Mapping[VersionKey, str],
    fresh: Collection[str],
) -> frozenset[VersionKey]:
    """Adds a version for each output of a run, each tag that is read, and each schema that a dataset event reports.

    A version under the id of a ``fresh`` run cannot exist, unless its run was archived; then it is not changed.

    Returns versions without data, whose run dropped, truncated or altered the dataset. Their arrivals are deleted,
    since the event with that change may come after the one that reported the write.
    """
    reported: dict[VersionKey, LatestValues] = {}
    for event, mention, number in _versioned(nodes, events):
        tag = mention.version_tag or event.run_uuid
        if tag is None:
            continue
        key = (number, tag)
        reported[key] = merged(reported.get(key, {}), stamped(event.time, _version_values(event, mention)))
    reported = _with_tag(reported, tags)
    stored = _stored_versions(connection, [key for key in reported if key[1] not in fresh])
    added, empty = [], set()
    for key, values in reported.items():
        row = stored.get(key)
        if value_of(values if row is None else merged(row.metadata_json, values), "@change") in NO_DELIVERY:
            empty.add(key)
        if row is None:
            added.append({"dataset_id": key[0], "version_tag": key[1], **_values(values)})
        elif (after := merged(row.metadata_json, values)) != row.metadata_json:
            same = DATASET_VERSION.c.dataset_version_id == row.dataset_version_id
            connection.execute(update(DATASET_VERSION).where(same).values(**_values(after)))
    add_missing(connection, DATASET_VERSION, added, keys=("dataset_id", "version_tag"))
    arrival.delete_arrivals(connection, empty)
    return frozenset(empty)


def _versioned(nodes: Nodes, events: Iterable[LineageEvent]) -> Iterable[tuple[LineageEvent, DatasetMention, int]]:
    for event in events:
        if event.type is EventType.JOB:
            continue
        for mention in event.datasets:
            if event.run_uuid is None and mention.state_change in NO_DELIVERY:
                continue
            if mention.role is DatasetRole.OUTPUT or mention.version_tag is not None:
                yield event, mention, nodes.datasets[mention.name]


def _version_values(event: LineageEvent, mention: DatasetMention) -> dict[str, Any]:
    produced = mention.role is DatasetRole.OUTPUT
    return {
        "@row_count": mention.row_count,
        "@byte_count": mention.byte_count,
        "@path": mention.path,
        "@schema_hash": mention.schema_hash,
        "@report": mention.facets.get(REPORT_FACET) if produced else None,
        "@certified": mention.certified_at and mention.certified_at.isoformat(),
        "@run": event.run_uuid if produced else None,
        "@live": True if produced and not event.historical else None,
        "@produced": event.time.isoformat() if produced else None,
        "@change": mention.state_change if produced else None,
    }


def _values(latest: LatestValues) -> dict[str, Any]:
    produced, certified = value_of(latest, "@produced"), value_of(latest, "@certified")
    return {
        "path": value_of(latest, "@path"),
        "row_count": value_of(latest, "@row_count"),
        "byte_count": value_of(latest, "@byte_count"),
        "schema_hash": value_of(latest, "@schema_hash"),
        "produced_by_run_id": value_of(latest, "@run"),
        "produced_at": produced and datetime.fromisoformat(produced),
        "certified_at": certified and datetime.fromisoformat(certified),
        "historical": value_of(latest, "@live") is None and produced is not None,
        "state_change": change if (change := value_of(latest, "@change")) in NO_DELIVERY else None,
        "metadata_json": latest,
    }


def _with_tag(
    reported: Mapping[VersionKey, LatestValues], tags: Mapping[VersionKey, str]
) -> dict[VersionKey, LatestValues]:
    """Moves values under a run's id to the version with the tag that the run has reported."""
    by_tag: dict[VersionKey, LatestValues] = {}
    for key, values in reported.items():
        version_key = (key[0], tags.get(key, key[1]))
        by_tag[version_key] = merged(by_tag.get(version_key, {}), values)
    return by_tag


def _stored_versions(connection: Connection, keys: Iterable[VersionKey]) -> dict[VersionKey, Any]:
    requested = set(keys)
    stored: dict[VersionKey, Any] = {}
    datasets = sorted({number for number, _ in requested})
    for part in chunks({tag for _, tag in requested}):
        for row in connection.execute(_VERSIONS, {"wanted": part, "datasets": datasets}):
            stored[row.dataset_id, row.version_tag] = row
    return {key: row for key, row in stored.items() if key in requested}


def assign_tag(connection: Connection, number: int, run_uuid: str, tag: str) -> None:
    rows = _stored_versions(connection, [(number, run_uuid), (number, tag)])
    untagged, named = rows.get((number, run_uuid)), rows.get((number, tag))
    if untagged is None:
        return
    arrival.rename(connection, number, run_uuid, tag)
    same = DATASET_VERSION.c.dataset_version_id == untagged.dataset_version_id
    if named is None:
        connection.execute(update(DATASET_VERSION).where(same).values(version_tag=tag))
        return
    results = update(QUALITY_CHECK_RESULT).where(
        QUALITY_CHECK_RESULT.c.dataset_version_id == untagged.dataset_version_id
    )
    connection.execute(results.values(dataset_version_id=named.dataset_version_id))
    connection.execute(delete(DATASET_VERSION).where(same))
    after = merged(named.metadata_json, untagged.metadata_json)
    target = DATASET_VERSION.c.dataset_version_id == named.dataset_version_id
    connection.execute(update(DATASET_VERSION).where(target).values(**_values(after)))
