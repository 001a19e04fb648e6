"""Checks a folder of policies: problems of its files, and findings about each dataset that is valid.

The level of a finding is capped by the dataset's enforcement, as the modes are a rollout: a note on VISIBILITY, a
warning on WARN and on SOFT_FAIL in production.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.model.enforcement import PRODUCTION, Mode
from data_platform.model.finding_level import Level
from data_platform.policies.enforcement import default_mode, enforcement_of
from data_platform.policies.lint.dataset_check import BUNDLE, dataset_findings
from data_platform.policies.lint.finding import (
    ENVIRONMENT,
    OWNER,
    PROBLEM,
    REFERENCE,
    ROUTE,
    URN,
    WEAK_MODE,
    LintFinding,
)
from data_platform.policies.load import examine

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from data_platform.model.enforcement import Enforcement
    from data_platform.policies.catalog import PlatformPolicy
    from data_platform.policies.entry import DatasetEntry
    from data_platform.policies.lint.finding import Code
    from data_platform.policies.problem import Problem

_KNOWN = frozenset({PRODUCTION, "staging"})


def check_policies(root: Path) -> list[LintFinding]:
    """The findings of all files below ``root``, in order of file and line. Needs no Spark and no catalog."""
    examined = examine(root)
    findings = {_of_problem(problem) for problem in examined.problems}
    for entry in examined.tree.datasets.values():
        findings |= set(_of_dataset(entry, examined.platform))
    return sorted(findings)


def _of_problem(problem: Problem) -> LintFinding:
    code = _code_of(problem)
    message = f"{problem.key}: {problem.text}" if problem.key else problem.text
    return LintFinding(problem.file, problem.line, code.id, code.level, message)


def _code_of(problem: Problem) -> Code:
    last = problem.key.rpartition(".")[2].partition("[")[0]
    if last == "urn":
        return URN
    if last == "owner_team":
        return OWNER
    is_unknown_member = last == "members" and problem.text.startswith("there is no dataset")
    return REFERENCE if last == "dataset" or is_unknown_member or "is not a dataset" in problem.text else PROBLEM


def _of_dataset(entry: DatasetEntry, platform: PlatformPolicy) -> Iterator[LintFinding]:
    if entry.policy is None or entry.bundle is None:
        return
    enforcement = enforcement_of(entry.policy, platform.enforcement, platform.environment)
    for code, file, location, message in dataset_findings(entry.policy, entry.bundle):
        has_bundle = file == BUNDLE and bool(entry.bundle_document.name)
        document = entry.bundle_document if has_bundle else entry.document
        level = min(code.level, _cap(enforcement), key=lambda one: one.weight)
        yield LintFinding(document.name, document.line(location), code.id, level, message)
    yield from _of_mode(entry, platform, enforcement)
    if platform.alerts.routes and not platform.alerts.has_route(entry.policy.owner_team):
        line = entry.document.line(("owner_team",))
        text = f"{entry.policy.owner_team} has no route, so its alerts are written to the log alone"
        yield LintFinding(entry.document.name, line, ROUTE.id, ROUTE.level, text)


def _cap(enforcement: Enforcement) -> Level:
    if enforcement.mode is Mode.VISIBILITY:
        return Level.NOTE
    return Level.ERROR if enforcement.blocks else Level.WARNING


def _of_mode(entry: DatasetEntry, platform: PlatformPolicy, enforcement: Enforcement) -> Iterator[LintFinding]:
    assert entry.policy is not None  # noqa: S101
    line = entry.document.line(("enforcement",))
    tier = default_mode(entry.policy.tier, platform.enforcement, platform.environment)
    if enforcement.mode.is_weaker_than(tier):
        text = f"{entry.urn} is on {enforcement.mode} in {platform.environment}, and {entry.policy.tier} on {tier}"
        yield LintFinding(entry.document.name, line, WEAK_MODE.id, WEAK_MODE.level, text)
    own = entry.policy.enforcement
    known = _KNOWN | {platform.environment, *(rule.environment for rule in platform.enforcement if rule.environment)}
    for environment in sorted(own.keys() - known) if isinstance(own, dict) else ():
        text = f"{entry.urn} has a mode for {environment}, which is none of {', '.join(sorted(known))}"
        yield LintFinding(entry.document.name, line, ENVIRONMENT.id, ENVIRONMENT.level, text)
