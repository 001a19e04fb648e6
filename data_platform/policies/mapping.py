"""The mapping files of ``policies/legacy``: which watched files and jobs of the legacy scheduler are which datasets."""

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
    """File name to what the file says, in the order of names.

    Raises:
        UsageError: There is no such folder.
        PolicyError: With every problem of every file.
    """
    if not folder.is_dir():
        raise UsageError(f"{folder} is no folder; name the folder of the mapping files, such as policies/legacy")
    problems: list[Problem] = []
    found = read_mappings(folder.resolve(), folder.resolve().parent, problems)
    if problems:
        raise PolicyError([str(problem) for problem in sorted(problems)])
    return found


def read_mappings(folder: Path, root: Path, problems: list[Problem]) -> dict[str, LegacyMapping]:
    """Those of ``folder`` that are right; none if it is not there. Files are called by their path from ``root`` on."""
    found: dict[str, LegacyMapping] = {}
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
            found[name] = mapping
    return found


def mapping_problems(tree: Tree, mappings: dict[str, LegacyMapping]) -> Iterator[Problem]:
    """What mapping files say against the policies, or against each other."""
    told: dict[str, str] = {}
    for file, mapping in mappings.items():
        for job in mapping.jobs:
            yield from (
                Problem(file, 0, "jobs", text) for urn in job.outputs for text in _made_twice(tree, job.job, urn)
            )
        for dataset in mapping.datasets:
            yield from (
                Problem(file, 0, "datasets", text) for text in _said_twice(tree, dataset, told.get(dataset.dataset))
            )
            told.setdefault(dataset.dataset, file)


def _made_twice(tree: Tree, job: str, urn: str) -> Iterator[str]:
    entry = tree.datasets.get(urn)
    if entry is not None and entry.policy is not None and entry.policy.process:
        yield f"{job} writes {urn}, which process {entry.policy.process} makes; remove one of the two"


def _said_twice(tree: Tree, dataset: DatasetMapping, before: str | None) -> Iterator[str]:
    urn = dataset.dataset
    if before is not None:
        yield f"{urn} is described in {before} already; keep one of the two"
    entry = tree.datasets.get(urn)
    policy = entry.policy if entry is not None else None
    days = policy.partition if policy is not None else dataset.partition
    if dataset.watch and dataset.watch.names_day != (days is not None):
        yield f"{urn}: {{partition}} stands in watch, and the dataset has partitions, or neither is so"
    if policy is None:
        return
    if policy.process:
        yield f"{urn} is made by process {policy.process}; nothing of it is reported or watched for"
    if policy.source and dataset.watch:
        yield f"{urn} has a source; say in its dataset.yaml which marker to watch for (source.marker)"
    if dataset.partition:
        yield f"{urn} has a policy; its days are what its dataset.yaml says (partition)"
