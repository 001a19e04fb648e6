"""Judges a pandas frame without Spark: the rules in pandera and Python, personal values by the patterns in Python."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from data_platform.frame.column import types_of
from data_platform.frame.pandas_frame import changes_of, judge, with_declared_names
from data_platform.frame.pandas_rule import pandas_rules
from data_platform.gates.contract import judge as judge_contract
from data_platform.gates.detector.pattern import DETECTORS, holds, spans
from data_platform.gates.expression.contract_plan import ContractPlan, invariant_signature
from data_platform.gates.pii import judge_leftover
from data_platform.job_guard.judgement import Judgement, of_columns, of_metrics, unjudged
from data_platform.model.pii_policy import PiiKind
from data_platform.model.quarantine import VIOLATIONS
from data_platform.model.schema import is_number
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping

    from data_platform.frame.pandas_frame import Judged
    from data_platform.frame.pandas_rule import PandasRules
    from data_platform.model.pii_policy import PiiRule
    from data_platform.policies import Dataset

_ONLY_SPARK = "only Spark can search it: guard a Spark frame"


def judge_frame(dataset: Dataset, frame: Any) -> Judgement:
    """Raises: UsageError, if two columns of the frame have one name."""
    named = with_declared_names(dataset, frame)
    columns = of_columns(changes_of(dataset, named))
    if not columns.passed:
        none = frame.iloc[:0].assign(**{VIOLATIONS: []})
        return Judgement(rows=len(frame), rejected_rows=0, verdicts=unjudged(columns), accepted=frame, rejected=none)
    rules = pandas_rules(dataset)
    judged = judge(dataset, rules, named)
    rejecting = {signature: rows for signature, rows in judged.rows.items() if _rejects(dataset, signature)}
    rejected = sorted(set().union(*rejecting.values()))
    is_rejected = set(rejected)
    kept = named.drop(index=rejected)
    contract = _contract(dataset, rules, judged, rejecting, named)
    verdicts = (columns, contract, _personal(dataset, kept), of_metrics(dataset, len(kept), _metrics(dataset, kept)))
    violations = [[signature for signature, rows in rejecting.items() if at in rows] for at in rejected]
    return Judgement(
        rows=len(frame),
        rejected_rows=len(rejected),
        verdicts=verdicts,
        accepted=frame.iloc[[at for at in range(len(frame)) if at not in is_rejected]],
        rejected=frame.iloc[rejected].assign(**{VIOLATIONS: violations}),
    )


def _rejects(dataset: Dataset, signature: str) -> bool:
    """Whether a broken rule rejects the row, as in silver; others hold the frame, as in gold, or only warn."""
    bundle = dataset.bundle
    kind, _, rest = signature.partition(":")
    if kind == "MISSING_FIELD":
        declared = bundle.schema_.declared.get(rest)
        return rest in bundle.contract_lite.required_fields or (declared is not None and not declared.nullable)
    if kind in ("TYPE_MISMATCH", "NOT_FINITE", "UNKNOWN_ENUM", "FORMAT"):
        return True
    lite = {invariant_signature(one): one.severity for one in bundle.contract_lite.invariants}
    return lite.get(signature) is Severity.QUARANTINE


def _contract(
    dataset: Dataset, rules: PandasRules, judged: Judged, rejecting: Mapping[str, set[int]], named: Any
) -> Verdict:
    """What holds the frame is judged on the rows that are kept."""
    bundle, rejected = dataset.bundle, set[int]().union(*rejecting.values())
    holding = {s: rows - rejected for s, rows in judged.rows.items() if s not in rejecting}
    kept = named.drop(index=sorted(rejected))
    for rule in rules.rules:
        if rule.keys:
            keys = rule.keys(kept)
            holding[rule.signature] = set(range(len(keys) - len(set(keys))))  # the surplus rows, as in the gate
    severities = {rule.signature: rule.severity for rule in rules.rules}
    warned = {s for s in holding if severities.get(s) is Severity.WARN}
    plan = ContractPlan(
        rejects=dict.fromkeys(rejecting, None),  # type: ignore[arg-type]  # only the signatures are read
        blocks=dict.fromkeys([s for s in holding if s not in warned], None),  # type: ignore[arg-type]
        warns=dict.fromkeys(warned, None),  # type: ignore[arg-type]
        errors={**rules.not_checked, **judged.errors},
    )
    broken = {signature: len(rows) for signature, rows in {**rejecting, **holding}.items()}
    wanted = bundle.contract_lite.min_compliance
    rows = len(named)
    return judge_contract(plan, read=rows, kept=rows - len(rejected), broken=broken, min_compliance=wanted)


def _personal(dataset: Dataset, kept: Any) -> Verdict:
    counts = {f"PII_LEAK:{rule.pattern}:{name}": 0 for rule, name in _searched(dataset)}
    wanted: dict[str, set[str]] = {}
    for rule, name in _searched(dataset):
        wanted.setdefault(name, set()).add(rule.pattern)
    for name, kinds in wanted.items():
        for value in kept.get(name, ()):
            if isinstance(value, str):
                for kind in _kinds_in(value, name, kinds):
                    counts[f"PII_LEAK:{kind}:{name}"] += 1
    verdict = judge_leftover(list(counts), counts, len(kept))
    unsearched = tuple(
        RuleResult.errored(signature, _ONLY_SPARK)
        for signature in dict.fromkeys(
            f"PII_LEAK:{rule.pattern}" for rule in dataset.bundle.pii.detection if not _is_searchable(dataset, rule)
        )
    )
    if not unsearched:
        return verdict
    return Verdict(gate=Gate.G5_PII, outcome=Outcome.ERRORED, results=(*verdict.results, *unsearched))


def _kinds_in(value: str, column: str, wanted: set[str]) -> set[str]:
    """What a kind that the policy does not name would claim counts for those that it names, as in Spark."""
    found = {kind.value for kind, _, _ in spans(value, column)} & wanted
    return found or {kind for kind in wanted if holds(PiiKind(kind), value)}


def _is_searchable(dataset: Dataset, rule: PiiRule) -> bool:
    """Whether Python finds all that the gate would: not names, a policy's own kinds, or texts in nested columns."""
    if rule.in_text or rule.pattern not in DETECTORS:
        return False
    return all(kind == "string" or "string" not in kind for _, kind in _columns_of(dataset, rule))


