"""What mapping files declare of jobs and datasets, put together: without JIL, so that a code location can ask it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from fnmatch import translate
from typing import TYPE_CHECKING

from data_platform.legacy.jil.condition import State
from data_platform.legacy.jil.grammar import parse_condition

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from data_platform.legacy.mapping import DatasetMapping, JobMapping, LegacyMapping
    from data_platform.model.legacy import LegacyProcess

_PATTERN = re.compile(r"[*?\[]")
_DESCRIBED = ("inputs", "team", "description", "box", "schedule", "condition", "freshness")


@dataclass
class DeclaredDataset:
    """``jobs`` make it, from ``inputs``; with none, it is only read, or a file of ``patterns`` that is watched for.

    ``said`` is what a file says of the dataset itself, if one does.
    """

    urn: str
    jobs: list[JobMapping] = field(default_factory=list)
    inputs: dict[str, None] = field(default_factory=dict)
    patterns: list[str] = field(default_factory=list)
    said: DatasetMapping | None = None


class Declarations:
    """``jobs`` in the order of the files."""

    def __init__(self, mappings: Mapping[str, LegacyMapping]) -> None:
        self.jobs = [job for mapping in mappings.values() for job in mapping.jobs]
        self._datasets = [dataset for mapping in mappings.values() for dataset in mapping.datasets]
        self._files = [file for mapping in mappings.values() for file in mapping.watch_files]
        self._exact: dict[str, list[JobMapping]] = {}
        for job in self.jobs:
            self._exact.setdefault(job.job, []).append(job)
        self._globs = [(re.compile(translate(job.job)), job) for job in self.jobs if _PATTERN.search(job.job)]

    def of(self, name: str) -> Iterator[JobMapping]:
        """What is said of the job of this name: by its name first, then by patterns."""
        yield from self._exact.get(name, ())
        yield from (job for pattern, job in self._globs if job.job != name and pattern.match(name))

    def described(self, process: LegacyProcess) -> LegacyProcess:
        """With team and deadline: of each, the first that is said counts."""
        said = list(self.of(process.name))
        freshness = next((job.freshness for job in said if job.freshness), None)
        team = next((job.team for job in said if job.team), "")
        if freshness is None:
            return replace(process, team=team) if team else process
        by, grace = freshness.expected_update_by, freshness.grace_period
        return replace(process, team=team, expected_update_by=by, grace_period=grace)

    def datasets(self) -> tuple[DeclaredDataset, ...]:
        """All that the files name, in order of their URNs."""
        found: dict[str, DeclaredDataset] = {}
        for dataset in self._datasets:
            found[dataset.dataset] = DeclaredDataset(dataset.dataset, said=dataset)
        for file in self._files:
            found.setdefault(file.dataset, DeclaredDataset(file.dataset)).patterns.append(file.pattern)
        for said in self.jobs:
            for job in self._whole(said):
                inputs = dict.fromkeys(self._inputs(job))
                for urn in (*job.inputs, *job.outputs):
                    found.setdefault(urn, DeclaredDataset(urn))
                for urn in job.outputs:
                    if job.job not in {known.job for known in found[urn].jobs}:
                        found[urn].jobs.append(job)
                    found[urn].inputs |= {read: None for read in inputs if read != urn}
        return tuple(found[urn] for urn in sorted(found))

    def _whole(self, job: JobMapping) -> list[JobMapping]:
        """With what other files say of the same job; a pattern is the jobs that it matches, where any is named."""
        if not _PATTERN.search(job.job):
            return [_filled(job, self._exact[job.job])]
        pattern = re.compile(translate(job.job))
        named = [name for name in self._exact if not _PATTERN.search(name) and pattern.match(name)]
        return [_filled(job.model_copy(update={"job": name}), self._exact[name]) for name in named] or [job]

    def _inputs(self, job: JobMapping) -> Iterable[str]:
        """What it reads; of a job that says nothing of it, what the jobs write that it waits for, however far back."""
        if job.inputs:
            return job.inputs
        found: dict[str, None] = {}
        seen = {job.job}
        waiting = [job]
        while waiting:
            for name in _waits_for(waiting.pop()):
                if name in seen:
                    continue
                seen.add(name)
                for before in self.of(name):
                    found |= dict.fromkeys(before.outputs or before.inputs)
                    if not before.outputs and not before.inputs:
                        waiting.append(before)
        return found


def _filled(job: JobMapping, others: Iterable[JobMapping]) -> JobMapping:
    """What ``job`` leaves open, as the first of ``others`` has it."""
    found = {name: getattr(job, name) for name in _DESCRIBED}
    for other in others:
        found = {name: value or getattr(other, name) for name, value in found.items()}
    return job.model_copy(update=found)


def _waits_for(job: JobMapping) -> Iterator[str]:
    """Jobs of its condition; not those that only must not run at the same time."""
    if job.condition is not None:
        atoms = parse_condition(job.condition).atoms
        yield from (atom.job for atom in atoms if atom.job is not None and atom.state is not State.NOTRUNNING)
