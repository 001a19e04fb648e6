"""Versions of datasets: what was written, when, by which run, how large.

A version has the tag that its producer gave it, or else the run's own id: then it waits for a tag, and takes it when
an event of the run brings one. The same tag said by two runs is one version, the later run's.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import bindparam, delete, select, update

from data_platform.catalog.arrival import version as arrival
from data_platform.catalog.lineage.latest_value import Said, merged, value_of, words
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
"""A dataset's key, and a tag."""


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
    """A version for each output of a run, each tag that is read, and each schema that a dataset's own event tells.

    One under the id of a ``fresh`` run cannot be on record, unless its run was archived; then it stays as it is.

    Answers with those that bring no data: their run dropped, truncated or altered the dataset. That such a version has
    arrived is taken back, for the event that says so may come after the one that said it was written.
    """
    said: dict[VersionKey, Said] = {}
    for event, mention, number in _versioned(nodes, events):
        tag = mention.version_tag or event.run_uuid
        if tag is None:
            continue
        key = (number, tag)
        said[key] = merged(said.get(key, {}), words(event.time, _of(event, mention)))
    said = _with_tag(said, tags)
    known = _known_versions(connection, [key for key in said if key[1] not in fresh])
    added, empty = [], set()
    for key, word in said.items():
        row = known.get(key)
        if value_of(word if row is None else merged(row.metadata_json, word), "@change") in NO_DELIVERY:
            empty.add(key)
        if row is None:
            added.append({"dataset_id": key[0], "version_tag": key[1], **_values(word)})
        elif (after := merged(row.metadata_json, word)) != row.metadata_json:
            same = DATASET_VERSION.c.dataset_version_id == row.dataset_version_id
            connection.execute(update(DATASET_VERSION).where(same).values(**_values(after)))
    add_missing(connection, DATASET_VERSION, added, keys=("dataset_id", "version_tag"))
    arrival.take_back(connection, empty)
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


def _of(event: LineageEvent, mention: DatasetMention) -> dict[str, Any]:
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


def _values(said: Said) -> dict[str, Any]:
    produced, certified = value_of(said, "@produced"), value_of(said, "@certified")
    return {
        "path": value_of(said, "@path"),
        "row_count": value_of(said, "@row_count"),
        "byte_count": value_of(said, "@byte_count"),
        "schema_hash": value_of(said, "@schema_hash"),
        "produced_by_run_id": value_of(said, "@run"),
        "produced_at": produced and datetime.fromisoformat(produced),
        "certified_at": certified and datetime.fromisoformat(certified),
        "historical": value_of(said, "@live") is None and produced is not None,
        "state_change": change if (change := value_of(said, "@change")) in NO_DELIVERY else None,
        "metadata_json": said,
    }


def _with_tag(said: Mapping[VersionKey, Said], tags: Mapping[VersionKey, str]) -> dict[VersionKey, Said]:
    """What is said under a run's own id, where the run has told the tag: it is said of the tag's version."""
    found: dict[VersionKey, Said] = {}
    for key, word in said.items():
        whole = (key[0], tags.get(key, key[1]))
        found[whole] = merged(found.get(whole, {}), word)
    return found


def _known_versions(connection: Connection, keys: Iterable[VersionKey]) -> dict[VersionKey, Any]:
    wanted = set(keys)
    known: dict[VersionKey, Any] = {}
    datasets = sorted({number for number, _ in wanted})
    for part in chunks({tag for _, tag in wanted}):
        for row in connection.execute(_VERSIONS, {"wanted": part, "datasets": datasets}):
            known[row.dataset_id, row.version_tag] = row
    return {key: row for key, row in known.items() if key in wanted}


def take_tag(connection: Connection, number: int, run_uuid: str, tag: str) -> None:
    rows = _known_versions(connection, [(number, run_uuid), (number, tag)])
    waiting, named = rows.get((number, run_uuid)), rows.get((number, tag))
    if waiting is None:
        return
    arrival.rename(connection, number, run_uuid, tag)
    same = DATASET_VERSION.c.dataset_version_id == waiting.dataset_version_id
    if named is None:
        connection.execute(update(DATASET_VERSION).where(same).values(version_tag=tag))
        return
    results = update(QUALITY_CHECK_RESULT).where(
        QUALITY_CHECK_RESULT.c.dataset_version_id == waiting.dataset_version_id
    )
    connection.execute(results.values(dataset_version_id=named.dataset_version_id))
    connection.execute(delete(DATASET_VERSION).where(same))
    after = merged(named.metadata_json, waiting.metadata_json)
    kept = DATASET_VERSION.c.dataset_version_id == named.dataset_version_id
    connection.execute(update(DATASET_VERSION).where(kept).values(**_values(after)))
