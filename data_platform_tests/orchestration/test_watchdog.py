"""The sensor ``watchdog`` opens incidents, and each stage of a run does so at once."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg

from data_platform.orchestration.watchdog import watchdog_sensor
from data_platform.policies import load_policies
from data_platform_tests.flows.estate import Estate
from data_platform_tests.orchestration.shop import OpenShop, columns, landed, run


def test_the_sensor_opens_an_incident_once_and_records_that_it_watches(
    tmp_path: Path, instance: dg.DagsterInstance
) -> None:
    estate = Estate(tmp_path, spark=None)  # type: ignore[arg-type]
    day = datetime.now(UTC).date() - timedelta(days=3)
    landed(
        estate,
        "orders",
        {"schema": columns(id="INT")},
        partition={"key": "day", "start": day, "end": day},
        slo={"freshness": {"expected_update_by": "02:00 UTC daily", "grace_period": "30m"}},
    )
    sensor = watchdog_sensor(estate.settings, load_policies(estate.settings.policies))

    first, second = (sensor(dg.build_sensor_context(instance=instance)) for _ in range(2))

    assert isinstance(first, dg.SkipReason)
    assert first.skip_message == f"incident 1 OPENED: ds://shop/orders {day} is late: its job was not started in time"
    assert isinstance(second, dg.SkipReason)
    assert second.skip_message == "no incident has changed"
    platform = estate.platform()
    assert [one.name for one in platform.catalog.incidents.watchers()] == ["dagster"]
    assert [(one.channel, one.status) for one in platform.catalog.alerts.newest(limit=10)] == [("log", "SENT")]
    platform.close()


def test_a_stage_that_is_held_opens_an_incident_at_once(open_shop: OpenShop, instance: dg.DagsterInstance) -> None:
    run(open_shop.estate, instance, "shop/refunds__bronze")

    platform = open_shop.estate.platform()
    [incident] = [one for one in platform.catalog.incidents.active() if one.dataset == "ds://shop/refunds"]
    platform.close()
    assert incident.title.startswith("ds://shop/refunds 2025-01-06 was held: NO_DELIVERY")
