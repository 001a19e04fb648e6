"""The sensor that looks at signals while Dagster's daemon runs; ``data-platform watch`` does it without Dagster."""

import dagster as dg

from data_platform.installation import Platform
from data_platform.model.watcher import Watcher
from data_platform.orchestration.upkeep_sensor import upkeep_sensor
from data_platform.policies import Policies
from data_platform.settings import Settings
from data_platform.signals.look import look
from data_platform.signals.notify import send_due

CHECK_SECONDS = 30
NAME = "dagster"


def watchdog_sensor(settings: Settings, policies: Policies) -> dg.SensorDefinition:
    """Opens and ends incidents regularly and sends their alerts, by the policies of the code location."""

    def work(platform: Platform, instance: dg.DagsterInstance) -> list[str]:  # noqa: ARG001 - as Dagster's other sensors
        now = platform.now()
        events = look(policies, platform.catalog, now)
        platform.catalog.incidents.save_watcher(Watcher(name=NAME, looked_at=now, every_seconds=CHECK_SECONDS))
        send_due(platform.catalog, settings, policies, now)
        return [f"incident {event.incident} {event.what}: {event.text}" for event in events]

    return upkeep_sensor(
        settings,
        work,
        name="watchdog",
        description="Notices what is late, held or failed, and opens one incident for each root cause.",
        interval_seconds=CHECK_SECONDS,
        nothing="no incident has changed",
        what="the signals",
    )
