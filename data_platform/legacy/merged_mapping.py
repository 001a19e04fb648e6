"""Merges what mapping files declare about jobs and datasets; needs no JIL, so that a code location can use it."""

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
    """``jobs`` write it from ``inputs``; without jobs it is only read, or a watched file that ``patterns`` match.

    ``mapping`` is the mapping of the dataset itself, if a file has one.
    """

    urn: str
    jobs: list[JobMapping] = field(default_factory=list)
    inputs: dict[str, None] = field(default_factory=dict)
    patterns: list[str] = field(default_factory=list)
    mapping: DatasetMapping | None = None


class Declarations:
    """The merged mapping files; ``jobs`` are in the order of the files."""

    def __init__(self, mappings: Mapping[str, LegacyMapping]) -> None:
        self.jobs = [job for mapping in mappings.values() for job in mapping.jobs]
        self._datasets = [dataset for mapping in mappings.values() for dataset in mapping.datasets]
        self._files = [file for mapping in mappings.values() for file in mapping.watch_files]
        self._exact: dict[str, list[JobMapping]] = {}
        for job in self.jobs:
            self._exact.setdefault(job.job, []).append(job)
        self._globs = [(re.compile(translate(job.job)), job) for job in self.jobs if _PATTERN.search(job.job)]

    def of(self, name: str) -> Iterator[JobMapping]:
        """Yields the mappings of the job with this name: those with its exact name first, then matching patterns."""
        yield from self._exact.get(name, ())
        yield from (job for pattern, job in self._globs if job.job != name and pattern.match(name))

    def described(self, process: LegacyProcess) -> LegacyProcess:
        """Returns the process with its team and deadline; for each, the first declaration counts."""
        mappings = list(self.of(process.name))
        freshness = next((job.freshness for job in mappings if job.freshness), None)
        team = next((job.team for job in mappings if job.team), "")
        if freshness is None:
            return replace(process, team=team) if team else process
        by, grace = freshness.expected_update_by, freshness.grace_period
        return replace(process, team=team, expected_update_by=by, grace_period=grace)

    def datasets(self) -> tuple[DeclaredDataset, ...]:
        """Returns all datasets that the files name, in order of their URNs."""
        datasets: dict[str, DeclaredDataset] = {}
        for dataset in self._datasets:
            datasets[dataset.dataset] = DeclaredDataset(dataset.dataset, mapping=dataset)
        for file in self._files:
            datasets.setdefault(file.dataset, DeclaredDataset(file.dataset)).patterns.append(file.pattern)
        for mapping in self.jobs:
            for job in self._complete(mapping):
                inputs = dict.fromkeys(self._inputs(job))
                for urn in (*job.inputs, *job.outputs):
                    datasets.setdefault(urn, DeclaredDataset(urn))
                for urn in job.outputs:
                    if job.job not in {other.job for other in datasets[urn].jobs}:
                        datasets[urn].jobs.append(job)
                    datasets[urn].inputs |= {read: None for read in inputs if read != urn}
        return tuple(datasets[urn] for urn in sorted(datasets))

    def _complete(self, job: JobMapping) -> list[JobMapping]:
        """Returns the job merged with its other mappings; a pattern becomes the named jobs that match it, if any."""
        if not _PATTERN.search(job.job):
            return [_filled(job, self._exact[job.job])]
        pattern = re.compile(translate(job.job))
        named = [name for name in self._exact if not _PATTERN.search(name) and pattern.match(name)]
        return [_filled(job.model_copy(update={"job": name}), self._exact[name]) for name in named] or [job]

    def _inputs(self, job: JobMapping) -> Iterable[str]:
        """Returns its inputs; if none are declared, the outputs of the jobs that it waits for, transitively."""
        if job.inputs:
            return job.inputs
        inputs: dict[str, None] = {}
        seen = {job.job}
        pending = [job]
        while pending:
            for name in _waits_for(pending.pop()):
                if name in seen:
                    continue
                seen.add(name)
                for upstream in self.of(name):
                    inputs |= dict.fromkeys(upstream.outputs or upstream.inputs)
                    if not upstream.outputs and not upstream.inputs:
                        pending.append(upstream)
        return inputs


def _filled(job: JobMapping, others: Iterable[JobMapping]) -> JobMapping:
    """Returns ``job`` with each missing field taken from the first of ``others`` that has it."""
    values = {name: getattr(job, name) for name in _DESCRIBED}
    for other in others:
        values = {name: value or getattr(other, name) for name, value in values.items()}
    return job.model_copy(update=values)


def _waits_for(job: JobMapping) -> Iterator[str]:
    """Yields the jobs of its condition, without those that only must not run at the same time."""
    if job.condition is not None:
        atoms = parse_condition(job.condition).atoms
        yield from (atom.job for atom in atoms if atom.job is not None and atom.state is not State.NOTRUNNING)
