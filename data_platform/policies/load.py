"""Loads a folder of policies as one object, or reports all of its problems at once."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from data_platform.errors import PolicyError
from data_platform.policies.catalog import Dataset, PlatformPolicy, Policies
from data_platform.policies.document import read_document
from data_platform.policies.enforcement import enforcement_of
from data_platform.policies.entry import REQUIRED_BASELINE, read_dataset, read_process
from data_platform.policies.field import field_problems
from data_platform.policies.group import group_problems, read_groups
from data_platform.policies.layout import Layout, read_layout, unread_queries
from data_platform.policies.mapping import mapping_problems, read_mappings
from data_platform.policies.personal import personal_problems
from data_platform.policies.promise import promise_problems
from data_platform.policies.query import place_of_step, query_problems
from data_platform.policies.relation import Tree, relation_problems
from data_platform.policies.shape import validate
from data_platform.policies.table import table_problems

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from data_platform.legacy.mapping import LegacyMapping
    from data_platform.model.enforcement import Enforcement
    from data_platform.model.policy import DatasetPolicy
    from data_platform.model.policy_bundle import PolicyBundle
    from data_platform.model.process import Process
    from data_platform.policies.entry import DatasetEntry
    from data_platform.policies.group import GroupEntry
    from data_platform.policies.problem import Finding, Problem


def load_policies(root: Path, *, check_rules: bool = True, hold_baselines: bool = False) -> Policies:
    """Returns everything that is declared below ``root``.

    ``check_rules=False`` omits the checks that have to parse SQL (invariants and queries); for a process that only
    lists declarations, and starts after the files have been checked. With ``hold_baselines`` a wrong ``baseline.json``
    is no error here: its dataset has ``baseline_problem``, which holds its stages, and other datasets run.

    Raises:
        PolicyError: With every problem of every file, in order of file and line.
    """
    examined = examine(root, check_rules=check_rules)
    tree, platform = examined.tree, examined.platform
    baselines = {entry.baseline_file for entry in tree.datasets.values()} if hold_baselines else set[str]()
    if problems := [str(problem) for problem in examined.problems if problem.file not in baselines]:
        raise PolicyError(problems)
    held = {problem.file: _in_baseline(problem) for problem in reversed(examined.problems)}
    processes = {entry.name: entry.process for entry in tree.processes.values() if entry.process}
    datasets = (
        replace(_dataset(entry, processes, platform), baseline_problem=held.get(entry.baseline_file, ""))
        for _, entry in sorted(tree.datasets.items())
    )
    ordered = tuple(process for _, process in sorted(processes.items()))
    groups = tuple(group for entry in examined.groups if (group := entry.resolved))
    return Policies(tuple(datasets), ordered, platform, examined.mappings, groups)


def _in_baseline(problem: Problem) -> str:
    """The problem without its text, which may have values of the profile."""
    if problem.text == REQUIRED_BASELINE:
        return problem.text
    place = f"line {problem.line}" if problem.line else "the file"
    return f"{place}{f' ({problem.key})' if problem.key else ''} is wrong; `data-platform validate` shows why"


@dataclass(frozen=True)
class Examined:
    """Everything that was read of a folder, with its problems in order of file and line."""

    tree: Tree
    platform: PlatformPolicy
    mappings: dict[str, LegacyMapping]
    groups: tuple[GroupEntry, ...]
    problems: tuple[Problem, ...]


def examine(root: Path, *, check_rules: bool = True) -> Examined:
    """Reads everything below ``root``; an entry whose file is wrong has no policy. The flag is ``load_policies``'."""
    problems: list[Problem] = []
    layout = read_layout(root, problems)
    tree = _read_tree(layout, problems)
    platform = _read_platform(layout, problems)
    problems.extend(_tree_problems(layout, tree, check_rules=check_rules))
    mappings = read_mappings(layout.root / "legacy", layout.root.parent, problems)
    problems.extend(mapping_problems(tree, mappings))
    groups = tuple(read_groups(layout, tree, problems))
    problems.extend(group_problems(groups, tree))
    return Examined(tree, platform, mappings, groups, tuple(sorted(set(problems))))


def problems_at(root: Path, findings: Iterable[Finding]) -> list[Problem]:
    """Adds to each finding the file and line of its key, sorted by file and line; for policies that load."""
    layout = read_layout(root, [])
    tree = _read_tree(layout, [])
    return sorted({_at(tree, finding) for finding in findings})


def _at(tree: Tree, finding: Finding) -> Problem:
    if finding.step is not None:
        return place_of_step(tree.processes[finding.owner], finding.step).problem(finding.text, finding.line)
    return tree.datasets[finding.owner].bundle_document.problem(finding.location, finding.text)


def _read_tree(layout: Layout, problems: list[Problem]) -> Tree:
    tree = Tree({}, {})
    for folder in layout.datasets:
        dataset = read_dataset(layout, folder, problems)
        tree.datasets.setdefault(dataset.urn, dataset)
    for path in layout.processes:
        process = read_process(layout, path, problems)
        tree.processes.setdefault(process.name, process)
    return tree


def _read_platform(layout: Layout, problems: list[Problem]) -> PlatformPolicy:
    path = layout.root / "platform.yaml"
    document = read_document(path, layout.name(path), problems) if path.exists() else None
    return (document and validate(document, PlatformPolicy, problems)) or PlatformPolicy()


def _tree_problems(layout: Layout, tree: Tree, *, check_rules: bool) -> Iterator[Problem]:
    yield from relation_problems(tree)
    for dataset in tree.datasets.values():
        yield from field_problems(dataset, check_rules=check_rules)
        yield from promise_problems(dataset)
        yield from table_problems(dataset, check_rules=check_rules)
        yield from personal_problems(dataset)
    for process in tree.processes.values() if check_rules else ():
        yield from query_problems(process, tree)
    if all(process.process for process in tree.processes.values()):
        yield from unread_queries(layout, (file for p in tree.processes.values() for file in p.files.values()))


def _dataset(entry: DatasetEntry, processes: dict[str, Process], platform: PlatformPolicy) -> Dataset:
    if entry.policy is None or entry.bundle is None:
        raise AssertionError("an entry without a policy has a problem")  # and load_policies has raised it
    process = processes.get(entry.policy.process or "")
    enforcement = enforcement_of(entry.policy, platform.enforcement, platform.environment)
    fingerprint = fingerprint_of(entry.policy, entry.bundle, process, enforcement)
    return Dataset(entry.policy, entry.bundle, entry.baseline, process, fingerprint, enforcement)


def fingerprint_of(
    policy: DatasetPolicy, bundle: PolicyBundle, process: Process | None, enforcement: Enforcement
) -> str:
    """16 hexadecimal digits over the declarations, defaults included: another default is another policy."""
    declared = [part.model_dump(mode="json", by_alias=True) if part else None for part in (policy, bundle, process)]
    parts = [*declared, enforcement.blocks]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:16]
