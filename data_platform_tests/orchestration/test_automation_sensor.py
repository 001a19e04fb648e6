"""The sensor that starts runs: its cursor, its reasons for waiting, and the job of its runs."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg
import pytest
import yaml

from data_platform.model.arrival import AssetReport, ReportKind
from data_platform.orchestration.automation_sensor import NAME, Cursor
from data_platform.orchestration.location import build
from data_platform.orchestration.record import record_report
from data_platform.policies import load_policies
from data_platform.policies.external import ExternalAssets
from data_platform_tests.flows.estate import DAY, Estate
from data_platform_tests.orchestration.shop import NEXT, ORDER_STAGES, Automation, key
from data_platform_tests.orchestration.test_legacy import declare

LANDING, CUSTOMERS = "shop/orders__landing", "shop/customers"
URN = "ds://shop/orders"


@pytest.fixture
def delivered(declared: Estate) -> Estate:
    declare(declared, {"job": "TILL", "outputs": [URN]})
    return declared


@pytest.fixture
def automation(delivered: Estate, instance: dg.DagsterInstance) -> Automation:
    """The customers are there from before."""
    instance.report_runless_asset_event(dg.AssetMaterialization(key(CUSTOMERS)))
    return Automation(delivered, instance)


def evaluated(estate: Estate, instance: dg.DagsterInstance, cursor: str | None, began: datetime | None = None) -> Any:
    """A tick of the location's own sensor, as the daemon asks for it."""
    repository = build(estate.settings).get_repository_def()
    context = dg.build_sensor_context(
        instance=instance,
        cursor=cursor,
        repository_def=repository,
        last_sensor_start_time=began.timestamp() if began else None,
    )
    return repository.get_sensor_def(NAME).evaluate_tick(context)


def test_a_run_has_the_name_of_the_job_and_of_its_dataset(delivered: Estate, instance: dg.DagsterInstance) -> None:
    instance.report_runless_asset_event(dg.AssetMaterialization(key(CUSTOMERS)))
    begun = evaluated(delivered, instance, None)
    instance.report_runless_asset_event(dg.AssetMaterialization(key(LANDING), partition=str(DAY)))

    [request] = evaluated(delivered, instance, begun.cursor).run_requests or []

    repository = build(delivered.settings).get_repository_def()
    assert repository.get_sensor_def(NAME).job.name == "datasets"
    assert [asset.to_user_string() for asset in request.asset_selection or ()] == list(ORDER_STAGES)
    assert request.tags["dagster/partition"] == str(DAY)
    assert request.tags["data_platform/dataset"] == URN
    assert request.run_key is not None
    assert request.run_key.startswith(f"{URN} {DAY} bronze ")


def test_a_tick_that_comes_again_asks_for_the_same_runs(delivered: Estate, instance: dg.DagsterInstance) -> None:
    begun = evaluated(delivered, instance, None)
    instance.report_runless_asset_event(dg.AssetMaterialization(key(LANDING), partition=str(DAY)))

    first, again = (evaluated(delivered, instance, begun.cursor) for _ in range(2))

    assert [request.run_key for request in first.run_requests or ()]
    assert first.run_requests == again.run_requests
    assert first.cursor == again.cursor


def test_a_delivery_that_came_as_the_daemon_started_is_taken(delivered: Estate, instance: dg.DagsterInstance) -> None:
    instance.report_runless_asset_event(dg.AssetMaterialization(key("shop/orders"), partition=str(DAY)))
    instance.report_runless_asset_event(dg.AssetMaterialization(key(LANDING), partition=str(DAY)))

    first = evaluated(delivered, instance, None, began=datetime.now(UTC))

    assert [request.tags["data_platform/dataset"] for request in first.run_requests or ()] == [URN]


def test_a_delivery_from_before_the_daemon_was_first_started_is_not(
    delivered: Estate, instance: dg.DagsterInstance
) -> None:
    instance.report_runless_asset_event(dg.AssetMaterialization(key(LANDING), partition=str(DAY)))

    first = evaluated(delivered, instance, None, began=datetime.now(UTC) + timedelta(minutes=6))

    assert first.run_requests == []
    assert evaluated(delivered, instance, first.cursor).run_requests == []


def test_an_event_that_others_see_late_is_not_lost(automation: Automation) -> None:
    """Of two that are recorded at the same time, the one of the higher number is seen first."""
    automation.report(LANDING, day=DAY)
    automation.report(LANDING, day=NEXT)
    [last] = automation.instance.fetch_materializations(key(LANDING), limit=1).records
    before = json.loads(automation.cursor or "")
    automation.cursor = json.dumps({**before, "seen": [*before["seen"], last.storage_id]})

    assert automation.tick() == {name: [str(DAY)] for name in ORDER_STAGES}
    assert automation.tick() == {}