def _searched(dataset: Dataset) -> Iterator[tuple[PiiRule, str]]:
    for rule in dataset.bundle.pii.detection:
        if rule.pattern in DETECTORS and not rule.in_text:
            yield from ((rule, name) for name, kind in _columns_of(dataset, rule) if kind == "string")


def _columns_of(dataset: Dataset, rule: PiiRule) -> list[tuple[str, str]]:
    named = {name.partition(".")[0].lower() for name in rule.fields}
    return [(name, kind) for name, kind in types_of(dataset).items() if not named or name.lower() in named]


def _metrics(dataset: Dataset, kept: Any) -> dict[Hashable, Any]:
    """The metrics of DQ by kind and field; distinct values are counted exactly."""
    measured: dict[Hashable, Any] = {}
    for column in dataset.bundle.schema_.declared.columns:
        values = [v for v in kept[column.name] if not _is_null(v)] if column.name in kept else []
        measured["nulls", column.name] = len(kept) - len(values)
        if is_number(column.type):
            finite = [float(value) for value in values if math.isfinite(value)]
            measured["mean", column.name] = math.fsum(finite) / len(finite) if finite else None
            measured["infinite", column.name] = len(values) - len(finite)
        if any(metric.field == column.name and metric.min_distinct is not None for metric in dataset.bundle.dq.metrics):
            measured["distinct", column.name] = len({str(value) for value in values})
    return measured


def _is_null(value: Any) -> bool:
    import pandas as pd

    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value))
