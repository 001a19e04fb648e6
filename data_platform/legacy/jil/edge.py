"""Builds the edges between jobs from their conditions, and finds errors in the graph of an estate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.legacy.jil.condition import Atom, State
from data_platform.legacy.jil.cycle import cycles
from data_platform.model.legacy import ConditionEdge, LegacyProcess, process_key
from data_platform.model.legacy_coverage import Concern, Finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from data_platform.legacy.jil.process import ReadJob
    from data_platform.legacy.jil.stanza import Attribute

_MOST_NAMES = 5
"""Jobs of a cycle that a finding names."""


def edges_of(
    jobs: Mapping[str, ReadJob], renamed: Mapping[str, str], findings: list[Finding]
) -> tuple[ConditionEdge, ...]:
    """Returns each edge once, in the order of the jobs and of the names in their conditions."""
    edges: dict[ConditionEdge, None] = {}
    for job in jobs.values():
        for via, (condition, attribute) in job.conditions.items():
            for atom in condition.atoms:
                if atom.state is not State.VALUE:
                    edges.setdefault(_edge(job.process, atom, via, attribute, jobs))
            _report_dangling(job.process, condition.atoms, attribute, jobs, renamed, findings)
    return tuple(edges)


def blocking_cycles(
    edges: Sequence[ConditionEdge], jobs: Mapping[str, ReadJob], findings: list[Finding]
) -> tuple[tuple[str, ...], ...]:
    """Returns jobs that wait for each other. ``notrunning`` does not count: two jobs may use it to take turns."""
    waits = [(e.upstream_job, e.downstream_job) for e in edges if e.latching and not e.external and not e.dangling]
    blocking = cycles(waits)
    for names in blocking:
        process = jobs[names[0]].process
        listed = f"{', '.join(names[:_MOST_NAMES])}{' …' if len(names) > _MOST_NAMES else ''}"
        text = f"{len(names)} jobs wait for each other: {listed}" if len(names) > 1 else "waits for itself"
        findings.append(Finding(process.file, process.line, Concern.CYCLE, names[0], text))
    return blocking


def box_problems(jobs: Mapping[str, ReadJob]) -> Iterator[Finding]:
    """Yields a finding for each box that no file has, that is not a box, that contains itself through others, or that
    its own job waits for."""
    for job in jobs.values():
        process = job.process
        if process.box is None:
            continue
        box = jobs.get(process.box)
        if box is None:
            yield _finding(process, Concern.REFERENCE, f"is in box {process.box}, which no file has")
        elif box.process.kind != "BOX":
            yield _finding(process, Concern.REFERENCE, f"is in {process.box}, which is not a box")
        yield from _waits_for_own_box(job, jobs)
    contains = [(p.box, p.name) for p in (job.process for job in jobs.values()) if p.box is not None]
    for names in cycles(contains):
        if names[0] in jobs:
            text = f"boxes contain each other: {', '.join(names[:_MOST_NAMES])}"
            yield _finding(jobs[names[0]].process, Concern.CYCLE, text)


def _waits_for_own_box(job: ReadJob, jobs: Mapping[str, ReadJob]) -> Iterator[Finding]:
    """A box ends after its jobs, so a job in it that waits for its end never starts."""
    if "condition" not in job.conditions:
        return
    condition, attribute = job.conditions["condition"]
    waiting = [atom for atom in condition.atoms if atom.is_latching and atom.instance is None and atom.name in jobs]
    boxes: set[str] = set()
    box = job.process.box if waiting else None
    while box is not None and box in jobs and box not in boxes:
        boxes.add(box)
        box = jobs[box].process.box
    for atom in waiting:
        if atom.name in boxes:
            text = f"waits for the end of {atom.name}, the box that it is in, so it never starts"
            yield Finding(attribute.file, attribute.line, Concern.CYCLE, f"{job.process.name}.condition", text)


def _edge(
    process: LegacyProcess, atom: Atom, via: str, attribute: Attribute, jobs: Mapping[str, ReadJob]
) -> ConditionEdge:
    upstream = jobs.get(atom.name) if atom.instance is None else None
    return ConditionEdge(
        upstream=upstream.process.key if upstream else process_key(atom.name, instance=atom.instance),
        downstream=process.key,
        upstream_job=atom.name,
        downstream_job=process.name,
        state=atom.state.value,
        via=via,
        latching=atom.is_latching,
        look_back_minutes=atom.look_back_minutes,
        look_back=atom.look_back_word,
        comparison=f"{atom.comparison} {atom.value}" if atom.comparison else None,
        instance=atom.instance,
        dangling=upstream is None and atom.instance is None,
        file=attribute.file,
        line=attribute.line,
    )


def _report_dangling(
    process: LegacyProcess,
    atoms: Sequence[Atom],
    attribute: Attribute,
    jobs: Mapping[str, ReadJob],
    renamed: Mapping[str, str],
    findings: list[Finding],
) -> None:
    unknown = dict.fromkeys(
        atom.name for atom in atoms if atom.job is not None and atom.instance is None and atom.name not in jobs
    )
    for name in unknown:
        now = f" under that name: it was renamed to {renamed[name]}" if name in renamed else ""
        text = f"names job {name}, which no file has{now}; it is never true"
        subject = f"{process.name}.{attribute.key}"
        findings.append(Finding(attribute.file, attribute.line, Concern.REFERENCE, subject, text))


def _finding(process: LegacyProcess, concern: Concern, text: str) -> Finding:
    return Finding(process.file, process.line, concern, process.name, text)
