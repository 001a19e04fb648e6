"""The mapping files of ``policies/legacy``: they map watched files and jobs of the legacy scheduler to datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import PolicyError, UsageError
from data_platform.legacy.mapping import LegacyMapping
from data_platform.policies.document import read_document
from data_platform.policies.problem import Problem
from data_platform.policies.shape import validate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from data_platform.legacy.mapping import DatasetMapping
    from data_platform.policies.relation import Tree


def load_mappings(folder: Path) -> dict[str, LegacyMapping]:
    """Maps each file name to the file's content, sorted by name.

    Raises:
        UsageError: There is no such folder.
        PolicyError: With every problem of every file.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; name the folder of the mapping files, such as policies/legacy")
    problems: list[Problem] = []
    mappings = read_mappings(folder.resolve(), folder.resolve().parent, problems)
    if problems:
        raise PolicyError([str(problem) for problem in sorted(problems)])
    return mappings


def read_mappings(folder: Path, root: Path, problems: list[Problem]) -> dict[str, LegacyMapping]:
    """The valid mappings of ``folder``; none if it does not exist. Names are paths relative to ``root``."""
    mappings: dict[str, LegacyMapping] = {}
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    for path in paths:
        name = path.relative_to(root).as_posix()
        if path.name.startswith(".") or path.suffix in (".md", ".jil"):
            continue
        if path.suffix != ".yaml":
            problems.append(Problem(name, 0, "", "not a mapping file; allowed: *.yaml, and *.jil beside them"))
            continue
        document = read_document(path, name, problems)
        mapping = document and validate(document, LegacyMapping, problems)
        if mapping:
            mappings[name] = mapping
    return mappings


def mapping_problems(tree: Tree, mappings: dict[str, LegacyMapping]) -> Iterator[Problem]:
    """Contradictions between mapping files and policies, and between mapping files."""
    described_in: dict[str, str] = {}
    for file, mapping in mappings.items():
        for job in mapping.jobs:
            yield from (
                Problem(file, 0, "jobs", text) for urn in job.outputs for text in _made_twice(tree, job.job, urn)
            )
        for dataset in mapping.datasets:
            yield from (
                Problem(file, 0, "datasets", text)
                for text in _conflicts(tree, dataset, described_in.get(dataset.dataset))
            )
            described_in.setdefault(dataset.dataset, file)


def _made_twice(tree: Tree, job: str, urn: str) -> Iterator[str]:
    entry = tree.datasets.get(urn)
    if entry is not None and entry.policy is not None and entry.policy.process:
        yield f"{job} writes {urn}, which process {entry.policy.process} makes; remove one of the two"


def _conflicts(tree: Tree, dataset: DatasetMapping, before: str | None) -> Iterator[str]:
    urn = dataset.dataset
    if before is not None:
        yield f"{urn} is already described in {before}; keep one of the two"
    entry = tree.datasets.get(urn)
    policy = entry.policy if entry is not None else None
    partitions = policy.partition if policy is not None else dataset.partition
    if dataset.watch and dataset.watch.names_partition != (partitions is not None):
        yield f"{urn}: {{partition}} in watch and partitions of the dataset need each other; add or remove one"
    if policy is None:
        return
    if policy.process:
        yield f"{urn} is made by process {policy.process}; it cannot be reported or watched"
    if policy.source and dataset.watch:
        yield f"{urn} has a source; declare the marker to watch in its dataset.yaml (source.marker)"
    if dataset.partition:
        yield f"{urn} has a policy; declare its days in its dataset.yaml (partition)"
