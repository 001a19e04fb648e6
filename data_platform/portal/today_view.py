"""*Today*: what is late, what will be, what is held, what is due later, and what is there, in this order."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from data_platform.model.lateness import LateCause

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from data_platform.model.at_risk import AtRisk
    from data_platform.model.due_partition import DueOfDataset
    from data_platform.model.lateness import LatePartition
    from data_platform.model.partition_key import PartitionKey
    from data_platform.model.run import RunRow
    from data_platform.portal.overview import DatasetLine, Overview

MOST_ROWS = 50
"""A section shows so many rows; its count is of all."""


@dataclass(frozen=True, kw_only=True)
class BoardRow:
    """One dataset of a section. ``partition`` is the oldest of ``partitions`` that are in this state.

    ``due`` is the deadline, ``late_since`` the end of its grace, ``there_since`` when it was certified or arrived, and
    ``expected_at`` when it will be there by earlier runs. ``upstream`` leads to the first dataset that is missing.
    """

    dataset: str
    partition: PartitionKey | None
    partitions: int = 1
    owner_team: str
    tier: str
    time_zone: str
    due: datetime | None = None
    late_since: datetime | None = None
    there_since: datetime | None = None
    expected_at: datetime | None = None
    held_since: datetime | None = None
    cause: str = ""
    reason: str = ""
    upstream: tuple[str, ...] = ()
    incident: int | None = None


@dataclass(frozen=True, kw_only=True)
class Section:
    """``rows`` are at most ``MOST_ROWS``; ``total`` counts all."""

    rows: tuple[BoardRow, ...] = ()
    total: int = 0


@dataclass(frozen=True, kw_only=True)
class TodayView:
    """The board at ``at``. ``owners`` and ``tiers`` count all rows, for the filters."""

    at: datetime
    is_as_of: bool
    late: Section
    at_risk: Section
    held: Section
    due: Section
    certified: Section
    datasets: int
    owners: dict[str, int] = field(default_factory=dict)
    tiers: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class BoardFilter:
    owner: str | None = None
    tier: str | None = None

    def includes(self, row: BoardRow) -> bool:
        return self.owner in (None, row.owner_team) and self.tier in (None, row.tier)


@dataclass(frozen=True, kw_only=True)
class _Board:
    """The rows of all sections, before a filter."""

    late: list[BoardRow]
    at_risk: list[BoardRow]
    held: list[BoardRow]
    due: list[BoardRow]
    certified: list[BoardRow]
    owners: dict[str, int]
    tiers: dict[str, int]


def today_view(overview: Overview, asked: BoardFilter, *, is_as_of: bool = False) -> TodayView:
    board = _board(overview)
    return TodayView(
        at=overview.at,
        is_as_of=is_as_of,
        late=_section(board.late, asked),
        at_risk=_section(board.at_risk, asked),
        held=_section(board.held, asked),
        due=_section(board.due, asked),
        certified=_section(board.certified, asked),
        datasets=len(overview.lines),
        owners=board.owners,
        tiers=board.tiers,
    )


@lru_cache(maxsize=2)
def _board(overview: Overview) -> _Board:
    """Kept for the overview: at 10,000 datasets the rows take longer than a page may."""
    facts, lines = overview.facts, overview.by_urn
    late = _late(facts.late, lines)
    known = {(one.dataset, one.partition) for one in facts.late}
    at_risk = [_at_risk(one, lines) for one in facts.at_risk]
    known |= {(row.dataset, row.partition) for row in at_risk}
    held = [_held(run, lines) for run in facts.held if (run.dataset_urn, run.partition) not in known]
    known |= {(row.dataset, row.partition) for row in held}
    due = [
        _due(one, lines)
        for one in facts.due
        if one.there_since is None and one.late_since > facts.at and (one.dataset, one.partition) not in known
    ]
    certified = [_due(one, lines) for one in reversed(facts.due) if one.there_since is not None]
    everything = [*late, *at_risk, *held, *due, *certified]
    own = {(one.dataset, one.partition): one.number for one in facts.incidents}
    return _Board(
        late=_with_own_incidents(late, own),
        at_risk=_with_own_incidents(at_risk, own),
        held=_with_own_incidents(held, own),
        due=due,
        certified=certified,
        owners=dict(sorted(Counter(row.owner_team for row in everything).items())),
        tiers=dict(sorted(Counter(row.tier for row in everything).items())),
    )


def _with_own_incidents(rows: Iterable[BoardRow], own: Mapping[tuple[str, PartitionKey | None], int]) -> list[BoardRow]:
    """The incident of the day, or of what it waits for, where there is one, and not the newest of the dataset."""
    return [replace(row, incident=_own_incident(row, own) or row.incident) for row in rows]


def _own_incident(row: BoardRow, own: Mapping[tuple[str, PartitionKey | None], int]) -> int | None:
    """What waits for another dataset belongs to the incident of the first one that is missing."""
    first = row.upstream[-1] if row.upstream else row.dataset
    return own.get((row.dataset, row.partition)) or own.get((first, row.partition))


def _section(rows: Iterable[BoardRow], asked: BoardFilter) -> Section:
    found = [row for row in rows if asked.includes(row)]
    return Section(rows=tuple(found[:MOST_ROWS]), total=len(found))


def _late(late: Iterable[LatePartition], lines: Mapping[str, DatasetLine]) -> list[BoardRow]:
    """One row a dataset; those whose own cause is known before those that only wait for another."""
    by_dataset: dict[str, list[LatePartition]] = {}
    for one in late:
        by_dataset.setdefault(one.dataset, []).append(one)
    rows = [_late_row(parts, lines) for parts in by_dataset.values()]
    return sorted(rows, key=lambda row: (row.cause == LateCause.UPSTREAM_LATE, row.tier, row.late_since, row.dataset))


def _late_row(parts: list[LatePartition], lines: Mapping[str, DatasetLine]) -> BoardRow:
    first = min(parts, key=lambda one: one.late_since)
    line = lines.get(first.dataset)
    return BoardRow(
        dataset=first.dataset,
        partition=first.partition,
        partitions=len(parts),
        owner_team=first.owner_team,
        tier=first.tier,
        time_zone=line.time_zone if line else "UTC",
        due=first.due,
        late_since=first.late_since,
        cause=first.cause,
        reason=first.reason,
        upstream=first.upstream,
        incident=line.incident if line else None,
    )


def _at_risk(one: AtRisk, lines: Mapping[str, DatasetLine]) -> BoardRow:
    line = lines.get(one.dataset)
    return BoardRow(
        dataset=one.dataset,
        partition=one.partition,
        owner_team=one.owner_team,
        tier=one.tier,
        time_zone=line.time_zone if line else "UTC",
        due=one.due,
        late_since=one.late_since,
        expected_at=one.expected_at,
        upstream=one.upstream,
        incident=line.incident if line else None,
    )


def _held(run: RunRow, lines: Mapping[str, DatasetLine]) -> BoardRow:
    line = lines.get(run.dataset_urn)
    return BoardRow(
        dataset=run.dataset_urn,
        partition=run.partition,
        owner_team=line.owner_team if line else "",
        tier=line.tier if line else "",
        time_zone=line.time_zone if line else "UTC",
        held_since=run.finished_at,
        cause=run.stage,
        reason=run.reason,
        incident=line.incident if line else None,
    )


def _due(one: DueOfDataset, lines: Mapping[str, DatasetLine]) -> BoardRow:
    line = lines[one.dataset]
    return BoardRow(
        dataset=one.dataset,
        partition=one.partition,
        owner_team=line.owner_team,
        tier=line.tier,
        time_zone=line.time_zone,
        due=one.due,
        late_since=one.late_since,
        there_since=one.there_since,
    )
