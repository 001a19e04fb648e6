"""The facts by dataset and partition, and a place: one slice, with what it shows of a fault."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import TYPE_CHECKING

from data_platform.signals.root_cause.attempt import attempts_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from data_platform.model.cause_fact import CauseFacts
    from data_platform.model.partition_key import PartitionKey
    from data_platform.signals.root_cause.attempt import Attempt
    from data_platform.signals.root_cause.symptom import Effect, Symptom

ADDED = "ADDED"
"""The signature of the effect that a column is new."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """One partition of a dataset. ``path`` leads to it from the dataset of the incident, both included.

    ``bad`` is the attempt that shows the fault or whose rows were read, ``good`` the last good one before it.
    ``effects`` are what the place itself shows. ``columns`` are those from which the failing columns derive; None if
    the fault is about the whole batch, or if nobody has reported which columns derive from which (``is_mapped``).
    """

    dataset: str
    partition: PartitionKey | None
    path: tuple[str, ...]
    bad: Attempt | None
    good: Attempt | None
    effects: frozenset[Effect]
    columns: frozenset[str] | None = None
    is_mapped: bool = True

    @property
    def depth(self) -> int:
        return len(self.path) - 1

    @property
    def relevant(self) -> frozenset[Effect]:
        """Effects on columns from which the failing ones derive, and those on the whole batch or run.

        A column that was added affects nothing but a fault that names it.
        """
        if self.columns is None:
            return frozenset(effect for effect in self.effects if effect.signature != ADDED)
        return frozenset(one for one in self.effects if not one.columns or self.columns & set(one.columns))

    @property
    def symptoms(self) -> frozenset[Symptom]:
        return frozenset(effect.symptom for effect in self.relevant)

    @property
    def name(self) -> str:
        return f"{self.dataset} {self.partition}" if self.partition else self.dataset


class Records:
    """Facts by dataset and partition. ``facts`` is indexed once, so that each question takes no scan."""

    def __init__(self, facts: CauseFacts) -> None:
        self.facts = facts
        self.attempts: Mapping[str, tuple[Attempt, ...]] = attempts_of(facts.stages, facts.jobs)
        self.markers = {(m.dataset, m.partition): m for m in sorted(set(facts.markers), key=repr)}

    def upstream_of(self, dataset: str) -> frozenset[str]:
        """Every dataset upstream, without itself."""
        found: set[str] = set()
        waiting = [dataset]
        while waiting:
            fresh = self.facts.inputs.get(waiting.pop(), frozenset()) - found
            found |= fresh
            waiting += fresh
        return frozenset(found - {dataset})

    def of_slice(self, dataset: str, partition: PartitionKey | None) -> tuple[Attempt, ...]:
        return tuple(one for one in self.attempts.get(dataset, ()) if one.partition == partition)

    def first_good(self, dataset: str, partition: PartitionKey | None) -> datetime | None:
        """When the slice was there for the first time."""
        ends = [one.ended_at for one in self.of_slice(dataset, partition) if one.is_good and one.ended_at]
        return min(ends, default=None)

    def good_before(self, attempt: Attempt) -> Attempt | None:
        """The last good attempt at any partition of the dataset before this one began."""
        return next(iter(self._good_before(attempt)[-1:]), None)

    def code_before(self, attempt: Attempt) -> str:
        """The code reference of the last good attempt before this one that has one."""
        return next((one.deploy_ref for one in reversed(self._good_before(attempt)) if one.deploy_ref), "")

    def usual_rows(self, attempt: Attempt) -> float | None:
        counts = [one.rows for one in self._good_before(attempt) if one.rows is not None]
        return median(counts) if counts else None

    def usual_seconds(self, attempt: Attempt) -> float | None:
        """The longest that a good attempt before took; None if there are fewer than three."""
        before = self._good_before(attempt)
        took = [one.seconds for one in before if one.process == attempt.process and one.seconds is not None]
        return max(took) if len(took) >= _LEAST else None

    def _good_before(self, attempt: Attempt) -> list[Attempt]:
        return [one for one in self.attempts.get(attempt.dataset, ()) if one.is_good and _precedes(one, attempt)]

    @cached_property
    def sources(self) -> Mapping[tuple[str, str], frozenset[str]]:
        """Maps a dataset and a source upstream to columns of the source; and each column, ``dataset column``, too."""
        found: dict[tuple[str, str], set[str]] = defaultdict(set)
        for one in self.facts.derivations:
            found[f"{one.dataset} {one.column.lower()}", one.source].add(one.source_column.lower())
            found[one.dataset, one.source].add(one.source_column.lower())
        return {key: frozenset(columns) for key, columns in found.items()}

    @cached_property
    def mapped(self) -> frozenset[str]:
        """Datasets of which column lineage is known."""
        return self.facts.mapped | {one.dataset for one in self.facts.derivations}


_LEAST = 3


def _precedes(good: Attempt, attempt: Attempt) -> bool:
    return (good.started_at, good.run_id) < (attempt.started_at, attempt.run_id) and good.run_id != attempt.run_id
