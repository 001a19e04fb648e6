"""Finds Spark writes of Python scripts to places that no policy declares.

Only literal places are compared: ``df.write.save("/lake/orders")``, ``.saveAsTable("sales.orders")``. A place that the
script computes is not examined, and neither is a script that cannot be parsed.
"""

from __future__ import annotations

import ast
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from data_platform.model.dataset import Stage
from data_platform.policies.lint.finding import SCRIPT, LintFinding

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from data_platform.policies.catalog import Policies

_WRITERS = frozenset({"save", "saveAsTable", "insertInto", "parquet", "csv", "json", "orc", "text", "delta"})
_SKIPPED = frozenset({"node_modules", "site-packages", "__pycache__"})


def scan_scripts(folder: Path, policies: Policies) -> list[LintFinding]:
    """The findings of the scripts at or below ``folder``; hidden folders are not searched."""
    declared = _declared(policies)
    findings = []
    for path in sorted(_scripts(folder)):
        for line, place in _writes(path):
            if not _is_declared(_normal(place), declared):
                message = f"writes {place}, which no policy declares"
                findings.append(LintFinding(str(path), line, SCRIPT.id, SCRIPT.level, message))
    return findings


def _scripts(folder: Path) -> Iterator[Path]:
    if folder.is_file():
        yield folder
        return
    for path in folder.rglob("*.py"):
        parts = path.relative_to(folder).parts
        if not any(part.startswith(".") or part in _SKIPPED for part in parts):
            yield path


def _declared(policies: Policies) -> frozenset[str]:
    """Each place and name of a declared dataset, and each pattern of files, in the form that is compared."""
    names: set[str] = set()
    for dataset in policies.datasets:
        names |= {dataset.urn, dataset.table, dataset.id.identifier, f"{dataset.id.zone}.{dataset.id.name}"}
        names |= {dataset.policy.place(stage) for stage in Stage}
    for mapping in policies.mappings.values():
        names |= {file.pattern for file in mapping.watch_files}
    return frozenset(map(_normal, names))


def _is_declared(place: str, declared: frozenset[str]) -> bool:
    """A declared place may be a path below a lake whose folder is unknown here, or a pattern of files in the place."""
    return any(
        place == name or place.endswith(f"/{name}") or name.startswith(f"{place}/") or fnmatchcase(place, name)
        for name in declared
    )


def _normal(place: str) -> str:
    return place.strip().rstrip("/").lower()


def _writes(path: Path) -> Iterator[tuple[int, str]]:
    """The line and the literal place of each Spark write."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError, OSError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _WRITERS:
            named = (keyword.value for keyword in node.keywords if keyword.arg in ("path", "name", "tableName"))
            place = node.args[0] if node.args else next(named, None)
            if _is_of_writer(node.func.value) and isinstance(place, ast.Constant) and isinstance(place.value, str):
                yield node.lineno, place.value


def _is_of_writer(node: ast.expr) -> bool:
    """Whether the chain of calls contains ``.write``."""
    while isinstance(node, ast.Call | ast.Attribute):
        if isinstance(node, ast.Attribute):
            if node.attr in ("write", "writeStream"):
                return True
            node = node.value
        else:
            node = node.func
    return False
