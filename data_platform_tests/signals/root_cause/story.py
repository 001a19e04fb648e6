"""Facts of a small estate, told as a story: rates are landed, trades are made of them, risk is made of trades.

Each day is good until a test adds what happened on ``DAY``.
"""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from data_platform.model.cause_fact import CauseFacts, Derivation, JobFact, StageFact
from data_platform.model.dataset import Stage
from data_platform.model.deployment import Deployment
from data_platform.model.incident import Incident, IncidentState
from data_platform.model.lineage import RunState
from data_platform.model.partition_key import PartitionKey
from data_platform.model.schema import Column, Schema
from data_platform.model.signal import Finding, SignalKind, SignalSeverity
from data_platform.model.verdict import Outcome

RATES, TRADES, RISK = "ds://market/rates", "ds://market/trades", "ds://risk/totals"
DAY = PartitionKey("2026-03-10")
GRACE_END = datetime(2026, 3, 11, 6, 30, tzinfo=UTC)
DEPTHS = {RATES: 0, TRADES: 1, RISK: 2}
USUAL = Schema.of([Column(name="id", type="bigint"), Column(name="price", type="decimal(10,2)")])
RETYPED = Schema.of([Column(name="id", type="bigint"), Column(name="price", type="string")])
WIDER = Schema.of([*USUAL.columns, Column(name="note", type="string")])
STAGES = {RATES: tuple(Stage), TRADES: tuple(Stage)[1:], RISK: tuple(Stage)[1:]}


def began(dataset: str, day: PartitionKey = DAY) -> datetime:
    """When the run of a day usually begins: an hour later for each step downstream."""
    return GRACE_END - timedelta(hours=5 - DEPTHS[dataset], days=day.steps_to(DAY))


def run(
    dataset: str, day: PartitionKey = DAY, *, run_id: str = "", until: Stage = Stage.CERTIFIED, **changes: Any
) -> tuple[StageFact, ...]:
    """A run whose stages pass up to ``until``; ``changes`` are of the last one, or of each for what comes in."""
    name = run_id or f"run_{dataset.rpartition('/')[2]}_{day}"
    at: datetime = changes.pop("started_at", began(dataset, day))
    entering = {key: changes.pop(key) for key in ("schema", "delivery", "rows_read", "judged_under") if key in changes}
    version = DAY.steps_to(day) + 100
    inputs = {RATES: (), TRADES: ((RATES, version),), RISK: ((TRADES, version),)}[dataset]
    facts = [
        StageFact(
            run_id=name, dataset=dataset, stage=stage, partition=day, outcome=Outcome.PASSED,
            started_at=at, finished_at=at + timedelta(minutes=10), version=version,
            inputs=inputs,
            **{"schema": USUAL.fingerprint, "delivery": f"content of {day}", "rows_read": 1000,
               "judged_under": "policy 1", **entering},
        )
        for stage in STAGES[dataset][: STAGES[dataset].index(until) + 1]
    ]  # fmt: skip
    facts[-1] = replace(facts[-1], **changes)
    return tuple(facts)


def held(dataset: str, stage: Stage, *signatures: str, **changes: Any) -> tuple[StageFact, ...]:
    values = {"outcome": Outcome.FAILED, "version": None, "signatures": signatures, **changes}
    return run(dataset, until=stage, **values)


def crashed(dataset: str, **changes: Any) -> JobFact:
    values: dict[str, Any] = {
        "run_id": f"job_{dataset.rpartition('/')[2]}", "process": f"JOBS/{dataset}", "dataset": dataset,
        "partition": DAY, "state": RunState.FAILED, "started_at": began(dataset),
        "ended_at": began(dataset) + timedelta(minutes=5), "error": "out of memory",
    }  # fmt: skip
    return JobFact(**{**values, **changes})


def deployed(target: str, at: datetime, ref: str = "a1b2c3") -> Deployment:
    return Deployment(deploy_ref=ref, target=target, at=at, by="ci")


def before(dataset: str, **ago: int) -> datetime:
    return began(dataset) - timedelta(**ago)


def finding(dataset: str, signature: str, **changes: Any) -> Finding:
    values: dict[str, Any] = {
        "kind": SignalKind.CONTRACT, "dataset": dataset, "partition": DAY, "signature": signature,
        "severity": SignalSeverity.CRITICAL, "occurred_at": began(dataset) + timedelta(minutes=10),
        "reason": "it was held",
    }  # fmt: skip
    return Finding(**{**values, **changes})


def late(dataset: str, cause: str, *upstream: str) -> Finding:
    return finding(
        dataset, cause, kind=SignalKind.FRESHNESS, occurred_at=GRACE_END, upstream=upstream, reason="it is late"
    )


def incident(of: Finding) -> Incident:
    return Incident(
        number=7, dataset=of.dataset, partition=of.partition, signature=of.signature, severity=of.severity,
        state=IncidentState.OPEN, title=f"{of.dataset} {of.signature}", owner_team="risk", tier="TIER_1",
        occurred_at=of.occurred_at, opened_at=of.occurred_at + timedelta(minutes=1),
    )  # fmt: skip


def facts(*stages: tuple[StageFact, ...], days: int = 6, **changes: Any) -> CauseFacts:
    """Good days before ``DAY``, and what the test adds."""
    history = [run(dataset, DAY.shifted(-back)) for back in range(1, days + 1) for dataset in DEPTHS]
    values: dict[str, Any] = {
        "stages": tuple(fact for one in (*history, *stages) for fact in one),
        "inputs": {TRADES: frozenset({RATES}), RISK: frozenset({TRADES})},
        "makers": {dataset: frozenset({f"JOBS/{dataset}"}) for dataset in DEPTHS},
        "landed": frozenset({RATES}),
        "derivations": (
            *(Derivation(dataset=TRADES, column=name, source=RATES, source_column=name) for name in ("id", "price")),
            Derivation(dataset=RISK, column="total", source=TRADES, source_column="price"),
            Derivation(dataset=RISK, column="total", source=RATES, source_column="price"),
            Derivation(dataset=RISK, column="id", source=TRADES, source_column="id"),
            Derivation(dataset=RISK, column="id", source=RATES, source_column="id"),
        ),
        "schemas": {schema.fingerprint: schema for schema in (USUAL, RETYPED, WIDER)},
    }
    return CauseFacts(**{**values, **changes})
