"""Writes records to a catalog through its public interface, as the components that made them would."""

from collections.abc import Iterable
from datetime import datetime
from itertools import groupby

from data_platform.catalog import Catalog
from data_platform.faultlab.story import Record
from data_platform.model.arrival import MarkerState
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.deployment import Deployment
from data_platform.model.intent import Intent
from data_platform.model.partition_key import PartitionKey
from data_platform.model.registration import Actor
from data_platform.model.run import JUDGED_UNDER, RowCounts, StageReport
from data_platform.model.schema import Column, Schema
from data_platform.model.stage_gate import gates_of
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict
from data_platform.openlineage.event import read_event

CI = Actor(name="ci", role="DATA_OWNER")
_DERIVED_FIRST = "silver"


def write_records(catalog: Catalog, records: Iterable[Record]) -> None:
    """``records`` are in the order of time; events that follow each other are sent as one batch."""
    for kind, group in groupby(records, key=lambda record: record["kind"]):
        listed = list(group)
        if kind == "event":
            at = datetime.fromisoformat(listed[-1]["at"])
            catalog.events.ingest([read_event(record["document"]) for record in listed], now=at)
            continue
        for record in listed:
            _WRITERS[kind](catalog, record)


def _stage(catalog: Catalog, record: Record) -> None:
    stage = Stage(record["stage"])
    catalog.runs.record(
        StageReport(
            dataset=DatasetId.parse(record["dataset"]),
            stage=stage,
            partition=PartitionKey(record["partition"]),
            run_id=record["run_id"],
            path=str(stage),
            version=record["version"],
            rows=RowCounts(read=record["rows"], accepted=record["rows"]),
            verdicts=_verdicts(record, stage),
            started_at=datetime.fromisoformat(record["started_at"]),
            finished_at=datetime.fromisoformat(record["finished_at"]),
            schema=Schema.of(Column(name=name, type=kind) for name, kind in record["schema"]),
            delivery_id=record["delivery"],
            policy_fingerprint=record["policy"],
            input_versions=record["inputs"],
            metadata={JUDGED_UNDER: record["judged_under"]},
            derived=not record["delivery"],
        ),
        [],
    )


def _verdicts(record: Record, stage: Stage) -> tuple[Verdict, ...]:
    outcome = Outcome.ERRORED if record["errored"] else Outcome.FAILED
    broken = tuple(
        RuleResult(rule=name, signature=name, outcome=outcome, severity=Severity.BLOCK, rows=7, reason="it is broken")
        for name in record["signatures"]
    )
    warned = tuple(
        RuleResult(rule=name, signature=name, outcome=Outcome.FAILED, severity=Severity.WARN, rows=3)
        for name in record["warnings"]
    )
    verdicts = []
    for gate in gates_of(stage, derived=not record["delivery"]):
        if gate.value == record["gate"]:
            verdicts.append(Verdict(gate=gate, outcome=outcome, results=broken))
        else:
            results = warned if gate is Gate.DQ else ()
            verdicts.append(Verdict(gate=gate, outcome=Outcome.PASSED, results=results))
    return tuple(verdicts)


def _deployment(catalog: Catalog, record: Record) -> None:
    at = datetime.fromisoformat(record["deployed_at"])
    deployment = Deployment(deploy_ref=record["deploy_ref"], target=record["target"], at=at, by="ci")
    catalog.deployments.add(deployment, by=CI, now=at)


def _intent(catalog: Catalog, record: Record) -> None:
    catalog.runs.open_intent(
        Intent(
            run_id=record["run_id"], dataset_urn=record["dataset"], stage=Stage(record["stage"]),
            partition=PartitionKey(record["partition"]), path=record["stage"], before=1,
            opened_at=datetime.fromisoformat(record["at"]),
        )
    )  # fmt: skip


def _lease(catalog: Catalog, record: Record) -> None:
    at, until = datetime.fromisoformat(record["at"]), datetime.fromisoformat(record["until"])
    catalog.leases.take(record["dataset"], owner=record["run_id"], now=at, ttl=until - at)


def _marker(catalog: Catalog, record: Record) -> None:
    at = datetime.fromisoformat(record["at"])
    state = MarkerState(
        urn=record["dataset"], marker=f"in/{record['partition']}/_SUCCESS", partition=PartitionKey(record["partition"]),
        stamp="absent", waits_for=record["waits_for"], delivery_id=None, deliveries=0, changed_at=at,
    )  # fmt: skip
    catalog.arrivals.take_markers([state], now=at)


_WRITERS = {
    "stage": _stage, "deployment": _deployment, "intent": _intent, "lease": _lease, "marker": _marker,
}  # fmt: skip
