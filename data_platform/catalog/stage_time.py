"""Keeps how long the stages of datasets take: sixty runs of each are read for it, and the newest one changes little."""

from __future__ import annotations

import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from data_platform.model.dataset import Stage
    from data_platform.model.run_time import RunTime

    Times = dict[tuple[str, Stage], RunTime]

LEAST_SECONDS, MOST_SECONDS = 1800, 3600


@dataclass
class StageTimes:
    """Each dataset has its own age at which it is read anew, so that they are not all read at once again."""

    clock: Callable[[], float] = time.monotonic
    _kept: dict[str, tuple[float, dict[Stage, RunTime]]] = field(default_factory=dict)

    def find(self, urns: Iterable[str], read: Callable[[Iterable[str]], Times]) -> Times:
        """``read`` is asked for the datasets that are unknown or too old."""
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
