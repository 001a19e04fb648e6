"""Findings of lint as text, as workflow commands of GitHub, and as SARIF 2.1.0."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from data_platform.model.finding_level import Level
from data_platform.policies.lint import CODES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.policies.lint import LintFinding

_COMMANDS = {Level.NOTE: "notice", Level.WARNING: "warning", Level.ERROR: "error"}
SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def as_document(finding: LintFinding) -> dict[str, Any]:
    """The finding as a JSON object."""
    return {
        "code": finding.code,
        "title": CODES[finding.code].title,
        "level": finding.level.value,
        "file": finding.file,
        "line": finding.line or None,
        "message": finding.message,
        "fix": finding.fix,
    }


def as_github(finding: LintFinding) -> str:
    """A workflow command, which GitHub shows at the line in a pull request."""
    place = f"file={_property(finding.file)},line={finding.line or 1}"
    title = _property(f"{finding.code} {CODES[finding.code].title}")
    return f"::{_COMMANDS[finding.level]} {place},title={title}::{_data(f'{finding.message}; {finding.fix}')}"


def as_sarif(findings: Sequence[LintFinding], version: str) -> dict[str, Any]:
    """A SARIF 2.1.0 log with one run."""
    rules = [
        {
            "id": code.id,
            "shortDescription": {"text": code.title},
            "help": {"text": code.fix},
            "defaultConfiguration": {"level": code.level.value},
        }
        for code in CODES.values()
    ]
    driver = {"name": "data-platform lint", "version": version, "rules": rules}
    results = [_result(finding) for finding in findings]
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _result(finding: LintFinding) -> dict[str, Any]:
    place = {"artifactLocation": {"uri": finding.file.replace("\\", "/")}, "region": {"startLine": finding.line or 1}}
    return {
        "ruleId": finding.code,
        "ruleIndex": list(CODES).index(finding.code),
        "level": finding.level.value,
        "message": {"text": f"{finding.message}; {finding.fix}"},
        "locations": [{"physicalLocation": place}],
    }


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