def test_events_that_have_settled_are_not_read_again(automation: Automation) -> None:
    automation.report(LANDING, day=DAY)
    automation.now = datetime.now(UTC) + timedelta(minutes=1)

    automation.tick()

    [last] = automation.instance.fetch_materializations(key(LANDING), limit=1).records
    assert Cursor.read(automation.cursor) == Cursor(last.storage_id)


def test_a_waiting_start_names_what_it_waits_for(delivered: Estate, instance: dg.DagsterInstance) -> None:
    begun = evaluated(delivered, instance, None)
    instance.report_runless_asset_event(dg.AssetMaterialization(key("shop/orders"), partition=str(DAY)))

    tick = evaluated(delivered, instance, begun.cursor)

    assert tick.skip_message == f"waiting: ds://report/totals {DAY}: ds://shop/customers is not certified for it"


def test_a_tick_without_a_start_has_a_reason(delivered: Estate, instance: dg.DagsterInstance) -> None:
    first = evaluated(delivered, instance, None)

    assert first.skip_message == "nothing new has been delivered or certified"


@pytest.mark.parametrize(
    "cursor", ["", "nonsense", "[]", '{"after": 3}', '{"after": 1, "seen": [], "waiting": [["x"]]}']
)
def test_a_cursor_of_another_sensor_counts_as_none(
    delivered: Estate, instance: dg.DagsterInstance, cursor: str
) -> None:
    instance.report_runless_asset_event(dg.AssetMaterialization(key(CUSTOMERS)))

    tick = evaluated(delivered, instance, cursor)

    found = Cursor.read(tick.cursor)
    assert found is not None
    assert found.seen


def test_what_the_policies_do_not_have_any_more_stops_waiting(automation: Automation) -> None:
    waiting = [["ds://shop/gone", "bronze", None, None, 1], [CUSTOMERS, "silver", None, None, 1]]
    automation.cursor = json.dumps({"after": 99, "seen": [], "waiting": waiting})

    assert automation.tick() == {}
    assert json.loads(automation.cursor or "")["waiting"] == []


def test_what_a_run_makes_itself_is_not_started_by_it(automation: Automation) -> None:
    automation.start("shop/orders", "report/totals__silver", day=DAY)

    automation.report("shop/orders", day=DAY)

    assert automation.tick() == {}


def test_what_a_run_without_a_selection_plans_is_not_started_by_it(automation: Automation) -> None:
    """As ``dg.materialize`` and a run of a whole job may leave it."""
    run = automation.start("shop/orders", "report/totals__silver", day=DAY, selected=False)

    automation.report("shop/orders", day=DAY)

    assert run.asset_selection is None
    assert automation.tick() == {}


def test_a_day_waits_while_a_run_makes_it_and_is_made_once_more(automation: Automation) -> None:
    automation.report(LANDING, day=DAY)
    run = automation.start(*ORDER_STAGES, day=DAY, status=dg.DagsterRunStatus.STARTED)
    before = automation.tick()
    automation.report(LANDING, day=DAY)
    while_it_runs, said = automation.tick(), automation.said
    automation.instance.report_run_failed(run)

    assert before == while_it_runs == {}
    assert said == f"waiting: {URN} {DAY}: run {run.run_id} makes it"
    assert automation.tick() == {name: [str(DAY)] for name in ORDER_STAGES}
    assert automation.tick() == {}


def test_a_run_that_people_started_after_the_delivery_makes_it(automation: Automation) -> None:
    automation.report(LANDING, day=DAY)
    automation.start(*ORDER_STAGES, day=DAY)

    assert automation.tick() == {}
    assert automation.said == "nothing new has been delivered or certified"


@pytest.mark.parametrize("outcome", [True, False])
def test_a_delivery_starts_once_its_reported_checks_have_passed(
    declared: Estate, instance: dg.DagsterInstance, outcome: bool
) -> None:
    folder = declared.root / "policies" / "legacy"
    folder.mkdir()
    mapping: dict[str, Any] = {
        "jobs": [{"job": "TILL", "outputs": [URN]}],
        "datasets": [{"dataset": URN, "checks": ["row_count"]}],
    }
    (folder / "night.yaml").write_text(yaml.safe_dump(mapping))
    instance.report_runless_asset_event(dg.AssetMaterialization(key(CUSTOMERS)))
    automation = Automation(declared, instance)
    automation.report(LANDING, day=DAY)
    unreported, said = automation.tick(), automation.said

    asset = ExternalAssets(load_policies(declared.settings.policies)).by_urn[URN]
    told = AssetReport(
        urn=URN,
        kind=ReportKind.CHECK,
        partition=str(DAY),
        check="row_count",
        passed=outcome,
        digest="a",
        reported_by="TILL",
        reported_at=datetime.now(UTC),
        number=1,
    )
    record_report(instance, asset, told)

    assert unreported == {}
    assert said == f"waiting: {URN} {DAY}: the checks of {LANDING} have not passed"
    assert automation.tick() == ({name: [str(DAY)] for name in ORDER_STAGES} if outcome else {})
