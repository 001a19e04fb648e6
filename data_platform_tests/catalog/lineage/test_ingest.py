"""Events result in the same catalog in any order, and if they are repeated."""

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from data_platform.catalog import Catalog
from data_platform.catalog.registry_table import DATASET
from data_platform.model.lineage import RunState
from data_platform.openlineage.event import read_event
from data_platform_tests.catalog.lineage.example import (
    BEGAN,
    CASES,
    NOW,
    RUN,
    dataset,
    event,
    from_columns,
    lines,
    run_id,
    schema,
    send,
)
from data_platform_tests.catalog.lineage.snapshot import snapshot
from data_platform_tests.catalog.template import new_catalog

C34 = "C34_ol_order_and_duplicates"
_ORDERS = {
    "as they were sent": lambda events: events,
    "in reverse": lambda events: events[::-1],
    "twice": lambda events: events + events,
    "from the middle": lambda events: events[7:] + events[:7],
}


@pytest.mark.parametrize("order", _ORDERS)
def test_case_c34_ends_the_same_in_every_order(catalog: Catalog, order: str) -> None:
    expected = json.loads((CASES / C34 / "expected.json").read_text())

    send(catalog, *_ORDERS[order](lines(C34)))

    words = {"COMPLETE": RunState.COMPLETED, "FAIL": RunState.FAILED, "RUNNING": RunState.RUNNING}
    for uuid, meant in expected["runs"].items():
        run = catalog.lineage.run(uuid)
        assert run.status is words[meant["state"]]
        assert "job" not in meant or run.process_key == f"etl/{meant['job']}"
        for key, found in (("started_at", run.start), ("ended_at", run.end)):
            assert key not in meant or _moment(found) == meant[key]
        assert run.seconds == meant.get("duration_seconds", run.seconds)
        for key, role in (("inputs", "INPUT"), ("outputs", "OUTPUT")):
            used = [use.full_name.removeprefix("s3://lake/") for use in run.datasets if use.role == role]
            assert key not in meant or used == meant[key]
    conflict = expected["conflicts"][0]
    assert catalog.lineage.run(conflict["runId"]).conflicts == (f"etl/{conflict['job']}",)
    for source, target in expected["edges"]:
        process = catalog.lineage.process_page(f"etl/{source if '/' not in source else target}")
        assert f"s3://lake/{source if '/' in source else target}" in process.inputs + process.outputs
    page = catalog.lineage.process_page("etl/orders_load")
    assert page.inputs == ("s3://lake/raw/customers", "s3://lake/raw/orders")
    assert page.outputs == ("s3://lake/curated/orders",)
    assert catalog.lineage.process_page("etl/nightly").children == ("etl/dim_load",)


def _moment(value: Any) -> str | None:
    return value and value.isoformat().replace("+00:00", "Z")


