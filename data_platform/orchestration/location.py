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
from data_platform.orchestration.resource import PLATFORM, platform_resource
from data_platform.orchestration.schedule import schedules
from data_platform.policies import Policies, load_policies
from data_platform.settings import Settings


def build(settings: Settings, policies: Policies | None = None, session: Any = None) -> dg.Definitions:
    """``session`` is for tests: a Spark session that outlives runs.

    Rules are parsed here, a tenth of the load, and not when they are first asked: a location never shows a dataset
    that no run could judge. What a load costs is measured by ``bench/location_load.py``.

    Raises:
        PolicyError: With every problem of every policy file.
    """
    with _collector_paused():
        policies = policies or load_policies(settings.policies)
        legacy = LegacyAssets(policies, settings.policies, settings.service_url)
        found, made = assets(legacy), jobs(policies)
        automation = Automation(policies, legacy.external)
    return dg.Definitions(
        assets=found,
        asset_checks=legacy.checks(),
        resources={PLATFORM: platform_resource(settings, session), IO_MANAGER: delta_delivery},
        executor=dg.in_process_executor,  # a process a step would be a JVM a step
        jobs=made,
        schedules=schedules(policies, settings),
        sensors=[
            *(automation_sensor(automation, job) for job in made),
            dead_runs_sensor(settings),
            *([arrivals_sensor(settings, legacy.external)] if legacy.external.by_urn else []),
        ],
    )


@contextmanager
def _collector_paused() -> Iterator[None]:
    """A load only adds: the collector would look through all of it again and again, a fifth of the time, in vain."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
