"""The code location of given settings: assets, resources, executor, and what starts a run: sensors and schedules."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dagster as dg

from data_platform.orchestration.arrival import arrivals_sensor
from data_platform.orchestration.asset import IO_MANAGER, assets
from data_platform.orchestration.automation import Automation
from data_platform.orchestration.automation_sensor import automation_sensor
from data_platform.orchestration.io_manager import delta_delivery
from data_platform.orchestration.job import jobs
from data_platform.orchestration.legacy import LegacyAssets
from data_platform.orchestration.liveness import dead_runs_sensor
from data_platform.orchestration.publication import publications_sensor
from data_platform.orchestration.replay_request import replay_sensor
from data_platform.orchestration.resource import PLATFORM, platform_resource
from data_platform.orchestration.schedule import schedules
from data_platform.orchestration.spark import SPARK, spark_resource
from data_platform.orchestration.watchdog import watchdog_sensor
from data_platform.policies import Policies, load_policies
from data_platform.settings import Settings


def build(settings: Settings, policies: Policies | None = None, session: Any = None) -> dg.Definitions:
    """Returns the definitions of the code location. ``session`` is for tests: a Spark session that outlives runs.

    Rules are parsed here, a tenth of the load time, and not at their first use: a location never shows a dataset that
    no run could judge. ``bench/location_load.py`` measures what a load costs.

    Raises:
        PolicyError: With every problem of every policy file; a wrong baseline.json only holds its dataset.
    """
    with _collector_paused():
        policies = policies or load_policies(settings.policies, hold_baselines=True)
        legacy = LegacyAssets(policies, settings.policies, settings.service_url)
        definitions, made = assets(legacy), jobs(policies)
        automation = Automation(policies, legacy.external)
    return dg.Definitions(
        assets=definitions,
        asset_checks=legacy.checks(),
        resources={
            SPARK: spark_resource(settings, session),
            PLATFORM: platform_resource(settings),
            IO_MANAGER: delta_delivery,
        },
        executor=dg.in_process_executor,  # a process for each step would need a JVM for each step
        jobs=made,
        schedules=schedules(policies, settings),
        sensors=[
            *(automation_sensor(automation, job) for job in made),
            *(replay_sensor(settings, job) for job in made),
            dead_runs_sensor(settings),
            watchdog_sensor(settings, policies),
            *([publications_sensor(settings)] if policies.groups else []),
            *([arrivals_sensor(settings, legacy.external)] if legacy.external.by_urn else []),
        ],
    )


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pauses the garbage collector: a load only adds objects, and searching them in vain takes a fifth of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
