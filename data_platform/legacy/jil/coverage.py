"""Counts how many statements and attributes were understood, as written, before any statement changes another."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from data_platform.legacy.jil.attribute import (
    JOB_ATTRIBUTES,
    JOB_STATEMENTS,
    OBJECT_ATTRIBUTES,
    OBJECT_STATEMENTS,
    READ,
)
from data_platform.model.legacy_coverage import Concern, Coverage, Finding

if TYPE_CHECKING:
    from collections.abc import Sequence

    from data_platform.legacy.jil.stanza import Stanzas, Statement

_OBJECT_KEYS = {noun: frozenset(words.split()) for noun, words in OBJECT_ATTRIBUTES.items()}
_NAMES_ONLY = {"delete_job": frozenset[str](), "delete_box": frozenset[str](), "rename_job": frozenset({"new_name"})}


def coverage_of(files: Sequence[str], stanzas: Sequence[Stanzas], findings: list[Finding]) -> Coverage:
    """Counts, and adds a finding for each unknown attribute. ``estate`` reports unknown statements."""
    statements = [statement for part in stanzas for statement in part.statements]
    counts = Counter(category for statement in statements for category in _categories(statement, findings))
    return Coverage(
        files=tuple(files),
        lines=sum(part.lines for part in stanzas),
        statements=tuple(sorted(Counter(statement.kind for statement in statements).items())),
        read=counts["read"],
        kept=counts["kept"],
        unknown=counts["unknown"],
        findings=tuple(sorted(set(findings))),
    )


def _categories(statement: Statement, findings: list[Finding]) -> list[str]:
    categories = []
    for attribute in statement.attributes:
        category = _category(statement.kind, attribute.key)
        if category == "unknown":
            text = f"is an unknown attribute of {statement.kind}"
            if statement.kind in ("insert_job", "update_job", "override_job"):
                text += "; it is stored unchanged with the job"
            subject = f"{statement.subject}.{attribute.key}"
            findings.append(Finding(attribute.file, attribute.line, Concern.ATTRIBUTE, subject, text))
        categories.append(category)
    return categories


def _category(kind: str, key: str) -> str:
    if kind in OBJECT_STATEMENTS:
        return "read" if key in _OBJECT_KEYS[OBJECT_STATEMENTS[kind]] else "unknown"
    if kind not in JOB_STATEMENTS:
        return "unknown"
    if kind in _NAMES_ONLY:
        return "read" if key in _NAMES_ONLY[kind] else "unknown"
    if key in READ and key != "new_name":
        return "read"
    return "kept" if key in JOB_ATTRIBUTES or (kind == "override_job" and key == "delete") else "unknown"
