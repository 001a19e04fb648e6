"""How healthy a dataset is: a score of parts that are shown, so that nobody has to believe the number alone."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from data_platform.model.dataset import DatasetId


class HealthPart(StrEnum):
    """What the score is made of. ``weight`` is its share beside the other parts that are known."""

    _value_: str
    weight: int

    def __new__(cls, name: str, weight: int) -> HealthPart:
        part = str.__new__(cls, name)
        part._value_, part.weight = name, weight
        return part

    CERTIFIED = "certified", 3
    ON_TIME = "on_time", 3
    CONTRACT = "contract", 2
    SCHEMA = "schema", 1
    PERSONAL_DATA = "personal_data", 1
    QUALITY = "quality", 1


@dataclass(frozen=True, kw_only=True)
class PartScore:
    """``score`` is 0 to 1. ``of`` is the number of partitions that it is computed from, ``good`` how many are good.

    ``hint`` is the command that shows more.
    """

    part: HealthPart
    score: float
    good: int
    of: int
    hint: str


@dataclass(frozen=True, kw_only=True)
class DatasetHealth:
    """``score`` is 0 to 100, the weighted mean of the parts; None if nothing is known of any."""

    dataset: str
    owner_team: str
    tier: str
    score: float | None
    parts: tuple[PartScore, ...]

    @property
    def zone(self) -> str:
        return DatasetId.parse(self.dataset).zone

    @property
    def worst(self) -> PartScore | None:
        """The part that costs most points; None if none does."""
        losing = [part for part in self.parts if part.score < 1]
        return max(losing, key=lambda one: (1 - one.score) * one.part.weight, default=None)


@dataclass(frozen=True, kw_only=True)
class GroupHealth:
    """The datasets of an owner or a zone. ``score`` is the mean of those that have one; ``worst`` is the lowest."""

    name: str
    datasets: int
    score: float | None
    worst: str | None
    worst_score: float | None


@dataclass(frozen=True, kw_only=True)
class GateScore:
    """Over the last runs of a dataset's partitions: how many the gate judged, how many it passed, and how well.

    ``compliance`` is the mean share of rows that kept every rule, None if no run has one. ``warned`` are days that
    passed with a warning.
    """

    days: int
    passed: int
    warned: int
    compliance: float | None
