"""The opened platform of a run: one catalog for all its assets, closed at its end, and the run's Spark session."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import dagster as dg

from data_platform.errors import DataPlatformError
from data_platform.installation import Platform
from data_platform.orchestration.liveness import alive
from data_platform.orchestration.spark import SPARK
from data_platform.orchestration.unreached_check import forget_unreached_checks
from data_platform.settings import Settings
from data_platform.stage.event_emitter import end_runs

PLATFORM = "platform"
QUIET = frozenset({"lease"})
"""Steps that are not written to Dagster's log: they come before every stage."""


def platform_resource(settings: Settings) -> dg.ResourceDefinition:
    """Its Spark session is that of the resource ``pyspark``, opened when a stage first needs it."""

    def opened(context: dg.InitResourceContext) -> Iterator[Platform]:
        spark = getattr(context.resources, SPARK)
        platform = Platform(settings, session_source=lambda: spark.spark_session)
        try:
            with _of_run(platform, context):
                yield platform
        finally:
            try:
                end_runs(platform)
            except DataPlatformError as error:  # this does not change the run's own result
                if context.log is not None:
                    context.log.warning(f"the end of this run is not in the catalog: {error}")
            platform.close()

    return dg.ResourceDefinition(
        resource_fn=opened,
        required_resource_keys={SPARK},
        description="Settings, policies and catalog of this run",
    )


def lent_platform(platform: Platform) -> dg.ResourceDefinition:
    """A platform that is already open, and stays open after the run."""

    def lent(context: dg.InitResourceContext) -> Iterator[Platform]:
        with _of_run(platform, context):
            yield platform

    return dg.ResourceDefinition(resource_fn=lent, description="The platform of the process that started this run")


@contextmanager
def _of_run(platform: Platform, context: dg.InitResourceContext) -> Iterator[None]:
    """Keeps the run's lease, and writes its steps to Dagster's log, until it ends."""
    before, platform.on_step = platform.on_step, _logged(platform.on_step, context)
    platform.began = platform.now()
    try:
        if context.run is None or context.instance is None:
            yield
        else:
            with alive(platform, context.run.run_id, context.instance):
                try:
                    yield
                finally:
                    forget_unreached_checks(context.instance, context.run.run_id)
    finally:
        platform.on_step = before


def _logged(
    then: Callable[[str, dict[str, Any]], None], context: dg.InitResourceContext
) -> Callable[[str, dict[str, Any]], None]:
    log = context.log

    def log_step(step: str, details: dict[str, Any]) -> None:
        if log is not None and step not in QUIET:
            place = " ".join(str(details[k]) for k in ("stage", "dataset", "partition") if details.get(k))
            log.info(str(details.get("message") or f"{step}: {place}"))
        then(step, details)

    return log_step
