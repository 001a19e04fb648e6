"""The last observed state of each completion marker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from sqlalchemy import select

from data_platform.catalog.arrival_table import COMPLETION_MARKER
from data_platform.catalog.upsert import replace
from data_platform.errors import ConflictError
from data_platform.model.arrival import MarkerState

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sqlalchemy.engine import Connection


Key: TypeAlias = tuple[str, str]
"""A dataset's URN and a marker."""


def find_markers(connection: Connection, urn: str | None = None) -> tuple[MarkerState, ...]:
    """States of one dataset, or of all if ``urn`` is None; ordered by dataset and marker."""
    query = select(COMPLETION_MARKER).order_by(COMPLETION_MARKER.c.dataset_urn, COMPLETION_MARKER.c.marker)
    if urn is not None:
        query = query.where(COMPLETION_MARKER.c.dataset_urn == urn)
    return tuple(_state(row) for row in connection.execute(query))


def save_markers(connection: Connection, states: Sequence[MarkerState], known: Mapping[Key, str]) -> None:
    """``known`` maps markers to the stamps that the caller last read.

    Raises:
        ConflictError: Another watcher has changed a state since then.
    """
    for urn in {state.urn for state in states}:
        for stored in find_markers(connection, urn):
            if stored.stamp != known.get((stored.urn, stored.marker), stored.stamp):
                raise ConflictError(f"{stored.marker} was read by another watcher meanwhile; run one watcher at a time")
    rows = [
        {
            "dataset_urn": state.urn,
            "marker": state.marker,
            "partition": state.partition,
            "stamp": state.stamp,
            "waits_for": state.waits_for,
            "delivery_id": state.delivery_id,
            "deliveries": state.deliveries,
            "changed_at": state.changed_at,
            "whole_at": state.whole_at,
        }
        for state in states
    ]
    replace(connection, COMPLETION_MARKER, rows, keys=("dataset_urn", "marker"))


def _state(row: Any) -> MarkerState:
    return MarkerState(
        urn=row.dataset_urn,
        marker=row.marker,
        partition=row.partition,
        stamp=row.stamp,
        waits_for=row.waits_for,
        delivery_id=row.delivery_id,
        deliveries=row.deliveries,
        changed_at=row.changed_at,
        whole_at=row.whole_at,
    )