def story() -> list[dict[str, Any]]:
    """Of three runs: tags that come late, checks that change their mind, a run id used twice, schemas, columns."""
    orders = dataset("orders", schema=schema(("id", "int"), ("amount", "int")), documentation={"description": "raw"})
    totals = dataset(
        "totals",
        schema=schema(("total", "long")),
        columnLineage=from_columns(total=[("orders", "amount")]),
        ownership={"owners": [{"name": "team:sales"}]},
    )
    checked = {
        "dataQualityAssertions": {"assertions": [{"assertion": "not_null", "column": "total", "success": False}]}
    }
    better = {"dataQualityAssertions": {"assertions": [{"assertion": "not_null", "column": "total", "success": True}]}}
    tagged = dataset("totals", version={"datasetVersion": "v7"})
    return [
        event("START", minute=0, inputs=[orders], outputs=[dataset("totals")]),
        event(
            "RUNNING",
            minute=1,
            outputs=[{**dataset("totals", **checked), "outputFacets": {"outputStatistics": {"rowCount": 5}}}],
        ),
        event(
            "COMPLETE",
            minute=2,
            inputs=[orders],
            outputs=[{**tagged, "outputFacets": {"outputStatistics": {"rowCount": 9}}}],
        ),
        event("START", minute=5, run=run_id(2), outputs=[totals]),
        event("FAIL", minute=6, run=run_id(2), outputs=[dataset("totals", **better)]),
        event("COMPLETE", minute=6, run=run_id(2)),
        event("COMPLETE", minute=9, run=run_id(3), outputs=[tagged, dataset("totals_copy", **checked)]),
        event("START", minute=3, job="other", outputs=[dataset("elsewhere", version={"datasetVersion": "e1"})]),
        event("START", minute=-1, run=run_id(2), job="earlier", inputs=[dataset("orders")], outputs=[totals]),
        event(None, minute=4, run=run_id(4)),
    ]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_order_in_any_batches_with_repetitions_ends_the_same(tmp_path_factory: Any, data: st.DataObject) -> None:
    told = story()
    order = data.draw(st.permutations(told + data.draw(st.lists(st.sampled_from(told), max_size=4))))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(order) - 1), max_size=4)))
    folder = tmp_path_factory.mktemp("order")

    with (
        new_catalog(folder / "plain.db") as plain,
        new_catalog(folder / "mixed.db") as mixed,
    ):
        send(plain, *told)
        for begin, end in zip([0, *cuts], [*cuts, len(order)], strict=True):
            mixed.events.ingest([read_event(document) for document in order[begin:end]], now=NOW)

        assert snapshot(mixed) == snapshot(plain)


def test_the_same_event_is_stored_once_and_its_layout_does_not_matter(catalog: Catalog) -> None:
    first = event(inputs=[dataset("a")])
    again = dict(reversed(first.items()))

    (stored,), (repeated,) = send(catalog, first), send(catalog, again)

    assert (stored.stored, repeated.stored) == (True, False)
    assert stored.digest == repeated.digest


def test_a_batch_reports_which_of_two_equal_events_it_stored(catalog: Catalog) -> None:
    receipts = catalog.events.ingest([read_event(event()), read_event(event())], now=NOW)

    assert [receipt.stored for receipt in receipts] == [True, False]


def test_a_run_that_was_never_ended_is_running(catalog: Catalog) -> None:
    send(catalog, event("RUNNING"))

    run = catalog.lineage.run(RUN)
    assert (run.status, run.start, run.end) == (RunState.RUNNING, None, None)


def test_a_failed_job_stays_failed_if_its_application_reports_complete(catalog: Catalog) -> None:
    parent = {"parent": {"run": {"runId": run_id(9)}, "job": {"namespace": "etl", "name": "application"}}}
    application = {"run": run_id(9), "job": "application"}

    send(
        catalog,
        event("START", minute=0, **application),
        event("FAIL", minute=1) | {"run": {"runId": RUN, "facets": parent}},
        event("COMPLETE", minute=2, **application),
    )

    assert catalog.lineage.run(RUN).status is RunState.FAILED
    assert catalog.lineage.run(RUN).parent_run_uuid == run_id(9)
    outer = catalog.lineage.run(run_id(9))
    assert (outer.status, outer.failed_children) == (RunState.COMPLETED, 1)


def test_two_ends_at_one_moment_are_the_worse_one(catalog: Catalog) -> None:
    send(catalog, event("FAIL"), event("COMPLETE"))

    assert catalog.lineage.run(RUN).status is RunState.FAILED


def test_history_fills_in_behind_the_latest_version(catalog: Catalog) -> None:
    send(catalog, event(minute=0, outputs=[dataset("a", version={"datasetVersion": "live"})]))
    late = event(minute=500, run=run_id(2), outputs=[dataset("a", version={"datasetVersion": "told later"})])
    send(catalog, late, historical=True)

    page = catalog.lineage.dataset_page("s3://lake/a")
    assert page.latest is not None
    assert page.latest.tag == "live"
    assert [(v.tag, v.historical) for v in catalog.lineage.versions("s3://lake/a").items] == [
        ("told later", True),
        ("live", False),
    ]
    assert catalog.lineage.run(run_id(2)).historical


