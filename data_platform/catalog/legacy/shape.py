"""Computes the values of a job's process row and facets; this module reads and writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.errors import UsageError
from data_platform.model.legacy import LegacyProcess
from data_platform.model.lineage import NAME_BYTES
from data_platform.openlineage.text import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from data_platform.model.legacy import LegacyScan

EXTERNAL = "EXTERNAL"
"""The kind of a job of another instance, of which a scan has only the name."""

FACETS = ("autosys_job", "autosys_schedule", "autosys_deadline")


def jobs_of(scan: LegacyScan) -> dict[str, LegacyProcess]:
    """Jobs by key: those in the files, and jobs of other instances that they wait for."""
    jobs = {process.key: process for process in scan.processes}
    for edge in scan.edges:
        if edge.external and edge.upstream not in jobs:
            name = f"{edge.upstream_job}^{edge.instance}"
            description = f"A job of the scheduler's instance {edge.instance}."
            jobs[edge.upstream] = LegacyProcess(key=edge.upstream, name=name, kind=EXTERNAL, description=description)
    return jobs


def require_short(keys: Iterable[str]) -> None:
    """Raises: UsageError, if a key is too long for an index."""
    for key in keys:
        if (size := len(key.encode())) > NAME_BYTES:
            raise UsageError(
                f"the key {key[:60]}… is {size} bytes, and the catalog keeps at most {NAME_BYTES}: give the job "
                "a shorter name, or leave its file out; nothing was stored"
            )


def columns_of(process: LegacyProcess) -> dict[str, Any]:
    """Columns of the process row, without the trigger mode: the scheduler starts its jobs unless someone changes it."""
    team = process.team or process.owner
    return {
        "description": read_text(process.description),
        "technology": process.technology,
        "team": read_text(team)[:200] or None,
    }


def names_of(key: str) -> dict[str, str]:
    namespace, _, name = key.partition("/")
    return {"process_key": key, "namespace": namespace, "name": name}


def facets_of(process: LegacyProcess) -> dict[str, dict[str, Any]]:
    """Facets of a job, without its line in the file, which changes with every line above it."""
    facets = {"autosys_job": _job(process)}
    if process.schedule is not None:
        schedule = process.schedule
        facets["autosys_schedule"] = _non_empty(
            active=schedule.active,
            days=list(schedule.days),
            start_times=list(schedule.start_times),
            start_minutes=list(schedule.start_minutes),
            run_calendar=schedule.run_calendar,
            exclude_calendar=schedule.exclude_calendar,
            run_window=schedule.run_window,
            must_start_times=list(schedule.must_start_times),
            time_zone=schedule.time_zone,
        )
    if deadline := _deadline(process):
        facets["autosys_deadline"] = deadline
    return facets


def _job(process: LegacyProcess) -> dict[str, Any]:
    return _non_empty(
        kind=process.kind,
        job=process.name,
        box=process.box,
        owner=process.owner,
        machines=list(process.machines),
        command=process.command,
        watch_file=process.watch_file,
        condition=process.condition,
        box_success=process.box_success,
        box_failure=process.box_failure,
        trees=process.trees,
        condition_globals=list(process.condition_globals),
        text_globals=list(process.text_globals),
        attributes=[list(pair) for pair in process.attributes],
        overrides=[list(pair) for pair in process.overrides],
    )


def _deadline(process: LegacyProcess) -> dict[str, Any]:
    """The deadlines from the mapping and from JIL; ``max_run_minutes`` counts from the start."""
    minutes = dict(process.attributes).get("max_run_alarm", "").strip()
    schedule = process.schedule
    return _non_empty(
        expected_update_by=process.expected_update_by,
        grace_period=process.grace_period,
        must_complete_times=list(schedule.must_complete_times) if schedule else [],
        time_zone=schedule.time_zone if schedule and schedule.must_complete_times else None,
        max_run_minutes=int(minutes) if minutes.isascii() and minutes.isdecimal() else None,
    )


def _non_empty(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value not in (None, "", [], {})}
