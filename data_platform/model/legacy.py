"""The result of a scan of a legacy scheduler: processes, their conditions and datasets.

``legacy_coverage`` has what was not understood.
Plain frozen values, so that a catalog can store them and compare two scans. ``data_platform.legacy`` reads them from
JIL.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from data_platform.model.legacy_coverage import Coverage

TECHNOLOGY = "AUTOSYS"


def process_key(job: str, box: str | None = None, *, instance: str | None = None) -> str:
    """``AUTOSYS/BOX/JOB``; ``AUTOSYS/JOB`` for a job in no box; ``AUTOSYS/JOB^PRD`` for one of another instance.

    The box is the one that contains the job; the box's own box is in the box's own key. A job's name belongs to its
    instance alone, so no two jobs share a key. A slash in a name, which Autosys does not allow, is ``%2F``.
    """
    parts = (TECHNOLOGY, *(part.replace("%", "%25").replace("/", "%2F") for part in (box, job) if part))
    return "/".join(parts) + (f"^{instance}" if instance else "")


@dataclass(frozen=True, kw_only=True)
class LegacySchedule:
    """When the scheduler starts a job by the clock. It applies only if ``active`` (``date_conditions``).

    ``start_times`` are times of day as ``HH:MM``, ``start_minutes`` minutes of every hour; ``time_zone`` as written.
    """

    active: bool
    days: tuple[str, ...] = ()
    start_times: tuple[str, ...] = ()
    start_minutes: tuple[int, ...] = ()
    run_calendar: str | None = None
    exclude_calendar: str | None = None
    run_window: str | None = None
    must_start_times: tuple[str, ...] = ()
    must_complete_times: tuple[str, ...] = ()
    time_zone: str | None = None

    @property
    def starts(self) -> str:
        """When the clock starts it, as a short text; empty if it does not."""
        if not self.active:
            return ""
        minutes = ", ".join(f":{minute:02}" for minute in self.start_minutes)
        days = ", ".join(self.days) or (f"calendar {self.run_calendar}" if self.run_calendar else "")
        without = f"not {self.exclude_calendar}" if self.exclude_calendar else ""
        parts = (days, without, ", ".join(self.start_times), minutes, self.time_zone or "")
        return " ".join(part for part in parts if part)


@dataclass(frozen=True, kw_only=True)
class LegacyProcess:
    """One job. ``kind`` is CMD, BOX, FW, or ``other:`` and the job type as written.

    Conditions are normalized, so that two texts differ only if their meaning does; one that could not be read is None,
    and its text is in ``attributes`` with all else that has no field of its own. Secrets are removed from all texts.
    Global variables are those that its conditions compare, and those (``$$NAME``) that its texts contain. ``trees``
    hold the same conditions with their parentheses, by attribute: ``{"op": "and", "of": […]}`` down to the required
    states of jobs; operands of one operator are evaluated from left to right. ``overrides`` apply to one run only, and
    change nothing else. Team and deadline come from a mapping file; JIL has none.
    """

    key: str
    name: str
    kind: str
    box: str | None = None
    description: str = ""
    owner: str = ""
    machines: tuple[str, ...] = ()
    command: str = ""
    watch_file: str = ""
    schedule: LegacySchedule | None = None
    condition: str | None = None
    box_success: str | None = None
    box_failure: str | None = None
    condition_globals: tuple[str, ...] = ()
    text_globals: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    overrides: tuple[tuple[str, str], ...] = ()
    team: str = ""
    expected_update_by: str | None = None
    grace_period: str | None = None
    trees: dict[str, Any] = field(default_factory=dict, compare=False)
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)
    technology: str = TECHNOLOGY


class LookBack(StrEnum):
    """Look-backs that are no number of minutes."""

    SINCE_OWN_LAST_END = "since_own_last_end"
    UNLIMITED = "unlimited"


@dataclass(frozen=True, kw_only=True)
class ConditionEdge:
    """``downstream`` waits for a state of ``upstream``; one edge for each state that its conditions require of it.

    It is no edge of a run's graph. With ``latching`` the state counts whenever it was reached, even last week, unless a
    look-back limits it; without, it is the current state (``notrunning``: mutual exclusion, no order). ``dangling``: no
    file has the upstream job, so the condition is never true. ``external``: the job is in another instance.
    """

    upstream: str
    downstream: str
    upstream_job: str
    downstream_job: str
    state: str
    via: str
    latching: bool
    look_back_minutes: int | None = None
    look_back: LookBack | None = None
    comparison: str | None = None
    instance: str | None = None
    dangling: bool = False
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    @property
    def external(self) -> bool:
        return self.instance is not None


class Direction(StrEnum):
    INPUT = "INPUT"
    OUTPUT = "OUTPUT"


class Origin(StrEnum):
    """Why a job is linked to a dataset: its watch file, a watcher that it waits for, or the mapping file."""

    WATCH_FILE = "watch_file"
    AFTER_WATCHER = "after_watcher"
    MAPPING = "mapping"


@dataclass(frozen=True, kw_only=True)
class DatasetLink:
    process: str
    dataset: str
    direction: Direction
    origin: Origin


@dataclass(frozen=True, kw_only=True)
class LegacyDataset:
    """``mapped``: a mapping file names it; else its name was derived from the path, and a person should confirm it."""

    urn: str
    mapped: bool
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class LegacyObject:
    """A calendar, machine, global variable or instance. ``kind`` is the noun of its statement."""

    kind: str
    name: str
    attributes: tuple[tuple[str, str], ...] = ()
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, kw_only=True)
class LegacyScan:
    """The state that a set of files declares once each statement was applied in order.

    ``renamed`` maps a job's old name to its new one, ``deleted`` are jobs that statements removed: both are for the
    comparison with an earlier scan.
    """

    processes: tuple[LegacyProcess, ...] = ()
    edges: tuple[ConditionEdge, ...] = ()
    datasets: tuple[LegacyDataset, ...] = ()
    links: tuple[DatasetLink, ...] = ()
    objects: tuple[LegacyObject, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    deleted: tuple[str, ...] = ()
    blocking_cycles: tuple[tuple[str, ...], ...] = ()
    coverage: Coverage = field(default_factory=Coverage, compare=False)

    @property
    def boxes(self) -> dict[str, tuple[str, ...]]:
        """Each box's members, by job name, in the order of the files."""
        members_of: dict[str, list[str]] = {p.name: [] for p in self.processes if p.kind == "BOX"}
        for process in self.processes:
            if process.box is not None:
                members_of.setdefault(process.box, []).append(process.name)
        return {box: tuple(members) for box, members in members_of.items()}
