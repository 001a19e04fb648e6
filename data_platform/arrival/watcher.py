"""Records completion markers in the catalog: each complete delivery with new content arrives there once.

The state of a marker is stored in the same transaction as the arrival, so a watcher that dies, or is started twice,
loses and doubles nothing. A look has a time limit, and the next one continues from there: newest partitions of every
dataset first, then older ones a few at a time.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING

from data_platform.arrival.digest import Digests
from data_platform.arrival.listing import Listings
from data_platform.arrival.marker import find_markers, look
from data_platform.arrival.redelivery import is_certified, may_retry
from data_platform.errors import ConflictError
from data_platform.legacy.arrival import arrival_event
from data_platform.model.arrival import ArrivedAgain, MarkerState, version_tag
from data_platform.model.personal import redacted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from data_platform.arrival.marker import Marker, MarkerContent
    from data_platform.catalog import Catalog
    from data_platform.model.lineage import LineageEvent
    from data_platform.model.partition_key import PartitionKey
    from data_platform.policies.external import ExternalAsset

NEWEST, OLDER = 31, 50
"""Markers of a dataset that every look checks, and how many of the others it checks in turn."""

RUN_HOURS = 36
"""A run that wrote the dataset without a version made the delivery itself, if it is not older than this."""

_BATCH = 100


@dataclass(frozen=True, kw_only=True)
class Delivered:
    """``number`` counts the deliveries at this marker; each after the first replaces the one before."""

    urn: str
    marker: str
    partition: PartitionKey | None
    delivery_id: str
    number: int
    duplicate: bool = False


@dataclass
class Looked:
    """``waiting`` counts markers with an incomplete delivery; ``unfinished`` means that the time limit was reached."""

    markers: int = 0
    delivered: list[Delivered] = field(default_factory=list)
    waiting: int = 0
    unfinished: bool = False


@dataclass
class _Pending:
    states: list[MarkerState] = field(default_factory=list)
    events: list[LineageEvent] = field(default_factory=list)
    arrived: list[ArrivedAgain] = field(default_factory=list)


class Watcher:
    """The watcher of one process; ``look`` must not be called from two threads at once."""

    def __init__(
        self, landing: Path, assets: Iterable[ExternalAsset], catalog: Catalog, *, now: Callable[[], datetime]
    ) -> None:
        self._landing, self._catalog, self._now = landing, catalog, now
        self._assets = [asset for asset in assets if asset.arrival is not None]
        self._states: dict[str, dict[str, MarkerState]] = {}
        self._digests = Digests()
        self._first = 0
        self._turn: dict[str, int] = {}

    def look(self, seconds: float) -> Looked:
        """Raises: SourceUnavailableError, if the catalog does not answer; the next look repeats the work."""
        until = time.monotonic() + seconds
        self._digests.allow(seconds)
        looked, pending = Looked(), _Pending()
        for place in range(len(self._assets)):
            number = (self._first + place) % len(self._assets)
            if time.monotonic() >= until:
                looked.unfinished, self._first = True, number
                break
            self._look_at(self._assets[number], looked, pending)
            if len(pending.states) >= _BATCH:
                self._keep(pending)
        self._keep(pending)
        return looked

    def _look_at(self, asset: ExternalAsset, looked: Looked, pending: _Pending) -> None:
        assert asset.arrival is not None  # noqa: S101 - only those are watched
        states = self._stored(asset.urn)
        listings = Listings(self._landing)
        for marker in self._in_turn(asset, find_markers(self._landing, asset.arrival)):
            looked.markers += 1
            before = states.get(marker.shown)
            seen = before.stamp if before else None
            at_marker = look(self._landing, asset.arrival, marker, seen, self._digests, listings)
            if at_marker is not None:
                self._update(asset, marker, before, at_marker, looked, pending)
            elif before is not None and before.waits_for:
                looked.waiting += 1

    def _in_turn(self, asset: ExternalAsset, markers: Sequence[Marker]) -> Sequence[Marker]:
        """Oldest first, so that Dagster shows the newest partition last."""
        if asset.partitions is not None:
            markers = [m for m in markers if m.partition is not None and not asset.partitions.outside(m.partition)]
        older = markers[NEWEST:]
        turn = self._turn.get(asset.urn, 0) if len(older) > OLDER else 0
        self._turn[asset.urn] = turn + OLDER if turn + OLDER < len(older) else 0
        return [*markers[:NEWEST], *older[turn : turn + OLDER]][::-1]

    def _stored(self, urn: str) -> dict[str, MarkerState]:
        if urn not in self._states:
            self._states[urn] = {state.marker: state for state in self._catalog.arrivals.markers(urn)}
        return self._states[urn]

    def _update(
        self,
        asset: ExternalAsset,
        marker: Marker,
        before: MarkerState | None,
        at_marker: MarkerContent,
        looked: Looked,
        pending: _Pending,
    ) -> None:
        now = self._now()
        number = before.deliveries if before else 0
        state = MarkerState(
            urn=asset.urn,
            marker=marker.shown,
            partition=marker.partition,
            stamp=at_marker.stamp,
            waits_for=redacted(at_marker.waits_for),
            delivery_id=at_marker.delivery_id or (before.delivery_id if before else None),
            deliveries=number,
            changed_at=now,
            whole_at=before.whole_at if before else None,
        )
        if at_marker.delivery_id is None:
            looked.waiting += 1
        elif (
            before and before.delivery_id == at_marker.delivery_id and not may_retry(self._catalog, asset, before, now)
        ):
            looked.delivered.append(_delivered(state, duplicate=True))
        elif number == 0 and is_certified(self._catalog, asset, state):
            state = replace(state, deliveries=1, whole_at=now)
            looked.delivered.append(_delivered(state, duplicate=True))
        else:
            state = replace(state, deliveries=number + 1, whole_at=now)
            looked.delivered.append(_delivered(state))
            self._add_arrival(asset, state, at_marker, pending)
        pending.states.append(state)

    def _add_arrival(
        self, asset: ExternalAsset, state: MarkerState, at_marker: MarkerContent, pending: _Pending
    ) -> None:
        now = state.changed_at
        delivery = str(at_marker.delivery_id)
        metadata = {
            "marker": state.marker,
            "delivery_id": delivery,
            "delivery": state.deliveries,
            "files": at_marker.files,
            **({"supersedes_delivery": state.deliveries - 1} if state.deliveries > 1 else {}),
        }
        event = arrival_event(
            asset.arrives_as,
            delivery,
            state.partition,
            time=now,
            process=asset.process,
            run=self._run(asset, now),
            rows=at_marker.record_count,
            size=at_marker.bytes,
            path=str(self._landing / redacted(at_marker.marker.folder)),
            metadata=metadata,
        )
        pending.events.append(event)
        tag = version_tag(delivery, state.partition)
        pending.arrived.append(ArrivedAgain(urn=asset.arrives_as, tag=tag, occasion=state.deliveries))

    def _run(self, asset: ExternalAsset, now: datetime) -> str | None:
        if asset.process is None:
            return None
        since = now - timedelta(hours=RUN_HOURS)
        names = dict.fromkeys((asset.urn, asset.arrives_as))
        runs = (self._catalog.arrivals.untagged_run(name, asset.process, since=since) for name in names)
        return next((run for run in runs if run is not None), None)

    def _keep(self, pending: _Pending) -> None:
        """Stores the states. If another watcher was faster, the next look reads its states first, and does the rest."""
        states = pending.states
        if not states:
            return
        stamps = {(state.urn, state.marker): self._stamp(state) for state in states}
        try:
            self._catalog.arrivals.take_markers(states, pending.events, pending.arrived, known=stamps, now=self._now())
        except ConflictError:
            for state in states:
                self._states.pop(state.urn, None)
        else:
            for state in states:
                self._stored(state.urn)[state.marker] = state
        for listed in (states, pending.events, pending.arrived):
            listed.clear()

    def _stamp(self, state: MarkerState) -> str:
        before = self._stored(state.urn).get(state.marker)
        return before.stamp if before else ""


def _delivered(state: MarkerState, *, duplicate: bool = False) -> Delivered:
    return Delivered(
        urn=state.urn,
        marker=state.marker,
        partition=state.partition,
        delivery_id=str(state.delivery_id),
        number=state.deliveries,
        duplicate=duplicate,
    )
