"""Infers which datasets jobs read and write, from watched files and from mapping files.

A watch file without a mapping gets a name derived from its path, in the zone ``legacy``: ``/data/in/gl_$$DATE.dat`` is
``ds://legacy/data_in_gl``. The name depends on the path alone, so it does not change when other files come and go. A
job that starts when a watcher has succeeded is assumed to read the watched file, unless a mapping declares its inputs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from fnmatch import translate
from typing import TYPE_CHECKING, Generic, TypeVar

from data_platform.model.legacy import DatasetLink, Direction, LegacyDataset, LegacyProcess, Origin
from data_platform.model.legacy_coverage import Concern, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from data_platform.legacy.mapping import JobMapping, LegacyMapping, WatchFileMapping
    from data_platform.model.legacy import ConditionEdge

ZONE = "legacy"
_VARIABLE = re.compile(r"\$\$?\{?\w{1,64}\}?|%%\w{1,64}%%|%\w{1,64}%|\$\([^)]{0,256}\)", re.ASCII)
_EXTENSION = re.compile(r"\.\w{1,8}\Z", re.ASCII)
_DRIVE = re.compile(r"\A[A-Za-z]:")
_LONGEST = 100
_FOLLOWS = ("success", "done")

MappingT = TypeVar("MappingT")


@dataclass
class Datasets:
    datasets: dict[str, LegacyDataset] = field(default_factory=dict)
    links: dict[DatasetLink, None] = field(default_factory=dict)


def infer_datasets(
    processes: Sequence[LegacyProcess],
    edges: Iterable[ConditionEdge],
    mappings: Mapping[str, LegacyMapping],
    findings: list[Finding],
) -> Datasets:
    return _Inference(processes, mappings, findings).of(edges)


class _Inference:
    def __init__(
        self, processes: Sequence[LegacyProcess], mappings: Mapping[str, LegacyMapping], findings: list[Finding]
    ) -> None:
        self.processes = processes
        self.findings = findings
        self.files: list[_Pattern[WatchFileMapping]] = [
            _Pattern(file, m.pattern, m) for file, mapping in mappings.items() for m in mapping.watch_files
        ]
        self.jobs: list[_Pattern[JobMapping]] = [
            _Pattern(file, m.job, m) for file, mapping in mappings.items() for m in mapping.jobs
        ]
        self.exact: dict[str, list[_Pattern[JobMapping]]] = {}
        for pattern in self.jobs:
            if pattern.is_exact:
                self.exact.setdefault(pattern.text, []).append(pattern)
        self.result = Datasets()
        self.watched: dict[str, str] = {}  # maps a watcher's name to its dataset
        self.declared_inputs: set[str] = set()

    def of(self, edges: Iterable[ConditionEdge]) -> Datasets:
        for process in self.processes:
            self._map_job(process)
        for process in self.processes:
            if process.watch_file:
                self._watch(process)
        for edge in edges:
            dataset = self.watched.get(edge.upstream_job)
            follows = edge.via == "condition" and edge.state in _FOLLOWS and not edge.external
            if dataset and follows and edge.downstream_job not in self.declared_inputs:
                self._link(edge.downstream, dataset, Direction.INPUT, Origin.AFTER_WATCHER)
        self._report_unused(self.files)
        self._report_unused(self.jobs)
        return self.result

    def _report_unused(self, patterns: Sequence[_Pattern[MappingT]]) -> None:
        for pattern in patterns:
            if not pattern.used:
                text = "matches nothing in the scanned files; correct it, or remove it"
                self.findings.append(Finding(pattern.file, 0, Concern.DATASET, pattern.text, text))

    def _map_job(self, process: LegacyProcess) -> None:
        globs = (pattern for pattern in self.jobs if not pattern.is_exact and pattern.matches(process.name))
        for pattern in (*self.exact.get(process.name, ()), *globs):
            pattern.used = True
            mapping = pattern.mapping
            for direction, urns in ((Direction.INPUT, mapping.inputs), (Direction.OUTPUT, mapping.outputs)):
                for urn in urns:
                    self._dataset(urn, mapped=True)
                    self._link(process.key, urn, direction, Origin.MAPPING)
            if mapping.inputs:
                self.declared_inputs.add(process.name)

    def _watch(self, process: LegacyProcess) -> None:
        path = process.watch_file
        pattern = next((pattern for pattern in self.files if pattern.matches(path)), None)
        if pattern is not None:
            pattern.used = True
            urn = pattern.mapping.dataset
        elif (derived := urn_of(path)) is not None:
            urn = derived
        else:
            self._add(process, "no dataset's name can be made from this watch file; name it in a mapping file")
            return
        if not self._is_free(urn, path, mapped=pattern is not None):
            self._add(process, f"{urn} is the name of another watch file already; name this one in a mapping file")
            return
        self._dataset(urn, mapped=pattern is not None, path=path)
        self.watched[process.name] = urn
        self._link(process.key, urn, Direction.INPUT, Origin.WATCH_FILE)

    def _is_free(self, urn: str, path: str, *, mapped: bool) -> bool:
        """Returns whether ``path`` may use ``urn``: a mapping may share one, a derived name belongs to one path."""
        existing = self.result.datasets.get(urn)
        return mapped or existing is None or existing.mapped or existing.paths == (path,)

    def _dataset(self, urn: str, *, mapped: bool, path: str | None = None) -> None:
        existing = self.result.datasets.get(urn)
        paths = existing.paths if existing else ()
        if path is not None and path not in paths:
            paths = (*paths, path)
        mapped = mapped or bool(existing and existing.mapped)
        self.result.datasets[urn] = LegacyDataset(urn=urn, mapped=mapped, paths=paths)

    def _link(self, process: str, dataset: str, direction: Direction, origin: Origin) -> None:
        self.result.links[DatasetLink(process=process, dataset=dataset, direction=direction, origin=origin)] = None

    def _add(self, process: LegacyProcess, text: str) -> None:
        subject = f"{process.name}.watch_file"
        self.findings.append(Finding(process.file, process.line, Concern.DATASET, subject, text))


class _Pattern(Generic[MappingT]):
    """A pattern with its mapping; ``used`` records whether anything matched it."""

    def __init__(self, file: str, text: str, mapping: MappingT) -> None:
        self.file = file
        self.text = text
        self.mapping = mapping
        self.used = False
        self.is_exact = not any(sign in text for sign in "*?[")
        self._regex = re.compile(translate(text))

    def matches(self, word: str) -> bool:
        return word == self.text or self._regex.match(word) is not None


def urn_of(path: str) -> str | None:
    """Derives a URN from a path; None if nothing is left without variables, ``*`` and extension."""
    fixed = _EXTENSION.sub("", _VARIABLE.sub(" ", _DRIVE.sub("", path)).rstrip())
    name = "_".join(re.findall(r"[a-z0-9]+", fixed.lower()))[:_LONGEST].rstrip("_")
    if not name:
        return None
    return f"ds://{ZONE}/{name}" if name[0].isalpha() else f"ds://{ZONE}/file_{name}"
