"""How long runs of a stage or of a job take, by the last of them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST_RUNS = 5
MOST_RUNS = 60
_LONG, _MIDDLE = 0.95, 0.5


@dataclass(frozen=True)
class RunTime:
    """``usual`` is the median of the last runs, ``long`` their 95th percentile."""

    usual: timedelta = timedelta(0)
    long: timedelta = timedelta(0)


def run_time_of(durations: Iterable[timedelta]) -> RunTime | None:
    """None if there are fewer than ``LEAST_RUNS``."""
    ordered = sorted(durations)
    if len(ordered) < LEAST_RUNS:
        return None
    usual, long = (ordered[int(share * (len(ordered) - 1))] for share in (_MIDDLE, _LONG))
    return RunTime(usual, long)
