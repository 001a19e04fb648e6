"""The list of processes: filters with counts, the most urgent state first. A pure function of what the catalog has."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.model.lineage import RunState

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime, timedelta

    from data_platform.model.process_page import LastRun, ListedProcess
    from data_platform.model.run_time import RunTime
    from data_platform.portal.next_run import NextRun

NEVER_RAN, RETIRED = "never ran", "retired"
_STATES = (
    RunState.FAILED.value,
    RunState.ABORTED.value,
    RunState.RUNNING.value,
    RunState.NEW.value,
    RunState.COMPLETED.value,
    NEVER_RAN,
    RETIRED,
)
"""In the order of the list."""
_PLACES = {state: place for place, state in enumerate(_STATES)}
NOBODY, NONE = "no team", "not reported"
PAGE_ROWS = 50
_MOST_CHOICES = 15


@dataclass(frozen=True, kw_only=True)
class ProcessFilter:
    words: str = ""
    technology: str | None = None
    team: str | None = None
    state: str | None = None
    internal: bool = False


@dataclass(frozen=True, kw_only=True)
class ProcessRow:
    """``seconds`` is how long the last run took, or has taken so far; ``long_seconds`` the 95th percentile of all."""

    key: str
    description: str
    technology: str | None
    team: str | None
    trigger_mode: str
    state: str
    run_uuid: str | None
    started: datetime | None
    seconds: float | None
    long_seconds: float | None
    next: NextRun

    @property
    def is_slow(self) -> bool:
        return self.seconds is not None and self.long_seconds is not None and self.seconds > self.long_seconds


@dataclass(frozen=True, kw_only=True)
class ProcessList:
    """``rows`` are those of one page. The counts are of all that the words and the other filters leave."""

    asked: ProcessFilter
    states: dict[str, int]
    technologies: dict[str, int]
    teams: dict[str, int]
    rows: tuple[ProcessRow, ...]
    total: int
    known: int
    page: int
    pages: int


@dataclass(frozen=True)
class ProcessChoice:
    """The processes that the filters leave, in the order of the list, and the counts of each filter."""

    chosen: tuple[ListedProcess, ...]
    states: dict[str, int]
    technologies: dict[str, int]
    teams: dict[str, int]


def state_of(process: ListedProcess) -> str:
    if process.is_retired:
        return RETIRED
    return process.status.value if process.status else NEVER_RAN


def choose(processes: Iterable[ListedProcess], asked: ProcessFilter) -> ProcessChoice:
    """Each count is of what the other filters leave, so that it says what a click would show."""
    wanted = (asked.state, asked.technology, asked.team)
    counts: tuple[Counter[str], ...] = tuple(Counter() for _ in wanted)
    chosen = []
    for process in processes:
        values = (state_of(process), process.technology or NONE, process.team or NOBODY)
        misses = [place for place, value in enumerate(wanted) if value and values[place] != value]
        if not misses:
            chosen.append((_PLACES[values[0]], process))
            for counter, value in zip(counts, values, strict=True):
                counter[value] += 1
        elif len(misses) == 1:
            counts[misses[0]][values[misses[0]]] += 1
    chosen.sort(key=lambda one: (one[0], one[1].key))
    states = {state: counts[0][state] for state in _STATES if counts[0][state]}
    most = [dict(counter.most_common(_MOST_CHOICES)) for counter in counts[1:]]
    return ProcessChoice(tuple(process for _, process in chosen), states, *most)


def process_row(
    process: ListedProcess, run: LastRun | None, time: RunTime | None, expected: NextRun, now: datetime
) -> ProcessRow:
    return ProcessRow(
        key=process.key,
        description=process.description,
        technology=process.technology,
        team=process.team,
        trigger_mode=process.trigger_mode,
        state=state_of(process),
        run_uuid=run.run_uuid if run else None,
        started=run.start if run else None,
        seconds=_seconds(run, now),
        long_seconds=time.long.total_seconds() if time else None,
        next=expected,
    )


def _seconds(run: LastRun | None, now: datetime) -> float | None:
    if run is None or run.start is None:
        return None
    end = now if run.status is RunState.RUNNING else run.end
    return length(end - run.start) if end else None


def length(time: timedelta) -> float:
    """In seconds; 0 if clocks differ so that a run ends before it begins."""
    return max(time.total_seconds(), 0.0)


def process_list(
    choice: ProcessChoice, rows: tuple[ProcessRow, ...], asked: ProcessFilter, *, known: int, page: int
) -> ProcessList:
    return ProcessList(
        asked=asked,
        states=choice.states,
        technologies=choice.technologies,
        teams=choice.teams,
        rows=rows,
        total=len(choice.chosen),
        known=known,
        page=page,
        pages=max(-(-len(choice.chosen) // PAGE_ROWS), 1),
    )
