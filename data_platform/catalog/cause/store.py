"""``catalog.cause_records``: what was recorded around an incident, read in one transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from data_platform.catalog.arrival_table import COMPLETION_MARKER
from data_platform.catalog.cause.column_fact import find_derivations, find_mapped, find_schemas
from data_platform.catalog.cause.job_fact import find_job_rows
from data_platform.catalog.cause.stage_fact import find_slice_facts, find_stage_facts
from data_platform.catalog.cause.upstream import find_upstream
from data_platform.catalog.deployment import find_deployed_between
from data_platform.catalog.timeliness import find_stage_begins
from data_platform.catalog.upsert import WANTED, rows_of
from data_platform.model.cause_fact import MarkerFact

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from datetime import datetime

    from sqlalchemy.engine import Connection

    from data_platform.catalog.cause.job_fact import JobRow
    from data_platform.catalog.cause.upstream import Upstream
    from data_platform.catalog.database import Database
    from data_platform.catalog.lineage.graph_source import Graphs
    from data_platform.model.cause_fact import Derivation, StageFact
    from data_platform.model.deployment import Deployment
    from data_platform.model.lateness import StageBegin
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.schema import Schema


@dataclass(frozen=True, kw_only=True)
class CauseRecords:
    """``begins`` are what stages of these datasets write now; ``mapped`` are datasets with column lineage."""

    upstream: Upstream
    stages: tuple[StageFact, ...]
    jobs: tuple[JobRow, ...]
    begins: Mapping[tuple[str, PartitionKey], StageBegin]
    markers: tuple[MarkerFact, ...]
    deployments: tuple[Deployment, ...]
    derivations: tuple[Derivation, ...]
    mapped: frozenset[str]
    schemas: Mapping[str, Schema]


class CauseReader:
    def __init__(self, database: Database, graphs: Graphs) -> None:
        self._database, self._graphs = database, graphs

    def read(
        self,
        urns: Collection[str],
        partition: PartitionKey | None,
        failing: Callable[[Iterable[StageFact]], Iterable[tuple[str, str]]],
        *,
        since: datetime,
        now: datetime,
    ) -> CauseRecords:
        """What is recorded of the datasets and their upstream around ``partition``, and since ``since``.

        ``failing`` names the failing columns, each with its dataset, once the stages are known.
        """
        with self._database.reading() as connection:
            graph = self._graphs.now(connection)
            upstream = find_upstream(connection, graph, urns)
            names = {*urns, *upstream.datasets}
            stages = find_stage_facts(connection, names, partition, since)
            jobs = find_job_rows(connection, upstream, since)
            begins = {key: one for key, one in find_stage_begins(connection, now).items() if key[0] in names}
            return CauseRecords(
                upstream=upstream,
                stages=stages,
                jobs=jobs,
                begins=begins,
                markers=_markers(connection, names),
                deployments=find_deployed_between(connection, since, now),
                derivations=find_derivations(connection, graph, upstream, failing(stages)),
                mapped=find_mapped(connection, upstream),
                schemas=find_schemas(
                    connection, upstream, [*(one.schema for one in stages), *(one.schema for one in jobs)]
                ),
            )

    def stages(
        self, urns: Collection[str], partitions: Collection[PartitionKey], *, since: datetime
    ) -> tuple[StageFact, ...]:
        """The judged stages of the partitions, and since ``since`` of those datasets that have no partitions."""
        with self._database.reading() as connection:
            return find_slice_facts(connection, urns, partitions, since)


def _markers(connection: Connection, urns: Iterable[str]) -> tuple[MarkerFact, ...]:
    table = COMPLETION_MARKER.c
    query = select(COMPLETION_MARKER).where(table.dataset_urn.in_(WANTED), table.partition.is_not(None))
    return tuple(
        MarkerFact(dataset=row.dataset_urn, partition=row.partition, waits_for=row.waits_for, whole_at=row.whole_at)
        for row in rows_of(connection, query, sorted(urns))
    )
