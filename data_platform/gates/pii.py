"""G5_PII: which personal values were delivered, and does any remain?

On silver every detected value is remediated in the one write, so that findings are reported but are no failure. On gold
a remaining raw value holds the batch. ``pii_kind`` defines the patterns of values, ``token`` the tokens.

A masked, redacted or tokenized value is never detected again: a second remediation changes nothing. A mask keeps the
last four digits of a number and the domain of an address. A redacted value is ``[REDACTED:<kind>]`` and not NULL, even
if it is the whole value, so that NOT NULL columns keep their promise.

A sample of the other columns is searched for kinds that no rule is for (``undeclared``).

Text is searched, also within structs, arrays and maps (``pii_nested``) and in odd spellings (``pii_spelling``);
numbers and binary columns are not.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from data_platform.gates import undeclared
from data_platform.gates.batch import GoldBatch, SilverBatch
from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.pii_in_text import in_text
from data_platform.gates.expression.pii_nested import any_text, rebuilt
from data_platform.gates.expression.pii_search import searches
from data_platform.gates.expression.pii_text import holds, remediated
from data_platform.gates.expression.token import TokenKey
from data_platform.gates.pii_plan import SAFE as SAFE  # re-exported
from data_platform.gates.pii_plan import PiiPlan as PiiPlan
from data_platform.gates.plan import GatePlan
from data_platform.model.detector import CLASSIFIER, PATTERNS
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

    from pyspark.sql import Column
    from pyspark.sql.types import StructType

    from data_platform.gates.batch import Batch
    from data_platform.gates.expression.pii_in_text import InText
    from data_platform.gates.expression.pii_nested import Leaf
    from data_platform.gates.expression.pii_search import Sought
    from data_platform.gates.plan import Measured
    from data_platform.model.pii_policy import Pii


def planned(batch: Batch) -> GatePlan:
    """Raises: PolicyError, if a rule names a column that does not exist or is not text."""
    match batch:
        case SilverBatch():
            return SilverPii(batch)
        case GoldBatch():
            return GoldPii(batch)
    raise AssertionError("bronze keeps what was delivered")


class SilverPii(GatePlan):
    """Findings, which are remediated in the same write."""

    gate = Gate.G5_PII

    def __init__(self, batch: SilverBatch) -> None:
        self._plan = batch.personal
        self._policy = batch.bundle.pii

    def measures(self, kept: Column) -> Mapping[Hashable, Column]:
        from pyspark.sql import functions as F

        del kept
        return {signature: F.count_if(flag) for signature, flag in self._plan.found_by_safe().items()}

    def judge(self, measured: Measured) -> Verdict:
        verdict = judge(self._plan, _by_signature(measured), measured.read)
        return undeclared.judge(verdict, measured, self._policy, self._plan.found)


class GoldPii(GatePlan):
    """Remaining raw values, each of which holds the batch."""

    gate = Gate.G5_PII

    def __init__(self, batch: GoldBatch) -> None:
        self._leaks = leftover(batch.rows.schema, batch.bundle.pii)

    @property
    def flags(self) -> Mapping[str, Column]:
        return self._leaks

    @property
    def severities(self) -> Mapping[str, Severity]:
        return dict.fromkeys(self._leaks, Severity.BLOCK)

    def measures(self, kept: Column) -> Mapping[Hashable, Column]:
        from pyspark.sql import functions as F

        return {signature: F.count_if(kept & flag) for signature, flag in self._leaks.items()}

    def judge(self, measured: Measured) -> Verdict:
        return judge_leftover(list(self._leaks), _by_signature(measured), measured.read)


def _by_signature(measured: Measured) -> dict[str, int]:
    return {str(signature): count for signature, count in measured.measures.items()}


def plan(
    schema: StructType, policy: Pii, key: bytes | None, *, version: int = 1, free_text: Collection[str] = ()
) -> PiiPlan:
    """The plan of ``policy`` for typed rows of ``schema``; ``key`` is the secret of the tokens, of this ``version``.

    In columns ``free_text``, such as a record as it was delivered, bare digits count anywhere.

    Raises:
        PolicyError: A rule names a column that does not exist or is not text, two rules of a kind share one column, or
            values are to be tokenized without a key of at least 32 bytes.
    """
    sought_in = searches(schema, policy, free_text)
    token_key = TokenKey(key, version=version) if policy.tokenizes else None
    whole = PiiPlan(
        remediated=_columns(schema, sought_in, token_key),
        found=_flags(schema, sought_in, "PII"),
        actions={f"PII:{s.shape.label}:{leaf.path}": s.action.value for leaf, all_ in sought_in.items() for s in all_},
        nested=frozenset(
            f"PII:{s.shape.label}:{leaf.path}" for leaf, all_ in sought_in.items() for s in all_ if not leaf.is_column
        ),
    )
    by_column = {leaf.column: sought for leaf, sought in sought_in.items() if leaf.is_column}
    return _with_texts(whole, in_text(schema, policy), by_column, token_key)


def _with_texts(
    plan: PiiPlan, texts: Mapping[str, InText], sought: Mapping[str, Sequence[Sought]], key: TokenKey | None
) -> PiiPlan:
    """``plan`` with names and addresses within texts; ``sought`` are the patterns of the same columns."""
    if not texts:
        return plan
    steps = [one.steps(sought.get(name, ()), key) for name, one in texts.items()]
    found = {signature: flag for one in texts.values() for signature, flag in one.found().items()}
    actions = {
        f"PII:{la}:{one.column}": rule.action.value for one in texts.values() for la, (_, rule) in one.shapes.items()
    }
    return replace(
        plan,
        remediated=plan.remediated | {name: one.safe(sought.get(name, ()), key) for name, one in texts.items()},
        found=plan.found | found,
        actions=plan.actions | actions,
        in_text=frozenset(found),
        steps=tuple(dict(step) for step in zip(*steps, strict=True)),
    )


def leftover(schema: StructType, policy: Pii) -> dict[str, Column]:
    """Maps a signature (``PII_LEAK:EMAIL:contact``) to a never-NULL boolean, true if a raw value remains.

    Raises:
        PolicyError: A rule names a column that does not exist or is not text, or two rules of a kind share one column.
    """
    return _flags(schema, searches(schema, policy, ()), "PII_LEAK")


def judge(plan: PiiPlan, counts: Mapping[str, int], rows: int | None) -> Verdict:
    """Findings do not fail a batch, since they are remediated; an unknown count is an error.

    ``counts`` maps the signatures of ``plan.found`` to rows. Compliance is the share of searched values (rows times
    signatures) without a personal value; None if nothing was searched.
    """
    verdict = _judge(list(plan.found), counts, rows, Outcome.PASSED)
    findings = {result.signature: result.rows for result in verdict.results}
    metadata = {"findings": findings, "actions": dict(plan.actions), "rows_searched": rows, "detector": PATTERNS}
    if plan.in_text:
        metadata["classifier"] = CLASSIFIER
    return replace(verdict, metadata=metadata)


def judge_leftover(expected: Collection[str], counts: Mapping[str, int], rows: int | None) -> Verdict:
    """One remaining raw value in any of the ``expected`` signatures fails the batch; an unknown count is an error."""
    verdict = _judge(expected, counts, rows, Outcome.FAILED)
    if verdict.outcome is Outcome.FAILED:
        verdict = replace(verdict, reason="raw personal values are left: run silver again with the policy of today")
    return replace(verdict, metadata={"leaks": {result.signature: result.rows for result in verdict.results}})


def _judge(expected: Collection[str], counts: Mapping[str, int], rows: int | None, when_found: Outcome) -> Verdict:
    if rows is None or rows < 0:
        reason = "how many rows were searched is not known: run the batch again"
        return Verdict(gate=Gate.G5_PII, outcome=Outcome.ERRORED, reason=reason)
    results = tuple(_result(signature, counts.get(signature), rows, when_found) for signature in expected)
    outcome = worst(result.outcome for result in results) if results else Outcome.PASSED
    searched = rows * len(results)
    is_computable = searched > 0 and outcome is not Outcome.ERRORED
    return Verdict(
        gate=Gate.G5_PII,
        outcome=outcome,
        results=results,
        compliance=1 - sum(result.rows or 0 for result in results) / searched if is_computable else None,
        reason="; ".join(result.reason for result in results if result.reason),
    )


def _result(signature: str, count: int | None, rows: int, when_found: Outcome) -> RuleResult:
    if count is None or not 0 <= count <= rows:
        reason = f"{signature}: expected a count of 0 to {rows} rows, found {count}: run the batch again"
        return RuleResult.errored(signature, reason)
    outcome = when_found if count else Outcome.PASSED
    return RuleResult(rule=signature, signature=signature, outcome=outcome, severity=Severity.BLOCK, rows=count)


def _columns(schema: StructType, sought_in: Mapping[Leaf, Sequence[Sought]], key: TokenKey | None) -> dict[str, Column]:
    """Each searched column, with every text in it remediated."""
    changes: dict[str, dict[tuple[str, ...], Callable[[Column], Column]]] = {}
    for leaf, sought in sought_in.items():
        changes.setdefault(leaf.column, {})[leaf.steps] = partial(remediated, sought=sought, key=key)
    return {name: rebuilt(quoted(name), schema[name].dataType, texts) for name, texts in changes.items()}


def _flags(schema: StructType, sought_in: Mapping[Leaf, Sequence[Sought]], prefix: str) -> dict[str, Column]:
    flags: dict[str, Column] = {}
    for leaf, sought in sought_in.items():
        for position, item in enumerate(sought):
            contains = partial(holds, item=item, claimed=sought[:position])
            signature = f"{prefix}:{item.shape.label}:{leaf.path}"
            here = any_text(quoted(leaf.column), schema[leaf.column].dataType, leaf.steps, contains)
            flags[signature] = flags[signature] | here if signature in flags else here
    return flags
