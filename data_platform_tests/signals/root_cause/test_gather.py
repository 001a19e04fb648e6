"""The facts are read from a catalog as runs, events and people filled it, and lead to the cause."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from data_platform.catalog import Catalog
from data_platform.errors import NotFoundError
from data_platform.model.cause_fact import CauseFacts, Derivation
from data_platform.model.dataset import Stage
from data_platform.model.deployment import Deployment
from data_platform.model.partition_key import PartitionKey
from data_platform.model.registration import Actor
from data_platform.model.root_cause import CauseKind, RootCause
from data_platform.model.run import JUDGED_UNDER
from data_platform.model.schema import Column, Schema
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict
from data_platform.openlineage.event import read_event
from data_platform.openlineage.legacy_event import deploy_ref_facet, mention, partition_facet, run_event
from data_platform.policies import Policies
from data_platform.signals.look import look
from data_platform.signals.root_cause.gather import explain_incident, gather
from data_platform_tests.catalog.template import filled_catalog
from data_platform_tests.signals.test_lateness import (
    DAY,
    DELAYS,
    FLIGHTS,
    JOB,
    LATE_SINCE,
    NOW,
    RATES,
    SUMMARY,
    begin,
    end,
    report_job,
)
from data_platform_tests.verdicts import all_gates

CI = Actor(name="ci", role="DATA_OWNER")
COLUMNS = Schema.of([Column(name="day", type="date"), Column(name="id", type="int")])
RETYPED = Schema.of([Column(name="day", type="date"), Column(name="id", type="string")])
EARLY = LATE_SINCE - timedelta(hours=4)


def record_twelve_good_days(catalog: Catalog) -> None:
    """Twelve good days, with the lineage of the datasets and of their column ``id``; rates of the day are there."""
    for back in range(12, 0, -1):
        for urn in (FLIGHTS, DELAYS, SUMMARY):
            make(catalog, urn, DAY.shifted(-back))
        deliver(catalog, DAY.shifted(-back))
    deliver(catalog, DAY)
    for source, target in ((FLIGHTS, DELAYS), (DELAYS, SUMMARY)):
        derive(catalog, source, target)


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with filled_catalog(tmp_path, record_twelve_good_days) as opened:
        yield opened


def at(day: PartitionKey) -> Any:
    return EARLY + timedelta(days=DAY.steps_to(day))


def make(catalog: Catalog, urn: str, day: PartitionKey = DAY, *, until: Stage = Stage.CERTIFIED, **last: Any) -> None:
    """A run of the day through every stage up to ``until``; ``last`` are values of that one."""
    stages = list(Stage) if urn == FLIGHTS else list(Stage)[1:]
    run_id, version = f"run_{uuid4().hex[:12]}", 100 + DAY.steps_to(day)
    entering = last.pop("schema", COLUMNS)
    for stage in stages[: stages.index(until) + 1]:
        reads = {DELAYS: {FLIGHTS: version}, SUMMARY: {DELAYS: version}}.get(urn, {}) if stage is stages[0] else {}
        values = {"version": version, **(last if stage is until else {})}
        end(
            catalog, urn, stage, day, at=at(day) + timedelta(minutes=10), run_id=run_id, schema=entering,
            input_versions=reads, delivery_id=f"content of {day}", policy_fingerprint="p1", **values,
        )  # fmt: skip


def hold(catalog: Catalog, urn: str, signature: str, *, stage: Stage = Stage.GOLD, **more: Any) -> None:
    failed = Verdict(
        gate=Gate.G4_CONTRACT, outcome=Outcome.FAILED, results=(RuleResult.failed(signature, "it is broken"),)
    )
    passed = [verdict for verdict in all_gates(stage) if verdict.gate is not Gate.G4_CONTRACT]
    make(catalog, urn, until=stage, verdicts=(*passed, failed), **{"version": None, **more})


def deliver(catalog: Catalog, day: PartitionKey, **more: Any) -> None:
    run(catalog, "COMPLETE", day, outputs=[mention(RATES, version=f"{day}/v1")], **more)


def run(catalog: Catalog, kind: str, day: PartitionKey = DAY, *, ref: str = "v1", **more: Any) -> None:
    facets = {**partition_facet(str(day)), **deploy_ref_facet(ref)}
    event = run_event(kind, JOB, str(uuid4()), time=at(day), facets=facets, **more)
    catalog.events.ingest([read_event(event)], now=at(day))


def derive(catalog: Catalog, source: str, target: str) -> None:
    names = {urn: dict(zip(("namespace", "name"), urn.rsplit("/", 1), strict=True)) for urn in (source, target)}
    fields = {"id": {"inputFields": [{**names[source], "field": "id"}]}}
    event = run_event("COMPLETE", f"DATA_PLATFORM/{target.rsplit('/', 1)[1]}", str(uuid4()), time=at(DAY.previous))
    event["inputs"] = [names[source]]
    event["outputs"] = [{**names[target], "facets": {"columnLineage": {"fields": fields}}}]
    catalog.events.ingest([read_event(event)], now=at(DAY.previous))


def explained(policies: Policies, catalog: Catalog) -> RootCause:
    look(policies, catalog, NOW)
    [incident] = catalog.incidents.active()
    return explain_incident(catalog, incident.number, now=NOW)


def cause(policies: Policies, catalog: Catalog) -> tuple[CauseKind, str] | None:
    found = explained(policies, catalog).cause
    return found and (found.kind, found.dataset)


def facts_of(policies: Policies, catalog: Catalog) -> CauseFacts:
    look(policies, catalog, NOW)
    [incident] = catalog.incidents.active()
    return gather(catalog, incident, now=NOW)


def test_what_was_not_started_is_the_cause_of_all_that_waits(policies: Policies, catalog: Catalog) -> None:
    assert cause(policies, catalog) == (CauseKind.JOB_NOT_TRIGGERED, FLIGHTS)


def test_a_job_that_failed_has_its_error(policies: Policies, catalog: Catalog) -> None:
    make(catalog, FLIGHTS)
    report_job(catalog, "FAIL", "DATA_PLATFORM/delays", at=EARLY, error="the disk is full")

    found = explained(policies, catalog).cause

    assert found is not None
    assert (found.kind, found.dataset) == (CauseKind.JOB_FAILED, DELAYS)
    assert found.reason.endswith("failed: the disk is full")


def test_a_process_that_died_while_it_wrote_failed(policies: Policies, catalog: Catalog) -> None:
    begin(catalog, EARLY, lease_until=NOW - timedelta(minutes=5))

    assert cause(policies, catalog) == (CauseKind.JOB_FAILED, FLIGHTS)


def test_a_held_day_leads_to_the_column_that_changed_upstream(policies: Policies, catalog: Catalog) -> None:
    make(catalog, FLIGHTS, schema=RETYPED)
    make(catalog, DELAYS)
    hold(catalog, SUMMARY, "INVARIANT:id:positive")

    assert cause(policies, catalog) == (CauseKind.SCHEMA_CHANGE, FLIGHTS)
    facts = facts_of(policies, catalog)
    assert facts.landed == {FLIGHTS}
    assert facts.mapped == {DELAYS, SUMMARY}
    assert set(facts.derivations) == {
        Derivation(dataset=SUMMARY, column="id", source=source, source_column="id") for source in (FLIGHTS, DELAYS)
    }


def test_a_deployment_of_the_process_between_two_runs(policies: Policies, catalog: Catalog) -> None:
    for urn in (FLIGHTS, DELAYS):
        make(catalog, urn)
    hold(catalog, SUMMARY, "INVARIANT:id:positive")
    for ref, target, ago in (("good", "DATA_PLATFORM/summary", 2), ("other", "DATA_PLATFORM/none", 0),
                             ("bad", "DATA_PLATFORM/summary", 0)):  # fmt: skip
        deployed = Deployment(deploy_ref=ref, target=target, at=EARLY - timedelta(days=ago, hours=1), by="ci")
        catalog.deployments.add(deployed, by=CI, now=NOW)

    result = explained(policies, catalog)

    assert result.cause is not None
    assert (result.cause.kind, result.cause.deploy_ref) == (CauseKind.DEPLOYMENT, "bad")
    assert [one.what[:16] for one in result.ruled_out] == ["deployment good "]


def test_an_edit_of_what_the_gates_read(policies: Policies, catalog: Catalog) -> None:
    for urn in (FLIGHTS, DELAYS):
        make(catalog, urn)
    hold(catalog, SUMMARY, "INVARIANT:id:positive", metadata={JUDGED_UNDER: "p2", "files": ["a.csv"]})

    assert cause(policies, catalog) == (CauseKind.POLICY_EDIT, SUMMARY)


def test_a_run_with_other_code_of_a_job_outside(policies: Policies, catalog: Catalog) -> None:
    for urn in (FLIGHTS, DELAYS, SUMMARY):
        make(catalog, urn)
    missing = DAY.next
    run(catalog, "FAIL", missing, ref="v2", error="no such column")
    look(policies, catalog, NOW + timedelta(hours=17))  # after the deadline of rates, and before that of flights
    [incident] = catalog.incidents.active()

    found = explain_incident(catalog, incident.number, now=NOW + timedelta(days=1)).cause

    assert found is not None
    assert (found.kind, found.dataset, found.deploy_ref) == (CauseKind.DEPLOYMENT, RATES, "v2")


def test_the_cause_stays_the_same_when_the_chain_recovers(policies: Policies, catalog: Catalog) -> None:
    before = explained(policies, catalog)
    end(catalog, FLIGHTS, Stage.CERTIFIED, at=NOW)
    look(policies, catalog, NOW + timedelta(minutes=1))

    after = explain_incident(catalog, before.incident, now=NOW + timedelta(minutes=1))

    assert after.cause == before.cause


def test_an_incident_that_does_not_exist_is_named(catalog: Catalog) -> None:
    with pytest.raises(NotFoundError, match="77"):
        explain_incident(catalog, 77, now=NOW)
