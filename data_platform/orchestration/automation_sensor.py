"""The sensor that requests runs: each tick reads the materializations that Dagster recorded since the last one.

Dagster's declarative conditions are evaluated for every asset and day in every tick, and their runs belong to no job.
This sensor's cost depends on the number of events. Its runs belong to the job of the location, so the timeline shows
them, and people can re-execute them from the failed stage.

The cursor keeps the runs that have to wait. A run key contains the event's number, so a tick that is repeated after a
crash requests each run once.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, field
from datetime import UTC, datetime, timedelta

import dagster as dg
from dagster._core.definitions.unresolved_asset_job_definition import UnresolvedAssetJobDefinition

from data_platform.model.dataset import Stage
from data_platform.model.partition_key import PartitionKey
from data_platform.model.scheduler_state import ON_CERTIFICATION
from data_platform.orchestration.automation import Automation, Start
from data_platform.orchestration.dagster_types import asset_key
from data_platform.orchestration.event_log import EventLog
from data_platform.orchestration.job import requested_tags
from data_platform.orchestration.pending_start import Decision, PendingStart, Request, latest

NAME = ON_CERTIFICATION
INTERVAL_SECONDS = 10
MOST = 250
"""Events of one tick."""
SETTLED = timedelta(seconds=30)
"""Databases number an event before it is visible, so within this time an event may appear with a lower number."""
BEFORE_START = timedelta(minutes=5)
"""The first tick reads deliveries of this period too: the sensor ``arrivals`` may have ticked before it."""

_SHOWN = 20


@dataclass
class Cursor:
    """Events with numbers up to ``after`` were read, and of those above it the ones in ``seen``."""

    after: int
    seen: list[int] = field(default_factory=list)
    waiting: list[PendingStart] = field(default_factory=list)

    @staticmethod
    def read(text: str | None) -> "Cursor | None":
        """None before the first tick, and if another sensor wrote the text."""
        try:
            state = json.loads(text or "")
            waiting = [_pending(*one) for one in state["waiting"]]
            return Cursor(state["after"], state["seen"], waiting)
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
        description="Runs what was delivered, and derived datasets when a certified view that they read has advanced.",
    )
    def sensor(context: dg.SensorEvaluationContext) -> dg.SensorResult:
        now, began = datetime.now(UTC), context.last_sensor_start_time
        since = datetime.fromtimestamp(began, UTC) if began else now
        return tick(automation, context.instance, context.cursor, now=now, began=since)

    return sensor


def tick(
    automation: Automation, instance: dg.DagsterInstance, cursor: str | None, *, now: datetime, began: datetime
) -> dg.SensorResult:
    """``began`` is when the sensor was started; only the first tick needs it."""
    log, stored = EventLog(instance), Cursor.read(cursor)
    before = stored or Cursor(log.number_before(began - BEFORE_START))
    records = log.materializations(before.after, MOST)
    seen = set(before.seen)
    new = [record for record in records if record.storage_id not in seen]
    starts = _declared(automation, [*before.waiting, *_started_by(automation, log, new, now, first=stored is None)])
    decision = Decision(automation, log, now, latest(starts))
    requests = [_run_request(automation, request) for request in decision.requests]
    skip = None if requests else dg.SkipReason(_skip_message(decision))
    return dg.SensorResult(requests, skip, cursor=_next(before, records, decision.waiting, now).write())


def _next(before: Cursor, records: Sequence[dg.EventLogRecord], waiting: list[PendingStart], now: datetime) -> Cursor:
    until = (now - SETTLED).timestamp()
    after = max([before.after, *(record.storage_id for record in records if record.timestamp < until)])
    return Cursor(after, [record.storage_id for record in records if record.storage_id > after], waiting)


def _declared(automation: Automation, starts: Iterable[PendingStart]) -> list[PendingStart]:
    """Removes the starts of datasets and stages that the policies no longer automate."""
    stages = {d.urn: d.stages for d in automation.policies.datasets if automation.is_automated(d)}
    return [start for start in starts if start.stage in stages.get(start.urn, ())]


def _started_by(
    automation: Automation, log: EventLog, records: Iterable[dg.EventLogRecord], now: datetime, *, first: bool
) -> Iterator[PendingStart]:
    for record in records:
        for start in automation.starts.get(record.asset_key, ()) if record.asset_key else ():
            if first and not _is_delivery(start):
                continue
            text = record.partition_key
            for partition in _partitions(start, text, now):
                if not _is_made_with(log, record.run_id, start, partition):
                    yield PendingStart(start.dataset.urn, start.stage, partition, _key(text), record.storage_id)


def _is_delivery(start: Start) -> bool:
    return start.dataset.process is None and start.stage is start.dataset.stages[0]


def _is_made_with(log: EventLog, run_id: str, start: Start, partition: PartitionKey | None) -> bool:
    """Whether the run that recorded the event materializes the triggered stage itself.

    A run of a whole job has no selection, so what it planned is looked at too.
    """
    run, key = log.run(run_id), asset_key(start.stage, start.dataset)
    if run is None:
        return False
    return key in (run.asset_selection or ()) or log.planned_by(key, partition) == run_id


def _partitions(start: Start, text: str | None, now: datetime) -> list[PartitionKey | None]:
    """Partitions match by name. An event without one triggers the latest; any triggers a dataset without partitions."""
    declared = start.dataset.policy.partition
    if declared is None:
        return [None]
    if text is None:
        last = declared.last_over(now)
        return [last] if last else []
    key = _key(text)
    return [] if key is None or declared.outside(key) else [key]


def _key(text: str | None) -> PartitionKey | None:
    """None also for a text that is no key: people may report anything to Dagster."""
    try:
        return PartitionKey(text) if text is not None else None
    except ValueError:
        return None


def _pending(urn: str, stage: str, partition: str | None, event_partition: str | None, event: int) -> PendingStart:
    return PendingStart(urn, Stage(stage), _key(partition), _key(event_partition), event)


def _run_request(automation: Automation, request: Request) -> dg.RunRequest:
    start, dataset = request.start, automation.policies.dataset(request.start.urn)
    tags = requested_tags(start.urn, start.partition)
    keys = [asset_key(stage, dataset) for stage in request.stages]
    return dg.RunRequest(f"{start} {request.stages[0]} {start.event}", asset_selection=keys, tags=tags)


def _skip_message(decision: Decision) -> str:
    if not decision.reasons:
        return "nothing new has been delivered or certified"
    waiting = [f"{start}: {reason}" for start, reason in list(decision.reasons.items())[:_SHOWN]]
    more = len(decision.reasons) - len(waiting)
    return "waiting: " + "; ".join([*waiting, *([f"and {more} more"] if more else [])])
