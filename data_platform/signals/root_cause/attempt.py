"""Attempts to make a partition: the stages and jobs of one run as one value, in the order of time."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.lineage import RunState
from data_platform.model.run_identity import parent_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from data_platform.model.cause_fact import JobFact, StageFact
    from data_platform.model.partition_key import PartitionKey

_ORDER = {stage: place for place, stage in enumerate(Stage)}


class AttemptState(StrEnum):
    """PARTIAL: it ended without a failure, and was not certified."""

    GOOD = "GOOD"
    HELD = "HELD"
    PARTIAL = "PARTIAL"
    CRASHED = "CRASHED"
    RUNNING = "RUNNING"


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """``schema``, ``delivery`` and ``rows`` are those of the first stage, as the rows came in.

    ``policies`` has the fingerprint of the policy under which each stage was judged, ``failed_stage`` the first stage
    that was held. ``ended_at`` is None while it runs.
    """

    run_id: str
    dataset: str
    partition: PartitionKey | None
    state: AttemptState
    started_at: datetime
    ended_at: datetime | None
    signatures: tuple[str, ...] = ()
    errored: tuple[str, ...] = ()
    failed_stage: Stage | None = None
    policies: tuple[tuple[Stage, str], ...] = ()
    schema: str = ""
    delivery: str = ""
    rows: int | None = None
    version: int | None = None
    deploy_ref: str = ""
    inputs: tuple[tuple[str, int], ...] = ()
    process: str = ""
    error: str = ""
    scheduler_run: str = ""

    @property
    def parent_run(self) -> str:
        """The run of Dagster or of another scheduler that this one is a part of; empty if nobody has reported it."""
        return self.scheduler_run if self.process else parent_of(self.run_id)

    @property
    def is_good(self) -> bool:
        return self.state is AttemptState.GOOD

    @property
    def seconds(self) -> float | None:
        return (self.ended_at - self.started_at).total_seconds() if self.ended_at else None

    @property
    def name(self) -> str:
        return f"{self.process} {self.run_id}" if self.process else self.run_id


def attempts_of(stages: Iterable[StageFact], jobs: Iterable[JobFact]) -> dict[str, tuple[Attempt, ...]]:
    """The attempts at each dataset, oldest first. Facts may come in any order, and twice."""
    runs: dict[tuple[str, str, str], list[StageFact]] = defaultdict(list)
    for fact in set(stages):
        runs[fact.dataset, str(fact.partition or ""), fact.run_id].append(fact)
    attempts: dict[str, list[Attempt]] = defaultdict(list)
    for (dataset, _, _), facts in runs.items():
        attempts[dataset].append(_of_stages(sorted(facts, key=lambda fact: (_ORDER[fact.stage], fact.started_at))))
    for job in set(jobs):
        attempts[job.dataset].append(_of_job(job))
    return {dataset: _in_order(listed) for dataset, listed in attempts.items()}


def _in_order(attempts: list[Attempt]) -> tuple[Attempt, ...]:
    """Stages of one delivery may be separate runs: a later one then has the delivery of the one before."""
    entered: dict[PartitionKey | None, Attempt] = {}
    ordered = []
    for own in sorted(attempts, key=lambda one: (one.started_at, one.run_id, one.process)):
        before = entered.get(own.partition)
        attempt = own
        if not own.schema and before is not None:
            rows = before.rows if own.rows is None else own.rows
            attempt = replace(own, schema=before.schema, delivery=own.delivery or before.delivery, rows=rows)
        if attempt.schema:
            entered[attempt.partition] = attempt
        ordered.append(attempt)
    return tuple(ordered)


def _of_stages(facts: list[StageFact]) -> Attempt:
    first, last = facts[0], facts[-1]
    failed = [fact for fact in facts if not fact.outcome.qualifies]
    inputs = {name: version for fact in facts for name, version in fact.inputs}
    if failed:
        state = AttemptState.HELD
    else:
        state = AttemptState.GOOD if last.stage is Stage.CERTIFIED else AttemptState.PARTIAL
    return Attempt(
        run_id=first.run_id,
        dataset=first.dataset,
        partition=first.partition,
        state=state,
        started_at=min(fact.started_at for fact in facts),
        ended_at=max(fact.finished_at for fact in facts),
        signatures=tuple(dict.fromkeys(name for fact in facts for name in fact.signatures)),
        errored=tuple(dict.fromkeys(gate for fact in facts for gate in fact.errored)),
        failed_stage=failed[0].stage if failed else None,
        policies=tuple((fact.stage, fact.judged_under or fact.policy) for fact in facts),
        schema=next((fact.schema for fact in facts if fact.schema), ""),
        delivery=next((fact.delivery for fact in facts if fact.delivery), ""),
        rows=first.rows_read,
        version=last.version if state is AttemptState.GOOD else None,
        inputs=tuple(sorted(inputs.items())),
    )


_JOB_STATES: Mapping[RunState, AttemptState] = {
    RunState.COMPLETED: AttemptState.GOOD,
    RunState.FAILED: AttemptState.CRASHED,
    RunState.ABORTED: AttemptState.CRASHED,
}


def _of_job(job: JobFact) -> Attempt:
    state = AttemptState.CRASHED if job.is_dead else _JOB_STATES.get(job.state, AttemptState.RUNNING)
    return Attempt(
        run_id=job.run_id,
        dataset=job.dataset,
        partition=job.partition,
        state=state,
        started_at=job.started_at,
        ended_at=job.ended_at,
        schema=job.schema,
        rows=job.rows,
        deploy_ref=job.deploy_ref,
        process=job.process,
        error=job.error or ("its process is gone" if job.is_dead else ""),
        scheduler_run=job.parent_run,
    )
