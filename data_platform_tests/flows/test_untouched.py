"""From a marker in the landing zone to what is derived from its delivery, by a real daemon, untouched by hand."""

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
import yaml
from deltalake import DeltaTable

from data_platform.catalog import open_catalog
from data_platform.orchestration.location import build
from data_platform_tests.flows.estate import (
    DAY,
    ORDERS,
    ORDERS_PARTITION,
    ORDERS_SOURCE,
    Estate,
    declare_orders,
    orders,
)
from data_platform_tests.own_daemon import OwnDaemon, own_daemon

TOTALS = "ds://sales/totals"
SENSOR, ARRIVALS = "on_certification", "arrivals"
STAGES = ("__bronze", "__silver", "__gold", "")


@pytest.fixture
def estate(tmp_path: Path) -> Estate:
    """Orders that a legacy job delivers, and what is derived of them; the schedule's next time is years away."""
    found = Estate(tmp_path, spark=None)
    declare_orders(found, source={**ORDERS_SOURCE, "marker": "_SUCCESS"})
    columns = [{"field": "number", "type": "BIGINT"}, {"field": "total", "type": "DECIMAL(38,2)"}]
    found.declare(TOTALS, {"schema": {"constraints": columns}}, process="totals", partition=ORDERS_PARTITION)
    step = {"name": "summed", "sql": "SELECT count(id) AS number, sum(amount) AS total FROM orders"}
    when = {"trigger": "HYBRID", "schedule": "0 3 29 2 *"}
    found.process("totals", output=TOTALS, inputs=[{"dataset": ORDERS}], steps=[step], **when)
    folder = found.root / "policies" / "legacy"
    folder.mkdir()
    (folder / "night.yaml").write_text(yaml.safe_dump({"jobs": [{"job": "TILL", "outputs": [ORDERS]}]}))
    orders(found, "1,10.50,first", "2,7.25,second")
    return found


@pytest.fixture
def daemon(estate: Estate) -> Iterator[OwnDaemon]:
    with own_daemon(estate) as started:
        yield started


def made(instance: dg.DagsterInstance, *names: str) -> bool:
    """Each asset is materialized for the day."""
    return all(str(DAY) in instance.get_materialized_partitions(dg.AssetKey(name.split("/"))) for name in names)


def schedule_says(estate: Estate, instance: dg.DagsterInstance) -> str | None:
    """At three in the night after the day."""
    repository = build(estate.settings).get_repository_def()
    [schedule] = repository.schedule_defs
    context = dg.build_schedule_context(
        instance=instance, scheduled_execution_time=estate.now, repository_def=repository
    )
    return schedule.evaluate_tick(context).skip_message


def test_a_marked_delivery_is_certified_and_what_is_derived_too(estate: Estate, daemon: OwnDaemon) -> None:
    instance = daemon.instance
    daemon.wait_for_sensor(SENSOR)
    daemon.wait_for_sensor(ARRIVALS)
    before = schedule_says(estate, instance)
    assert not made(instance, "sales/orders__landing")

    estate.deliver(f"orders/{DAY}", {"_SUCCESS": ""})

    daemon.wait_for("delivery", lambda: made(instance, "sales/orders__landing"), seconds=60)
    daemon.wait_for("certified orders", lambda: made(instance, "sales/orders"))
    daemon.wait_for("certified totals", lambda: made(instance, "sales/totals"))
    daemon.wait_for("end of all runs", lambda: all(run.is_finished for run in instance.get_runs()))
    assert made(
        instance, *(f"sales/orders{stage}" for stage in STAGES), *(f"sales/totals{stage}" for stage in STAGES[1:])
    )
    runs = instance.get_runs()
    assert sorted(len(run.asset_selection or ()) for run in runs) == [3, 4]  # one a dataset, with all of its stages
    assert {(run.job_name, run.tags["dagster/sensor_name"], run.tags["dagster/partition"]) for run in runs} == {
        ("datasets", SENSOR, str(DAY))
    }
    assert {run.tags["data_platform/dataset"] for run in runs} == {ORDERS, TOTALS}
    assert before == f"{TOTALS} {DAY} waits for {ORDERS}, not certified for it so far: that will start it"
    assert str(schedule_says(estate, instance)).startswith(f"{TOTALS} {DAY} was made of its inputs as they are now, by")
    with open_catalog(estate.settings.catalog_url) as catalog:
        pointer = catalog.certifications.get(TOTALS)
    assert pointer is not None
    assert "PreviewWarning" not in daemon.log.read_text()
    [row] = DeltaTable(pointer.path, version=pointer.version).to_pyarrow_table().to_pylist()
    assert (row["number"], str(row["total"]), row["day"]) == (2, "17.75", DAY.value)
