"""Columns that contain personal values although no rule is for them: judged by a sample of the rows that were written.

Rules are applied to every row; this looks for what they do not cover. One small job reads the first rows of the batch,
which are searched in Python (``detector``). A finding is ``PII_UNDECLARED:EMAIL:note``, with the share of the sample
and the detector's version. By default it is a warning: the batch passes, and the finding is on record. The policy may
let it hold the batch, or allow a column to contain a kind.

A rule for names or addresses without ``fields`` promises that none is left, and remediates columns about them only. So
if a text of another column contains them, the finding holds the batch, unless ``allowed`` lists it.

Text is searched, and other columns if their name indicates a kind (``birth_date DATE``, ``phone BIGINT``).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data_platform.gates.detector.column import CLASSIFIED, findings
from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.pii_nested import all_texts, leaves
from data_platform.gates.expression.pii_search import SHAPES
from data_platform.model.detector import CLASSIFIER, PATTERNS
from data_platform.model.personal_name import names_kind
from data_platform.model.pii_policy import PiiKind
from data_platform.model.verdict import Outcome, RuleResult, Severity

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import DataType, StructType

    from data_platform.gates.detector.column import Finding
    from data_platform.gates.plan import Measured
    from data_platform.model.pii_policy import Pii, Undeclared
    from data_platform.model.verdict import Verdict

_RULE_OF = {shape.label: shape.rule for shape in SHAPES}
"""The rule's kind by the label in a signature: a rule for SSNs covers ITINs."""


def judge(verdict: Verdict, measured: Measured, policy: Pii, searched: Collection[str]) -> Verdict:
    """``verdict`` with a result for each undeclared kind; ``searched`` are the signatures that rules are for."""
    wanted = policy.undeclared
    if not wanted.sample or not measured.accepted or verdict.outcome is Outcome.ERRORED:
        return verdict
    texts = sampled(measured.written, wanted.sample)
    declared = {(_RULE_OF.get(label, label), path) for _, label, path in (sign.split(":", 2) for sign in searched)}
    found = [
        finding
        for path, values in texts.items()
        for finding in findings(path, values, wanted.share)
        if (finding.kind, path) not in declared and not _is_allowed(wanted, finding)
    ]
    return _with(verdict, found, len(texts), policy)


def sampled(rows: DataFrame, count: int) -> dict[str, list[str]]:
    """The texts of the first ``count`` rows by path: ``note``, ``contact.email``."""
    columns = _columns(rows.schema)
    if not columns:
        return {}
    texts: dict[str, list[str]] = {}
    for row in rows.select(*(column for _, column in columns)).limit(count).collect():
        for (path, _), found in zip(columns, row, strict=True):
            texts.setdefault(path, []).extend(text for text in found if text is not None)
    return {path: found for path, found in texts.items() if found}


def _columns(schema: StructType) -> list[tuple[str, Column]]:
    """Each path with its array of texts; other columns as text if their name indicates a kind."""
    from pyspark.sql import functions as F

    columns = [
        (leaf.path, all_texts(quoted(leaf.column), schema[leaf.column].dataType, leaf.steps)) for leaf in leaves(schema)
    ]
    others = [field.name for field in schema.fields if _indicates(field.name, field.dataType)]
    return columns + [(name, F.array(quoted(name).cast("string"))) for name in others]


def _indicates(name: str, kind: DataType) -> bool:
    """Whether a column of single values that are no text may hold a kind, by its name and type."""
    from pyspark.sql.types import ArrayType, BinaryType, MapType, StringType, StructType

    if isinstance(kind, StringType | StructType | ArrayType | MapType | BinaryType):
        return False
    dates = kind.simpleString() in ("date", "timestamp", "timestamp_ntz")
    kinds = (PiiKind.DATE_OF_BIRTH,) if dates else (PiiKind.PHONE, PiiKind.SSN)
    return any(names_kind(name, one) for one in kinds)


def _is_allowed(wanted: Undeclared, finding: Finding) -> bool:
    parts = finding.column.split(".")
    return any(wanted.is_allowed(".".join(parts[:depth]), finding.kind) for depth in range(1, len(parts) + 1))


def _with(verdict: Verdict, found: list[Finding], columns: int, policy: Pii) -> Verdict:
    results = tuple(_result(finding, policy) for finding in found)
    blocks = any(result.severity is Severity.BLOCK for result in results)
    clean = columns - len({finding.column for finding in found})
    metadata: dict[str, Any] = {
        **verdict.metadata,
        "undeclared": [_described(finding) for finding in found],
        "undeclared_detectors": [PATTERNS, CLASSIFIER],
        "columns_sampled": columns,
        "columns_compliance": clean / columns if columns else None,
    }
    return replace(
        verdict,
        outcome=Outcome.FAILED if blocks and verdict.outcome is Outcome.PASSED else verdict.outcome,
        results=(*verdict.results, *results),
        metadata=metadata,
    )


def _result(finding: Finding, policy: Pii) -> RuleResult:
    share = f"{finding.share:.1%} of {finding.sample} sampled values look like {finding.kind} ({finding.detector})"
    allow = "or list the kind in pii.undeclared.allowed"
    signature = f"PII_UNDECLARED:{finding.kind}:{finding.column}"
    if _is_promised(finding, policy):
        reason = f"{share}: name the column in the rule's fields, with in_text for texts around them, {allow}"
        return RuleResult.failed(signature, reason, severity=Severity.BLOCK)
    reason = f"{share}: add a rule to pii.detection, {allow}"
    return RuleResult.failed(signature, reason, severity=policy.undeclared.severity)


def _is_promised(finding: Finding, policy: Pii) -> bool:
    """Whether a rule without fields is for names or addresses, which only the classifier finds within a text."""
    return finding.kind in CLASSIFIED and any(
        rule.pattern == finding.kind and not rule.fields for rule in policy.detection
    )


def _described(finding: Finding) -> Mapping[str, Any]:
    return {
        "column": finding.column,
        "kind": finding.kind.value,
        "share": round(finding.share, 4),
        "sample": finding.sample,
        "detector": finding.detector,
    }
