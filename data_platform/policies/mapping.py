"""The mapping files of ``policies/legacy``: which watched files and jobs of the legacy scheduler are which datasets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data_platform.errors import PolicyError, UsageError
from data_platform.legacy.mapping import LegacyMapping
from data_platform.policies.document import read_document
from data_platform.policies.problem import Problem
from data_platform.policies.shape import validate

if TYPE_CHECKING:
    from pathlib import Path


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
