"""Gathers the facts of an incident: one read of its signals, one of what the catalog has around them.

No policy is read: what counts is what has run, and under which policy.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.model.cause_fact import CauseFacts, JobFact
from data_platform.model.dataset import Stage
from data_platform.model.internal import JOBS
from data_platform.model.lineage import RunState
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run_identity import run_uuid
from data_platform.signals.root_cause.explain import explain
from data_platform.signals.root_cause.symptom import effect_of_finding, effect_of_signature

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from data_platform.catalog import Catalog
    from data_platform.catalog.cause.job_fact import JobRow
    from data_platform.catalog.cause.store import CauseRecords
    from data_platform.model.cause_fact import StageFact
    from data_platform.model.deployment import Deployment
    from data_platform.model.incident import Incident
    from data_platform.model.root_cause import RootCause
    from data_platform.model.signal import Finding
    from data_platform.signals.root_cause.origin import Subject

_HALF_A_DAY = timedelta(hours=12)
BEFORE = timedelta(days=15)
"""So long before an incident its jobs and deployments are examined."""


def explain_incident(catalog: Catalog, number: int, *, now: datetime) -> RootCause:
    """The root cause of the incident, or of the one that it was merged into.

    Raises:
        NotFoundError: There is no such incident.
    """
    incident = catalog.incidents.get(number)
    while incident.merged_into is not None:
        incident = catalog.incidents.get(incident.merged_into)
    return explain(gather(catalog, incident, now=now), incident)


def gather(catalog: Catalog, incident: Incident, *, now: datetime) -> CauseFacts:
    """What is known of the incident's datasets and of those upstream, from ``BEFORE`` until ``now``."""
    findings = tuple(signal.finding for signal in catalog.signals.of_incident(incident.number))
    return gather_around(catalog, incident, findings, now=now)


def gather_around(catalog: Catalog, subject: Subject, findings: Sequence[Finding], *, now: datetime) -> CauseFacts:
    """The same for findings before they have an incident; ``subject`` counts if there are none."""
    named = {subject.dataset, *(f.dataset for f in findings), *(urn for f in findings for urn in f.upstream)}
    records = catalog.cause_records.read(
        named,
        min((f.partition for f in findings if f.partition), default=subject.partition),
        lambda stages: _failing(findings, stages),
        since=min((f.occurred_at for f in findings), default=subject.occurred_at) - BEFORE,
        now=now,
    )
    return _facts(findings, records)


def _failing(findings: Iterable[Finding], stages: Iterable[StageFact]) -> set[tuple[str, str]]:
    """The columns that signals name, and those of held stages: a late slice may be late because it is held."""
    effects = [(finding.dataset, effect_of_finding(finding)) for finding in findings]
    held = (fact for fact in stages if not fact.outcome.qualifies)
    effects += [(fact.dataset, effect_of_signature(name)) for fact in held for name in fact.signatures]
    return {(urn, column) for urn, effect in effects for column in effect.columns}


def _facts(findings: Sequence[Finding], records: CauseRecords) -> CauseFacts:
    upstream = records.upstream
    judged = {fact.dataset for fact in records.stages}
    own = {urn for urn, keys in upstream.makers.items() if any(key.startswith(f"{JOBS}/") for key in keys)}
    return CauseFacts(
        findings=tuple(findings),
        inputs=upstream.inputs,
        makers=upstream.makers,
        landed=frozenset(fact.dataset for fact in records.stages if fact.stage is Stage.BRONZE),
        external=frozenset(upstream.datasets.keys() - judged - own),
        stages=records.stages,
        jobs=tuple(_jobs(records)),
        markers=records.markers,
        deployments=tuple(_concerning(records.deployments, upstream.makers)),
        derivations=records.derivations,
        mapped=records.mapped,
        schemas=records.schemas,
        cut=upstream.cut,
    )


def _jobs(records: CauseRecords) -> Iterator[JobFact]:
    """Runs of jobs but those of judged stages, and stages that are being written."""
    failed = {row.dataset for row in records.jobs if row.process.startswith(f"{JOBS}/")}
    of_failed = (fact for fact in records.stages if fact.dataset in failed)
    judged = {run_uuid(fact.run_id, fact.dataset, fact.stage) for fact in of_failed}
    for row in records.jobs:
        if row.run_id not in judged:
            yield _job(row, _partition(row))
    for (urn, partition), begin in records.begins.items():
        yield JobFact(
            run_id=begin.run_id,
            process="",
            dataset=urn,
            partition=partition,
            state=RunState.RUNNING,
            started_at=begin.started_at,
            is_dead=not begin.is_alive,
        )


def _job(row: JobRow, partition: PartitionKey | None) -> JobFact:
    return JobFact(
        run_id=row.run_id,
        process=row.process,
        dataset=row.dataset,
        partition=partition,
        state=row.state,
        started_at=row.started_at,
        ended_at=row.ended_at,
        error=row.error,
        deploy_ref=row.deploy_ref,
        schema=row.schema,
        rows=row.rows,
        parent_run=row.parent_run,
    )


def _partition(row: JobRow) -> PartitionKey:
    """That of the version that the run wrote, or of its nominal start; else the day before it began.

    A nominal start is a midnight, in UTC as most producers write it, or in a zone of less than twelve hours.
    """
    if row.tagged_partition is not None:
        return row.tagged_partition
    if row.nominal_start is not None:
        return PartitionKey.containing(row.nominal_start + _HALF_A_DAY, "UTC")
    return PartitionKey.containing(row.started_at, "UTC").previous


def _concerning(deployments: Iterable[Deployment], makers: Mapping[str, frozenset[str]]) -> Iterator[Deployment]:
    """Those of a dataset of ours, or of a process that makes one."""
    targets = set(makers)
    for key in {key for keys in makers.values() for key in keys}:
        parts = key.split("/")
        targets |= {"/".join(parts[:length]) for length in range(1, len(parts) + 1)}
    return (one for one in deployments if one.target in targets)
