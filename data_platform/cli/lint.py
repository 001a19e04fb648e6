"""``data-platform lint``: checks in CI what policies lack. It needs no Spark, no Java and no catalog."""

from __future__ import annotations

import os
from dataclasses import replace
from enum import StrEnum
from functools import cache
from importlib.metadata import version
from pathlib import Path  # noqa: TC003 - typer reads annotations at run time
from typing import TYPE_CHECKING, Annotated

import typer

from data_platform.cli import screen
from data_platform.cli.guard import DONE, ERROR, AsJson, Debug, guarded
from data_platform.errors import PolicyError, UsageError
from data_platform.model.finding_level import Level
from data_platform.model.number_text import number_of
from data_platform.settings import read_settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from data_platform.policies import Policies
    from data_platform.policies.lint import LintFinding

COLOURS = {Level.NOTE: "", Level.WARNING: "yellow", Level.ERROR: "red"}


class Format(StrEnum):
    TEXT = "text"
    GITHUB = "github"
    JSON = "json"
    SARIF = "sarif"


Codes = Annotated[list[str] | None, typer.Option(metavar="CODE", help="DP001, or DP0 for all; repeatable.")]


def lint(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[PATH]...", help="Policies, a repository, or Python scripts; by default the policies."),
    ] = None,
    *,
    format_: Annotated[Format, typer.Option("--format", help="github and sarif are for code review.")] = Format.TEXT,
    select: Codes = None,
    ignore: Codes = None,
    fail_on: Annotated[Level, typer.Option(help="The lowest level with exit code 1.")] = Level.ERROR,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Check policies for what they lack: contracts, owners, deadlines, rules that can fail.

    In a repository, Python scripts are scanned too, for Spark writes to places that no policy declares. Exit code 1 if
    it finds errors.
    """
    with guarded(as_json=as_json or format_ is Format.JSON, debug=debug):
        from data_platform.policies.lint import CODES

        chosen = (_codes(select) or set(CODES)) - _codes(ignore)
        findings = [one for one in _findings(paths or [read_settings().policies]) if one.code in chosen]
        _print(sorted(set(findings)), Format.JSON if as_json else format_)
        failed = any(finding.level.weight >= fail_on.weight for finding in findings)
        raise typer.Exit(ERROR if failed else DONE)


def _codes(prefixes: Sequence[str] | None) -> set[str]:
    """Raises: UsageError, if nothing begins with a prefix."""
    from data_platform.policies.lint import CODES

    wanted = [prefix.strip().upper() for text in prefixes or () for prefix in text.split(",")]
    for prefix in wanted:
        if not any(code.startswith(prefix) for code in CODES):
            raise UsageError(f"{prefix!r} is no code of lint; there are {', '.join(CODES)}")
    return {code for code in CODES if any(code.startswith(prefix) for prefix in wanted)}


def _findings(paths: Sequence[Path]) -> Iterator[LintFinding]:
    """Raises: UsageError, if a path does not exist."""
    from data_platform.policies.lint import check_policies, scan_scripts

    roots = {path: _policies_of(path) for path in paths}
    declared = cache(_declared)  # scripts of one commit are many, and their policies are the same
    for path, root in roots.items():
        if not path.exists():
            raise UsageError(f"{path} does not exist; name a folder of policies, a repository or a script")
        if root is not None:
            yield from (_placed(finding, root) for finding in check_policies(root))
        if root != path:
            policies = declared(root or next((r for r in roots.values() if r), None) or read_settings().policies)
            if policies is not None:
                yield from (replace(f, file=os.path.relpath(f.file)) for f in scan_scripts(path, policies))


def _policies_of(path: Path) -> Path | None:
    folders = [path / "policies", path]
    return next((folder for folder in folders if (folder / "datasets").is_dir()), None)


def _declared(root: Path) -> Policies | None:
    """Wrong policies are findings themselves; until they are corrected, it is unknown what they declare."""
    from data_platform.policies import load_policies

    try:
        return load_policies(root, check_rules=False)
    except PolicyError:
        return None


def _placed(finding: LintFinding, root: Path) -> LintFinding:
    """The finding with its file relative to the working directory, as annotations need it."""
    return replace(finding, file=os.path.relpath(root.absolute().parent / finding.file))


def _print(findings: Sequence[LintFinding], format_: Format) -> None:
    from data_platform.cli.lint_format import as_document, as_github, as_sarif

    out = screen.out()
    if format_ is Format.JSON:
        screen.print_json([as_document(finding) for finding in findings])
    elif format_ is Format.SARIF:
        screen.print_json(as_sarif(findings, version("data-platform")))
    elif format_ is Format.GITHUB:
        for finding in findings:
            typer.echo(as_github(finding))
    else:
        for finding in findings:
            out.print(finding.text, markup=False, soft_wrap=True, style=COLOURS[finding.level])
        counts = ", ".join(number_of([f.level for f in findings].count(level), level) for level in reversed(Level))
        out.print(counts, markup=False)
