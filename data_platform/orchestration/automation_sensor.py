"""The sensor that starts runs by itself: it reads what Dagster has recorded since its last tick.

Dagster's declarative conditions are evaluated for every asset and day at every tick, and their runs belong to no job.
This costs by event, and its runs belong to the job of the location: the timeline shows them, and people can start them
again from where they failed.

The cursor keeps what waits. A run's key names the event that started it, so a tick that comes again after a crash asks
for each run once.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from datetime import UTC, date, datetime, timedelta

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from data_platform.model.dataset import Stage
from data_platform.model.schedule import last_whole_day
from data_platform.orchestration.automation import Automation, Start
from data_platform.orchestration.dagster_types import asset_key
from data_platform.orchestration.event_log import EventLog
from data_platform.orchestration.job import DATASET_TAG
from data_platform.orchestration.pending_start import Decision, PendingStart, Request, latest

NAME = "on_certification"
INTERVAL_SECONDS = 10
MOST = 1_000
"""Events of one tick."""
SETTLED = timedelta(seconds=30)
"""A database numbers an event before others can see it: within this time one may appear behind one that was seen."""
BEFORE_START = timedelta(minutes=5)
"""Deliveries of so long before the sensor was first started are taken: the sensor of arrivals may have ticked first."""

_PARTITION_TAG = "dagster/partition"
_SHOWN = 20


@dataclass
class Cursor:
    """All events up to ``after`` were seen, and of those above it the ones in ``seen``."""

    after: int
    seen: list[int] = field(default_factory=list)
    waiting: list[PendingStart] = field(default_factory=list)

    @staticmethod
    def read(text: str | None) -> "Cursor | None":
        """None before the first tick, and if this sensor did not write it."""
        try:
            said = json.loads(text or "")
            waiting = [PendingStart(urn, Stage(stage), *rest) for urn, stage, *rest in said["waiting"]]
            return Cursor(said["after"], said["seen"], waiting)
        except (KeyError, TypeError, ValueError):
            return None

    def write(self) -> str:
        waiting = [astuple(one) for one in self.waiting]
        return json.dumps({"after": self.after, "seen": self.seen, "waiting": waiting})


def automation_sensor(automation: Automation, job: UnresolvedAssetJobDefinition) -> dg.SensorDefinition:
    @dg.sensor(
        name=NAME,
        job=job,
        minimum_interval_seconds=INTERVAL_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Starts what is delivered, and what is derived when the views that it reads have advanced.",
    )
    def sensor(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        now, began = datetime.now(UTC), context.last_sensor_start_time
        since = datetime.fromtimestamp(began, UTC) if began else now
        return tick(automation, context.instance, context.cursor, now=now, began=since)

    return sensor


def tick(
    automation: Automation, instance: dg.DagsterInstance, cursor: str | None, *, now: datetime, began: datetime
) -> dg.SensorResult:
    """``began`` is when the sensor was started; only its first tick asks."""
    log, known = EventLog(instance), Cursor.read(cursor)
    before = known or Cursor(log.number_before(began - BEFORE_START))
    records = log.materializations(before.after, MOST)
    seen = set(before.seen)
    new = [record for record in records if record.storage_id not in seen]
    starts = _declared(automation, [*before.waiting, *_started_by(automation, log, new, now, first=known is None)])
    decision = Decision(automation, log, now, latest(starts))
    requests = [_run_request(automation, request) for request in decision.requests]
    said = None if requests else dg.SkipReason(_nothing(decision))
    return dg.SensorResult(requests, said, cursor=_next(before, records, decision.waiting, now).write())


def _next(before: Cursor, records: Sequence[dg.EventLogRecord], waiting: list[PendingStart], now: datetime) -> Cursor:
    until = (now - SETTLED).timestamp()
    after = max([before.after, *(record.storage_id for record in records if record.timestamp < until)])
    return Cursor(after, [record.storage_id for record in records if record.storage_id > after], waiting)


def _declared(automation: Automation, starts: Iterable[PendingStart]) -> list[PendingStart]:
    """Those of datasets and stages that the policies still have automated."""
    stages = {d.urn: d.stages for d in automation.policies.datasets if automation.is_automated(d)}
    return [start for start in starts if start.stage in stages.get(start.urn, ())]


def _started_by(
    automation: Automation, log: EventLog, records: Iterable[dg.EventLogRecord], now: datetime, *, first: bool
) -> Iterator[PendingStart]:
    for record in records:
        for start in automation.starts.get(record.asset_key, ()) if record.asset_key else ():
            if first and not _is_delivery(start):
                continue
            if not _is_made_with(log, record.run_id, start):
                day = record.partition_key
                for partition in _partitions(start, day, now):
                    yield PendingStart(start.dataset.urn, start.stage, partition, day, record.storage_id)


def _is_delivery(start: Start) -> bool:
    return start.dataset.process is None and start.stage is start.dataset.stages[0]


def _is_made_with(log: EventLog, run_id: str, start: Start) -> bool:
    """Whether the run of the event makes what it would start as well."""
    run = log.run(run_id)
    return run is not None and asset_key(start.stage, start.dataset) in (run.asset_selection or ())


def _partitions(start: Start, day: str | None, now: datetime) -> list[str | None]:
    """Days are matched by name. What has no days starts the latest day, and is started by any day."""
    days = start.dataset.policy.partition
    if days is None:
        return [None]
    if day is None:
        last = last_whole_day(days, now)
        return [last.isoformat()] if last else []
    try:
        return [] if days.outside(date.fromisoformat(day)) else [day]
    except ValueError:
        return []


def _run_request(automation: Automation, request: Request) -> dg.RunRequest:
    start, dataset = request.start, automation.policies.dataset(request.start.urn)
    tags = {DATASET_TAG: start.urn, **({_PARTITION_TAG: start.partition} if start.partition else {})}
    keys = [asset_key(stage, dataset) for stage in request.stages]
    return dg.RunRequest(f"{start} {request.stages[0]} {start.event}", asset_selection=keys, tags=tags)


def _nothing(decision: Decision) -> str:
    if not decision.reasons:
        return "nothing new has been delivered or certified"
    waiting = [f"{start}: {reason}" for start, reason in list(decision.reasons.items())[:_SHOWN]]
    more = len(decision.reasons) - len(waiting)
    return "waiting: " + "; ".join([*waiting, *([f"and {more} more"] if more else [])])
