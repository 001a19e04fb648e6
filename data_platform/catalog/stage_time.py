"""Keeps how long the stages of datasets take, since sixty runs of each are read for it: until a newer run has ended."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from data_platform.model.dataset import Stage
    from data_platform.model.run_time import RunTime

    Times = dict[tuple[str, Stage], RunTime]

LEAST_SECONDS, MOST_SECONDS = 1800, 3600


@dataclass(frozen=True)
class NewRuns:
    """``newest`` is the highest number of a run, ``datasets`` are those with a higher one than before."""

    newest: int
    datasets: Collection[str] = ()


@dataclass
class StageTimes:
    """What was kept of a dataset is forgotten at its next run, and at an age of its own.

    The age is for a run that another process began to record earlier and ended later: it has a lower number.
    """

    clock: Callable[[], float] = time.monotonic
    _kept: dict[str, tuple[float, dict[Stage, RunTime]]] = field(default_factory=dict)
    _newest: int | None = None

    def find(
        self, urns: Iterable[str], read: Callable[[Iterable[str]], Times], since: Callable[[int | None], NewRuns]
    ) -> Times:
        """``read`` is asked for the datasets that are unknown or changed; ``since`` for what has run since a number."""
        new = since(self._newest)  # before reading: a run between the two is read twice, and never missed
        for urn in new.datasets:
            self._kept.pop(urn, None)
        self._newest = new.newest
        wanted, now = list(urns), self.clock()
        old = [urn for urn in wanted if urn not in self._kept or self._kept[urn][0] <= now]
        if old:
            found: dict[str, dict[Stage, RunTime]] = defaultdict(dict)
            for (urn, stage), times in read(old).items():
                found[urn][stage] = times
            for urn in old:
                self._kept[urn] = (now + _age(urn), found.get(urn, {}))
        return {(urn, stage): times for urn in wanted for stage, times in self._kept[urn][1].items()}


def _age(urn: str) -> float:
    return LEAST_SECONDS + crc32(urn.encode()) % (MOST_SECONDS - LEAST_SECONDS)
