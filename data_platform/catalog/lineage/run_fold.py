"""Folds a run from its events; the result does not depend on their order or on repetition.

The job of its earliest event owns a run (``owner``). A job that sends events under another job's run id is in
conflict, and its events do not change the run.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from data_platform.catalog.lineage.latest_value import LatestValues, merged, stamped
from data_platform.model.lineage import EventType, RunState

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from data_platform.model.lineage import LineageEvent

_WORSE = {RunState.COMPLETED: 0, RunState.ABORTED: 1, RunState.FAILED: 2}
"""Of two ends at one time the worse one counts: a tie does not undo a reported failure."""


DEPLOY_REF = "@deploy_ref"
"""The name under which a run's latest values have the reference of its code."""


@dataclass(frozen=True, kw_only=True)
class FoldedRun:
    """``latest`` has facets and, under names with @, values with a column: parent, nominal times, error, log."""

    run_uuid: str
    status: RunState
    first_event_at: datetime
    last_event_at: datetime
    start_ts: datetime | None = None
    end_ts: datetime | None = None
    attempt: int = 1
    historical: bool = False
    latest: LatestValues = field(default_factory=dict)


def owner_of(events: Iterable[LineageEvent]) -> LineageEvent:
    """The event that decides the owner: the earliest; at the same time, that of the alphabetically first job."""
    return min(events, key=lambda event: (event.time, event.job.full if event.job else ""))


def fold(recorded: FoldedRun | None, events: Iterable[LineageEvent]) -> FoldedRun:
    """Returns ``known`` with its owner's ``events`` added."""
    run = recorded
    for event in events:
        single = _from_event(event)
        run = single if run is None else _combined(run, single)
    assert run is not None, "a run is folded from one event at least"  # noqa: S101
    return run


def _from_event(event: LineageEvent) -> FoldedRun:
    state = event.type.state
    return FoldedRun(
        run_uuid=event.run_uuid or "",
        status=state,
        first_event_at=event.time,
        last_event_at=event.time,
        start_ts=event.time if event.type is EventType.START else None,
        end_ts=event.time if state.ended else None,
        attempt=event.attempt,
        historical=event.historical,
        latest=stamped(event.time, {**event.run_facets, **_columns(event)}),
    )


def _columns(event: LineageEvent) -> dict[str, Any]:
    columns: dict[str, Any] = {
        "@parent": event.parent_run_uuid,
        "@nominal_start": event.nominal_start and event.nominal_start.isoformat(),
        "@nominal_end": event.nominal_end and event.nominal_end.isoformat(),
        "@error": event.error_message,
        "@log": event.log_location,
        DEPLOY_REF: event.deploy_ref,
    }
    return columns


def _combined(one: FoldedRun, other: FoldedRun) -> FoldedRun:
    end = max((run for run in (one, other) if run.status.ended), key=_end_rank, default=None)
    running = RunState.RUNNING in (one.status, other.status)
    return replace(
        one,
        status=end.status if end else RunState.RUNNING if running else RunState.NEW,
        first_event_at=min(one.first_event_at, other.first_event_at),
        last_event_at=max(one.last_event_at, other.last_event_at),
        start_ts=min((run.start_ts for run in (one, other) if run.start_ts), default=None),
        end_ts=end.end_ts if end else None,
        attempt=max(one.attempt, other.attempt),
        historical=one.historical and other.historical,
        latest=merged(one.latest, other.latest),
    )


def _end_rank(run: FoldedRun) -> tuple[Any, int]:
    return run.end_ts, _WORSE[run.status]
