"""Days and gates as a table: which gate judged which day how, so that a held day is seen with what held it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.model.verdict import Gate, Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from data_platform.model.gate_day import GateDay
    from data_platform.model.partition_key import PartitionKey

_STAGES = tuple(Stage)
_GATES = tuple(Gate.__members__)
_SHORT = {"G1_RESOLUTION": "G1", "G2_IDENTITY": "G2", "G3_SCHEMA": "G3", "G4_CONTRACT": "G4", "G5_PII": "G5"}


@dataclass(frozen=True, kw_only=True)
class GateColumn:
    """``short`` heads the column; ``stage`` and ``gate`` are written out for those who cannot see it."""

    stage: Stage
    gate: str
    short: str


@dataclass(frozen=True, kw_only=True)
class GateCell:
    """``compliance`` is the share of rows that kept every rule, 0..1; ``reason`` is that of a gate that failed."""

    outcome: Outcome
    compliance: float | None
    reason: str
    run_id: str


@dataclass(frozen=True, kw_only=True)
class MatrixDay:
    """``cells`` are in the order of the columns; None: the gate did not judge the day. ``is_held``: not certified."""

    partition: PartitionKey
    judged_at: datetime
    is_held: bool
    cells: tuple[GateCell | None, ...]


@dataclass(frozen=True, kw_only=True)
class StageGroup:
    """A stage above the ``columns`` of its gates."""

    stage: Stage
    columns: int


@dataclass(frozen=True, kw_only=True)
class GateMatrix:
    """Newest day first. ``groups`` head the columns."""

    groups: tuple[StageGroup, ...] = ()
    columns: tuple[GateColumn, ...] = ()
    days: tuple[MatrixDay, ...] = ()


def gate_matrix(verdicts: Iterable[GateDay]) -> GateMatrix:
    by_day: dict[PartitionKey, dict[tuple[Stage, str], GateDay]] = {}
    for one in verdicts:
        by_day.setdefault(one.partition, {})[one.stage, one.gate] = one
    places = sorted({place for cells in by_day.values() for place in cells}, key=_order)
    columns = tuple(GateColumn(stage=stage, gate=gate, short=_SHORT.get(gate, gate)) for stage, gate in places)
    days = [_day(partition, by_day[partition], places) for partition in sorted(by_day, reverse=True)]
    groups = tuple(StageGroup(stage=stage, columns=n) for stage, n in Counter(stage for stage, _ in places).items())
    return GateMatrix(groups=groups, columns=columns, days=tuple(days))


def _order(place: tuple[Stage, str]) -> tuple[int, int, str]:
    stage, gate = place
    return _STAGES.index(stage), _GATES.index(gate) if gate in _GATES else len(_GATES), gate


def _day(
    partition: PartitionKey, found: Mapping[tuple[Stage, str], GateDay], places: Iterable[tuple[Stage, str]]
) -> MatrixDay:
    certified = found.get((Stage.CERTIFIED, Gate.CERTIFICATION.value))
    last = max(found.values(), key=lambda one: one.finished_at)
    # a day whose later stages were judged before is held if its newest judgement did not qualify
    is_held = certified is None or not certified.outcome.qualifies or not last.outcome.qualifies
    return MatrixDay(
        partition=partition,
        judged_at=last.finished_at,
        is_held=is_held,
        cells=tuple(_cell(found.get(place)) for place in places),
    )


def _cell(one: GateDay | None) -> GateCell | None:
    if one is None:
        return None
    return GateCell(outcome=one.outcome, compliance=one.compliance, reason=one.reason, run_id=one.run_id)