def test_a_version_of_a_failed_run_is_not_the_latest(catalog: Catalog) -> None:
    send(catalog, event(outputs=[dataset("a")]), event("FAIL", minute=9, run=run_id(2), outputs=[dataset("a")]))

    latest = catalog.lineage.dataset_page("s3://lake/a").latest
    assert latest is not None
    assert latest.run_uuid == RUN
    last = catalog.lineage.last_successful_run("s3://lake/a")
    assert last is not None
    assert last.run_uuid == RUN


def test_self_references_and_cycles_are_legal(catalog: Catalog) -> None:
    send(
        catalog,
        event(inputs=[dataset("a")], outputs=[dataset("a"), dataset("b")]),
        event(run=run_id(2), job="back", inputs=[dataset("b")], outputs=[dataset("a")]),
    )

    hits = catalog.lineage.impact("s3://lake/a").hits.items
    assert [(hit.node.name, hit.depth) for hit in hits] == [("etl/load", 1), ("s3://lake/b", 2), ("etl/back", 3)]


def test_the_newest_event_sets_the_value_of_a_facet(catalog: Catalog) -> None:
    new = dataset("a", documentation={"description": "new"}, custom={"x": 2})
    old = dataset("a", documentation={"description": "old"}, custom={"x": 1})
    send(catalog, event(minute=5, outputs=[new]), event(minute=1, run=run_id(2), outputs=[old]))

    page = catalog.lineage.dataset_page("s3://lake/a")
    assert page.dataset.description == "new"
    assert page.facets == {"custom": {"x": 2}}


def test_an_event_does_not_change_what_a_policy_file_declares(catalog: Catalog) -> None:
    catalog.registry.save_dataset(
        "ds://ops/flights", table="flights", owner_team="ops", tier="gold", description="by day",
        policy_fingerprint="f1", now=NOW,
    )  # fmt: skip
    said = {"namespace": "ds://ops", "name": "flights", "facets": {"documentation": {"description": "hijacked"}}}
    send(catalog, event(outputs=[said]))

    card = catalog.lineage.dataset("ds://ops/flights")
    assert (card.description, card.owner_team, card.status, card.declared) == ("by day", "ops", "ACTIVE", True)


def test_an_event_only_fills_in_what_an_approved_dataset_leaves_empty(catalog: Catalog) -> None:
    send(catalog, event(outputs=[dataset("a", documentation={"description": "approved"})]))
    with catalog._database.writing() as connection:
        connection.execute(update(DATASET).values(status="ACTIVE"))

    later = dataset("a", documentation={"description": "other"}, ownership={"owners": [{"name": "team:sales"}]})
    send(catalog, event(minute=5, run=run_id(2), outputs=[later]))

    card = catalog.lineage.dataset("s3://lake/a")
    assert (card.description, card.owner_team) == ("approved", "sales")


def test_an_event_that_fails_midway_leaves_nothing(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(catalog)

    def broken(*_: Any, **__: Any) -> None:
        raise RuntimeError("the disk is gone")

    with monkeypatch.context() as patched:
        patched.setattr("data_platform.catalog.lineage.ingest.add_event_edges", broken)
        with pytest.raises(RuntimeError, match="the disk is gone"):
            send(catalog, event(inputs=[dataset("a")], outputs=[dataset("b")]))
    assert snapshot(catalog) == before

    send(catalog, event(inputs=[dataset("a")], outputs=[dataset("b")]))  # keys that were rolled back are not remembered
    assert catalog.lineage.impact("s3://lake/a").total == 2
    assert catalog.lineage.run(RUN).start is None
    assert catalog.lineage.run(RUN).end == BEGAN


def test_signs_that_postgresql_refuses_cost_no_event(catalog: Catalog) -> None:
    odd = {"a\x00b": {"c": "\x00"}, "documentation": {"description": "x\x00y"}, "\ud800": {"z": "\ud800"}}
    check = {"assertion": "sql", "success": True, "content": "SELECT '\x00'"}
    told = dataset("a", dataQualityAssertions={"assertions": [check]}, **odd)

    send(catalog, event(outputs=[told], producer="p\x00"))

    page = catalog.lineage.dataset_page("s3://lake/a")
    assert page.dataset.description == "x\ufffdy"
    assert page.facets["a\ufffdb"] == {"c": "\x00"}
