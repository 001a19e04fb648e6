"""The sensor that starts the replays that people requested over HTTP, where there is no Spark.

Requests are rows of the catalog's append-only log of actions, and the cursor is the number of the last one. A run key
contains that number, so a tick that is repeated after a crash requests each run once.
"""

from collections.abc import Iterator

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from data_platform.errors import DataPlatformError, UsageError
from data_platform.installation import Platform
from data_platform.model.quarantine_decision import QuarantineAction
from data_platform.orchestration.dagster_types import asset_key
from data_platform.orchestration.job import requested_tags
from data_platform.settings import Settings
from data_platform.stage import replay

NAME = "quarantine_replays"
INTERVAL_SECONDS = 30
MOST = 50
"""Requests of one tick."""


def replay_sensor(settings: Settings, job: UnresolvedAssetJobDefinition) -> dg.SensorDefinition:
    @dg.sensor(
        name=NAME,
        job=job,
        minimum_interval_seconds=INTERVAL_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Replays quarantined rows for which somebody requested it over HTTP.",
    )
    def sensor(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        platform = Platform(settings)
        try:
            return tick(platform, context.cursor)
        except DataPlatformError as error:
            return dg.SkipReason(f"the requested replays could not be read: {error}")
        finally:
            platform.close()

    return sensor


def tick(platform: Platform, cursor: str | None) -> dg.SensorResult:
    """A run for each requested replay after ``cursor`` that has something to do."""
    after = int(cursor) if cursor else 0
    requests = platform.catalog.quarantine.requested_replays(after=after, limit=MOST)
    runs, reasons = list[dg.RunRequest](), list[str]()
    for request in requests:
        try:
            [planned] = replay.plan(platform, request.entry, None)
            _refuse_other_days(platform, planned)
            runs += _run_request(request, planned)
            reasons += [planned.reason] if planned.reason else []
        except UsageError as error:  # a request that can never run must not hold up those after it
            reasons.append(f"{request.entry}: {error}")
    skip = None if runs else dg.SkipReason("; ".join(reasons) or "no replay was requested")
    return dg.SensorResult(runs, skip, cursor=str(max([after, *(request.id for request in requests)])))


def _refuse_other_days(platform: Platform, planned: replay.Replay) -> None:
    """Raises: UsageError, if the dataset has other partitions by now than when the rows were quarantined."""
    text = None if planned.partition is None else str(planned.partition)
    if platform.partition(planned.dataset, text) != planned.partition:
        raise UsageError(f"{planned.dataset.urn} has no partition {text} any more")


def _run_request(request: QuarantineAction, planned: replay.Replay) -> Iterator[dg.RunRequest]:
    if planned.first is None:
        return
    keys = [asset_key(stage, planned.dataset) for stage in planned.stages]
    tags = requested_tags(planned.dataset.urn, planned.partition)
    yield dg.RunRequest(f"replay {request.entry} {request.id}", asset_selection=keys, tags=tags)
