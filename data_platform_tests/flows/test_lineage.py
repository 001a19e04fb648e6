"""The platform's own runs are in the catalog like all others, and are sent to other services."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest
from pyspark.sql import SparkSession

from data_platform.catalog import Catalog
from data_platform.errors import UsageError
from data_platform.model.dataset import Stage
from data_platform.model.lineage import NodeType, RunState
from data_platform.model.run_identity import parent_of, run_uuid
from data_platform.stage import driver
from data_platform.stage.event_emitter import pass_on
from data_platform_tests.flows.estate import DAY, ORDERS, Estate, a_day, declare_orders, orders

TOTALS = "ds://sales/totals"
CLEAN = "SELECT id, amount * 2 AS doubled FROM orders WHERE amount > 1"
TOTAL = "SELECT sum(doubled) AS total, count(*) AS number FROM clean"


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory, spark: SparkSession) -> Estate:
    """Orders of one day, and totals derived of them in two steps; both certified."""
    estate = Estate(tmp_path_factory.mktemp("lineage"), spark)
    declare_orders(estate, slo={"freshness": {"expected_update_by": "02:00 ET daily", "grace_period": "30m"}})
    columns = [{"field": "total", "type": "DECIMAL(38,2)"}, {"field": "number", "type": "LONG"}]
    estate.declare(TOTALS, {"schema": {"constraints": columns}}, process="totals", owner_email="t@example.net")
    steps = [{"name": "clean", "sql": CLEAN}, {"name": "summed", "sql": TOTAL}]
    inputs = [{"dataset": ORDERS, "rows": "all"}]
    when = {"trigger": "HYBRID", "schedule": "03:00 ET daily"}
    estate.process("totals", output=TOTALS, inputs=inputs, steps=steps, **when)
    orders(estate, "1,10.50,first", "2,-1,bad", "3,7.25,third")
    assert estate.run("orders")[-1].stage is Stage.CERTIFIED
    assert estate.run("totals", None)[-1].stage is Stage.CERTIFIED
    return estate


@pytest.fixture
def catalog(estate: Estate) -> Iterator[Catalog]:
    platform = estate.platform()
    yield platform.catalog
    platform.close()


def test_the_lineage_from_landing_to_the_derived_dataset_is_one_chain(catalog: Catalog) -> None:
    hits = catalog.lineage.impact(f"{ORDERS}/landing", only=NodeType.DATASET, stages=True).hits.items

    own = {f"{ORDERS}/{part}" for part in ("bronze", "silver", "quarantine", "gold")} | {ORDERS}
    names = [hit.node.name for hit in hits]
    assert {hit.node.name for hit in hits if hit.depth == 0} == own
    assert {f"{TOTALS}/silver", f"{TOTALS}/gold", TOTALS} <= set(names)
    (last,) = (hit for hit in hits if hit.node.name == TOTALS)
    assert last.path[:3] == (f"{ORDERS}/landing", "DATA_PLATFORM/sales/orders/bronze", f"{ORDERS}/bronze")
    assert "DATA_PLATFORM/totals" in last.path


def test_a_derived_dataset_is_one_step_from_its_inputs(catalog: Catalog) -> None:
    upstream = catalog.lineage.graph(TOTALS, direction="upstream", depth=1)
    down = catalog.lineage.impact(ORDERS, only=NodeType.DATASET).hits.items

    assert ORDERS in {node.name for node in upstream.nodes}
    assert [(hit.node.name, hit.depth, hit.path) for hit in down] == [
        (TOTALS, 1, (ORDERS, "DATA_PLATFORM/totals", TOTALS))
    ]


def test_a_column_is_followed_through_every_stage_and_step(catalog: Catalog) -> None:
    hits = catalog.lineage.column_impact(f"{ORDERS}/bronze", "amount").hits

    reached = {f"{hit.dataset}.{hit.column}" for hit in hits}
    assert {f"{ORDERS}/silver.amount", f"{ORDERS}.amount", f"{TOTALS}/silver.total", f"{TOTALS}.total"} <= reached
    assert {f"{TOTALS}/step/clean.doubled", f"{TOTALS}/step/summed.total"} <= reached
    assert not any(name.endswith(".number") for name in reached)


def test_each_stage_reports_its_versions_rows_schema_and_gates(catalog: Catalog, estate: Estate) -> None:
    platform = estate.platform()
    silver = platform.catalog.runs.latest(ORDERS, Stage.SILVER, DAY)
    assert silver is not None

    page = catalog.lineage.dataset_page(f"{ORDERS}/silver")

    assert page.latest is not None
    assert (page.latest.tag, page.latest.row_count) == (str(silver.version), 2)
    assert {"id", "amount", "note"} <= {column.name for column in page.columns}
    assert page.checks.keys() == {"PASS"}
    run = catalog.lineage.run(run_uuid(silver.run_id, ORDERS, "silver"))
    assert (run.process_key, run.status) == ("DATA_PLATFORM/sales/orders/silver", RunState.COMPLETED)
    assert run.facets["dataPlatform_run"]["rowsQuarantined"] == 1
    assert {(use.full_name, use.role) for use in run.datasets} == {
        (f"{ORDERS}/bronze", "INPUT"), (f"{ORDERS}/silver", "OUTPUT"), (f"{ORDERS}/quarantine", "OUTPUT"),
    }  # fmt: skip
    platform.close()


def test_a_certified_version_has_its_time(catalog: Catalog) -> None:
    page = catalog.lineage.dataset_page(ORDERS)

    assert page.latest is not None
    assert page.latest.certified_at is not None
    assert page.certification is not None
    assert page.latest.tag == str(page.certification.version)
    assert catalog.lineage.versions(f"{ORDERS}/gold").items[0].certified_at is None


def test_the_process_is_registered_as_it_is_declared_with_its_steps(catalog: Catalog) -> None:
    page = catalog.lineage.process_page("DATA_PLATFORM/totals")

    assert (page.process.technology, page.process.team, page.process.trigger_mode) == ("SPARK", "tests", "HYBRID")
    assert (page.inputs, page.outputs) == ((ORDERS,), (f"{TOTALS}/silver",))
    assert page.children == ("DATA_PLATFORM/totals/clean", "DATA_PLATFORM/totals/summed")
    assert page.parents == ("DATA_PLATFORM/run",)


def test_the_whole_run_is_the_parent_of_its_stages_and_ends_with_them(catalog: Catalog) -> None:
    stage = catalog.lineage.process_runs("DATA_PLATFORM/sales/orders/gold").items[0]
    assert stage.parent_run_uuid is not None

    whole = catalog.lineage.run(stage.parent_run_uuid)

    assert (whole.process_key, whole.status) == ("DATA_PLATFORM/run", RunState.COMPLETED)


def test_a_declared_deadline_is_a_service_level(catalog: Catalog, estate: Estate) -> None:
    (state,) = catalog.lineage.sla_states(now=estate.now)

    assert (state.dataset, state.window_seconds, state.met) == (ORDERS, 86400 + 1800, True)


def test_a_held_stage_is_a_failed_run_and_moves_nothing(estate: Estate, catalog: Catalog) -> None:
    before = catalog.lineage.dataset_page(ORDERS).latest
    orders(estate, "1,-1,bad", "2,-1,bad", "3,-1,bad", day=a_day(7))

    reports = estate.run("orders", a_day(7))

    run = catalog.lineage.run(run_uuid(reports[-1].run_id, ORDERS, reports[-1].stage))
    assert run.status is RunState.FAILED
    assert run.error_message is not None
    assert run.error_message.startswith("held: ")
    assert catalog.lineage.run(parent_of(reports[-1].run_id)).status is RunState.FAILED
    assert catalog.lineage.dataset_page(ORDERS).latest == before


def test_a_stage_that_dies_is_a_failed_run_with_its_reason(estate: Estate, catalog: Catalog) -> None:
    platform = estate.platform()
    with pytest.raises(UsageError):
        driver.run_stage(platform, platform.policies.dataset("orders"), Stage.SILVER, a_day(28), "run_20250107_never")
    platform.close()

    run = catalog.lineage.run(run_uuid("run_20250107_never", ORDERS, Stage.SILVER))
    assert (run.process_key, run.status) == ("DATA_PLATFORM/sales/orders/silver", RunState.FAILED)
    assert run.error_message is not None
    assert "bronze" in run.error_message
    assert run.nominal_start is not None
    assert run.nominal_start.date() == a_day(28).value


class _Service(HTTPServer):
    """Takes what is posted, or answers with ``status`` while that is not 201."""

    status = 201

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.taken: list[dict[str, Any]] = []
        self.tokens: set[str | None] = set()


class _Answer(BaseHTTPRequestHandler):
    server: _Service

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.tokens.add(self.headers["Authorization"])
        if self.server.status == 201:
            self.server.taken.append(json.loads(body))
        self.send_response(self.server.status)
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Not into the tests' output."""


@contextmanager
def service() -> Iterator[_Service]:
    server = _Service()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_an_endpoint_receives_every_event_once_it_is_back(estate: Estate) -> None:
    orders(estate, "1,10.50,first", day=a_day(9))
    with service() as there:
        url = f"http://127.0.0.1:{there.server_port}/api/v1/lineage"
        platform = estate.platform(openlineage_url=url, openlineage_token="a secret")  # noqa: S106
        there.status = 503
        reports = estate.run("orders", a_day(9), platform)
        assert reports[-1].passed
        assert there.taken == []
        waiting = platform.catalog.events.count_waiting()
        assert waiting > 0

        there.status = 201
        assert pass_on(platform) == waiting

        assert platform.catalog.events.count_waiting() == 0
        stages = [e["job"]["name"] for e in there.taken if e["eventType"] == "COMPLETE"]
        assert stages == [f"sales/orders/{stage}" for stage in ("bronze", "silver", "gold", "gold_certified")] + ["run"]
        assert there.tokens == {"Bearer a secret"}
        platform.close()
