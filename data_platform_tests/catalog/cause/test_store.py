"""What is read around an incident, on each database: its upstream, judged stages, jobs, markers, columns."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any
from uuid import uuid4

from data_platform.catalog import Catalog
from data_platform.catalog.cause.store import CauseRecords
from data_platform.model.arrival import MarkerState
from data_platform.model.cause_fact import Derivation, StageFact
from data_platform.model.dataset import DatasetId, Stage
from data_platform.model.lineage import RunState
from data_platform.model.partition_key import PartitionKey
from data_platform.model.run import JUDGED_UNDER
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict
from data_platform.openlineage.event import read_event
from data_platform.openlineage.legacy_event import deploy_ref_facet, partition_facet, run_event
from data_platform_tests.catalog.example import NOW, ORDERS, SCHEMA, intent, later, report

RATES, TOTALS = "ds://market/rates", "ds://curated/totals"
JOB = "AUTOSYS/NIGHT/RATES"
DAY = PartitionKey("2026-02-14")


def named(urn: str, **facets: Any) -> dict[str, Any]:
    namespace, _, name = urn.rpartition("/")
    return {"namespace": namespace, "name": name, "facets": facets}


def send(catalog: Catalog, kind: str, job: str, *, run: str = "", **more: Any) -> None:
    event = run_event(kind, job, run or str(uuid4()), time=more.pop("time", NOW), **more)
    catalog.events.ingest([read_event(event)], now=NOW)


def link(catalog: Catalog, source: str, target: str, column: str) -> None:
    fields = {column: {"inputFields": [{**named(source), "field": "rate"}]}}
    send(
        catalog, "COMPLETE", f"DATA_PLATFORM/make_{target.rpartition('/')[2]}", inputs=[named(source)],
        outputs=[named(target, columnLineage={"fields": fields})],
    )  # fmt: skip


def record(catalog: Catalog, run_id: str, urn: str, stage: Stage, day: PartitionKey, **changes: Any) -> None:
    made = {"dataset": DatasetId.parse(urn), "stage": stage, "partition": day, **changes}
    catalog.runs.record(report(run_id, **made), [])


def read(catalog: Catalog, urn: str, *failing: tuple[str, str]) -> CauseRecords:
    def failing_columns(_: Iterable[StageFact]) -> Iterable[tuple[str, str]]:
        return failing

    since = NOW - timedelta(days=15)
    return catalog.cause_records.read({urn}, DAY, failing_columns, since=since, now=later(60))


def test_the_upstream_has_datasets_makers_and_columns(catalog: Catalog) -> None:
    send(catalog, "COMPLETE", JOB, outputs=[named(RATES)])
    link(catalog, RATES, ORDERS, "total")
    link(catalog, ORDERS, TOTALS, "sum")
    send(catalog, "COMPLETE", "AUTOSYS/OTHER", outputs=[named("ds://market/other")])

    records = read(catalog, TOTALS, (TOTALS, "sum"), (ORDERS, "total"), (TOTALS, "none"))

    assert set(records.upstream.datasets) == {RATES, ORDERS, TOTALS}
    assert records.upstream.inputs == {RATES: frozenset(), ORDERS: {RATES}, TOTALS: {ORDERS}}
    assert records.upstream.makers[RATES] == {JOB}
    assert records.mapped == {ORDERS, TOTALS}
    assert set(records.derivations) == {
        Derivation(dataset=ORDERS, column="total", source=RATES, source_column="rate"),
        Derivation(dataset=TOTALS, column="sum", source=ORDERS, source_column="rate"),
    }


def test_judged_stages_of_the_last_days_and_of_older_versions_that_were_read(catalog: Catalog) -> None:
    link(catalog, RATES, ORDERS, "total")
    old = DAY.shifted(-100)
    record(catalog, "run_old", RATES, Stage.CERTIFIED, old, version=7, schema=SCHEMA)
    record(catalog, "run_older", RATES, Stage.CERTIFIED, old.previous, version=6)
    record(catalog, "run_new", RATES, Stage.CERTIFIED, DAY, version=9)
    errored = Verdict(
        gate=Gate.DQ, outcome=Outcome.ERRORED, results=(RuleResult.errored("GATE_RAISED:DQ", "it raised"),)
    )
    record(
        catalog, "run_bad", ORDERS, Stage.SILVER, DAY, verdicts=(errored,), version=None, policy_fingerprint="p",
        metadata={JUDGED_UNDER: "j"}, input_versions={RATES: 7, f"{ORDERS}@bronze": 3},
    )  # fmt: skip

    records = read(catalog, ORDERS)

    facts = {fact.run_id: fact for fact in records.stages}
    assert set(facts) == {"run_old", "run_new", "run_bad"}
    bad = facts["run_bad"]
    assert (bad.errored, bad.outcome, bad.judged_under, bad.inputs) == (("DQ",), Outcome.ERRORED, "j", ((RATES, 7),))
    assert bad.signatures[0] == "GATE_RAISED:DQ"
    assert records.schemas == {SCHEMA.fingerprint: SCHEMA}


def test_a_dataset_that_is_seldom_made_has_its_last_good_run(catalog: Catalog) -> None:
    record(catalog, "run_month", ORDERS, Stage.CERTIFIED, DAY.shifted(-31))
    record(catalog, "run_now", ORDERS, Stage.SILVER, DAY)

    assert {fact.run_id for fact in read(catalog, ORDERS).stages} == {"run_month", "run_now"}


def test_runs_of_jobs_outside_with_their_version_and_code(catalog: Catalog) -> None:
    facets = {**partition_facet(str(DAY)), **deploy_ref_facet("r7")}
    output = named(RATES, version={"datasetVersion": f"{DAY}/v1"})
    output["outputFacets"] = {"outputStatistics": {"rowCount": 40}}
    send(catalog, "COMPLETE", JOB, outputs=[output], facets=facets)
    send(catalog, "FAIL", JOB, time=later(5), error="no such column", facets=facets)

    records = read(catalog, RATES)

    good, bad = sorted(records.jobs, key=lambda row: row.started_at)
    assert (good.state, good.tagged_partition, good.rows, good.deploy_ref) == (RunState.COMPLETED, DAY, 40, "r7")
    assert (bad.state, bad.error, bad.tagged_partition) == (RunState.FAILED, "no such column", None)
    assert bad.nominal_start is not None


def test_what_is_written_now_and_the_markers_of_the_upstream_only(catalog: Catalog) -> None:
    send(catalog, "COMPLETE", "DATA_PLATFORM/curated/orders/gold", outputs=[named(ORDERS)])
    catalog.runs.open_intent(intent(run_id="run_now", partition=DAY))
    states = [
        MarkerState(
            urn=urn, marker="_SUCCESS", partition=DAY, stamp="none", waits_for="a file", delivery_id=None, deliveries=0,
            changed_at=NOW,
        )
        for urn in (ORDERS, RATES)
    ]  # fmt: skip
    catalog.arrivals.take_markers(states, now=NOW)

    records = read(catalog, ORDERS)

    assert list(records.begins) == [(ORDERS, DAY)]
    assert [(one.dataset, one.waits_for) for one in records.markers] == [(ORDERS, "a file")]
