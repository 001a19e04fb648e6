"""A replay that is requested over HTTP is started once by the sensor, from the stage that a replay begins with."""

from dataclasses import replace
from pathlib import Path

from data_platform.installation import Platform
from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.registration import Actor
from data_platform.orchestration.dagster_types import asset_key
from data_platform.orchestration.replay_request import tick
from data_platform_tests.catalog.example import entry, report
from data_platform_tests.flows.estate import DAY, ORDERS, ORDERS_BUNDLE, Estate, declare_orders

ANN = Actor(name="ann", role="DATA_OWNER")


def held(estate: Estate) -> tuple[Platform, str]:
    """A platform on which silver of orders quarantined rows."""
    declare_orders(estate)
    platform = estate.platform()
    dataset = platform.policies.dataset("orders")
    aside = entry(stage=Stage.SILVER, dataset_urn=ORDERS, partition=DAY, created_at=estate.now)
    for stage, quarantined in ((Stage.BRONZE, None), (Stage.SILVER, aside)):
        judged = {"judged_under": dataset.judgement(stage)}
        told = replace(report(stage=stage, partition=DAY, metadata=judged), dataset=dataset.id)
        platform.catalog.runs.record(told, [], quarantine=quarantined)
    return platform, aside.name


def test_a_requested_replay_is_started_once(tmp_path: Path) -> None:
    platform, name = held(Estate(tmp_path, spark=None))
    platform.catalog.quarantine.request_replay(name, by=ANN, now=platform.now())

    first = tick(platform, None)
    second = tick(platform, first.cursor)

    [run] = first.run_requests or ()
    dataset = platform.policies.dataset("orders")
    assert run.asset_selection == [asset_key(stage, dataset) for stage in dataset.stages[1:]]
    assert (run.run_key, run.tags["dagster/partition"]) == (f"replay {name} 1", str(DAY))
    assert not second.run_requests
    assert second.cursor == first.cursor
    platform.close()


def test_an_entry_that_is_closed_meanwhile_starts_nothing_and_says_why(tmp_path: Path) -> None:
    platform, name = held(Estate(tmp_path, spark=None))
    platform.catalog.quarantine.request_replay(name, by=ANN, now=platform.now())
    for stage in (Stage.GOLD, Stage.CERTIFIED):
        before = {Stage.GOLD: "silver", Stage.CERTIFIED: "gold"}[stage]
        told = report("run_2", stage=stage, partition=PartitionKey(str(DAY)), input_versions={f"{ORDERS}@{before}": 1})
        dataset = platform.policies.dataset("orders")
        platform.catalog.runs.record(replace(told, dataset=dataset.id), [])
    platform.catalog.quarantine.supersede(ORDERS, Stage.SILVER, DAY, by_run="run_9", now=platform.now())

    result = tick(platform, None)

    assert not result.run_requests
    assert f"quarantine.{name} is SUPERSEDED by run_9" in str(result.skip_reason)
    platform.close()


def test_a_request_that_can_never_run_does_not_hold_up_those_after_it(tmp_path: Path) -> None:
    estate = Estate(tmp_path, spark=None)
    platform, name = held(estate)
    platform.catalog.quarantine.request_replay(name, by=ANN, now=platform.now())
    estate.declare(ORDERS, ORDERS_BUNDLE, source={"format": "csv", "path": "orders", "producer": "shop"})
    platform.close()
    platform = estate.platform()

    result = tick(platform, None)

    assert (result.run_requests, result.cursor) == ([], "1")
    assert f"has no partition {DAY} any more" in str(result.skip_reason)
    platform.close()
