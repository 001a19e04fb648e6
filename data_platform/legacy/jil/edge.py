"""The edges between jobs that their conditions make, and what is wrong with the graph of an estate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.legacy.jil.condition import Atom, State
from data_platform.legacy.jil.cycle import cycles
from data_platform.model.legacy import Concern, ConditionEdge, Finding, LegacyProcess, process_key

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from data_platform.legacy.jil.process import ReadJob
    from data_platform.legacy.jil.stanza import Attribute

_TOLD = 5
"""Jobs of a cycle that a finding names."""


def edges_of(
    jobs: Mapping[str, ReadJob], renamed: Mapping[str, str], findings: list[Finding]
) -> tuple[ConditionEdge, ...]:
    """Each edge once, in the order of jobs and of what their conditions name."""
    found: dict[ConditionEdge, None] = {}
    for job in jobs.values():
        for via, (condition, said) in job.conditions.items():
            for atom in condition.atoms:
                if atom.state is not State.VALUE:
                    found.setdefault(_edge(job.process, atom, via, said, jobs))
            _tell_dangling(job.process, condition.atoms, said, jobs, renamed, findings)
    return tuple(found)


def blocking_cycles(
    edges: Sequence[ConditionEdge], jobs: Mapping[str, ReadJob], findings: list[Finding]
) -> tuple[tuple[str, ...], ...]:
    """Jobs that wait for each other. ``notrunning`` is not waiting: two jobs that name each other so take turns."""
    waits = [(e.upstream_job, e.downstream_job) for e in edges if e.latching and not e.external and not e.dangling]
    found = cycles(waits)
    for names in found:
        process = jobs[names[0]].process
        told = f"{', '.join(names[:_TOLD])}{' …' if len(names) > _TOLD else ''}"
        text = f"{len(names)} jobs wait for each other: {told}" if len(names) > 1 else "waits for itself"
        findings.append(Finding(process.file, process.line, Concern.CYCLE, names[0], text))
    return found


def box_problems(jobs: Mapping[str, ReadJob]) -> Iterator[Finding]:
    """Boxes that no file has, that are no boxes, or that hold each other."""
    for job in jobs.values():
        process = job.process
        if process.box is None:
            continue
        box = jobs.get(process.box)
        if box is None:
            yield _of(process, Concern.REFERENCE, f"is in box {process.box}, which no file has")
        elif box.process.kind != "BOX":
            yield _of(process, Concern.REFERENCE, f"is in {process.box}, which is no box")
    held = [(p.box, p.name) for p in (job.process for job in jobs.values()) if p.box is not None]
    for names in cycles(held):
        if names[0] in jobs:
            yield _of(jobs[names[0]].process, Concern.CYCLE, f"boxes hold each other: {', '.join(names[:_TOLD])}")


def _edge(process: LegacyProcess, atom: Atom, via: str, said: Attribute, jobs: Mapping[str, ReadJob]) -> ConditionEdge:
    known = jobs.get(atom.name) if atom.instance is None else None
    return ConditionEdge(
        upstream=known.process.key if known else process_key(atom.name, instance=atom.instance),
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
        dangling=known is None and atom.instance is None,
        file=said.file,
        line=said.line,
    )


def _tell_dangling(
    process: LegacyProcess,
    atoms: Sequence[Atom],
    said: Attribute,
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
        findings.append(Finding(said.file, said.line, Concern.REFERENCE, f"{process.name}.{said.key}", text))


def _of(process: LegacyProcess, concern: Concern, text: str) -> Finding:
    return Finding(process.file, process.line, concern, process.name, text)
