"""G5_PII: which personal values came, and is none left?

On silver every finding is remediated in the one write, so that findings are told and are no failure. On gold a raw
value that is left holds the batch. What a value looks like is said in ``pii_kind``, what a token is in ``token``.

A masked, redacted or tokenized value is never found again: remediating twice changes nothing. A mask keeps the
last four digits of a number and the domain of an address. A redacted value is ``[REDACTED:<kind>]`` and not NULL, also
when it is the whole value, so that NOT NULL columns stay what they promise.

Text is searched, also within structs, arrays and maps (``pii_nested``) and in odd spellings (``pii_spelling``);
numbers and binary columns are not.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from data_platform.gates.batch import GoldBatch, SilverBatch
from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.pii_nested import any_text, rebuilt
from data_platform.gates.expression.pii_search import searches
from data_platform.gates.expression.pii_text import holds, remediated
from data_platform.gates.expression.token import TokenKey, is_one
from data_platform.gates.plan import GatePlan
from data_platform.model.policy import PiiAction
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict, worst

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Mapping, Sequence

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

    from data_platform.gates.batch import Batch
    from data_platform.gates.expression.pii_nested import Leaf
    from data_platform.gates.expression.pii_search import Sought
    from data_platform.gates.plan import Measured
    from data_platform.model.policy import Pii

SAFE = "_safe_"
"""What the name of a column of safe values begins with, while it is on its way."""


@dataclass(frozen=True)
class PiiPlan:
    """What is done with the text columns that the policy searches.

    ``remediated`` leads from column to its value with every finding remediated, ``found`` from signature
    (``PII:EMAIL:contact``) to a never-NULL boolean, true where the raw value holds one, ``actions`` from signature to
    ``tokenize``, ``mask`` or ``redact``. A text within a column has a signature of its own, such as
    ``PII:EMAIL:contact.email``. Columns are not shown: those of tokens hold what tokens are made with.
    """

    remediated: dict[str, Column] = field(repr=False)
    found: dict[str, Column] = field(repr=False)
    actions: dict[str, str]
    nested: frozenset[str] = frozenset()  # the signatures of texts within columns

    def computed_in(self, rows: DataFrame) -> DataFrame:
        """``rows`` with each safe value in a column of its own: computed once, and then counted and written."""
        return rows.withColumns({SAFE + name: value for name, value in self.remediated.items()})

    def told_by_safe(self) -> dict[str, Column]:
        """``found``, for rows of ``computed_in``: a value that was not changed held nothing, and is not searched again.

        A changed one is searched again only if several things are sought in it and it is no single token by now.
        """
        several: dict[str, list[str]] = {}
        for signature in (s for s in self.found if s not in self.nested):
            several.setdefault(signature.split(":", 2)[2], []).append(signature)
        told: dict[str, Column] = {signature: self.found[signature] for signature in self.nested}
        for name, signatures in several.items():
            safe = quoted(SAFE + name)
            changed = ~safe.eqNullSafe(quoted(name))
            which = self._which(safe, signatures) if len(signatures) > 1 else {}
            told |= {signature: changed & which[signature] if which else changed for signature in signatures}
        return told

    def _which(self, safe: Column, signatures: Sequence[str]) -> dict[str, Column]:
        from pyspark.sql import functions as F

        tokens = [s for s in signatures if self.actions[s] == PiiAction.TOKENIZE.value]
        which: dict[str, Column] = {}
        for signature in signatures:
            told = self.found[signature]
            for token in tokens:
                told = F.when(is_one(safe, token.split(":", 2)[1]), F.lit(token == signature)).otherwise(told)
            which[signature] = told
        return which


def planned(batch: Batch) -> GatePlan:
    """Raises: PolicyError, if a rule names a column that is not there or not text."""
    match batch:
        case SilverBatch():
            return SilverPii(batch)
        case GoldBatch():
            return GoldPii(batch)
    raise AssertionError("bronze keeps what was delivered")


class SilverPii(GatePlan):
    """Findings, which the same write remediates."""

    gate = Gate.G5_PII

    def __init__(self, batch: SilverBatch) -> None:
        self._found = batch.personal

    def measures(self, kept: Column) -> Mapping[Hashable, Column]:
        from pyspark.sql import functions as F

        del kept
        return {signature: F.count_if(flag) for signature, flag in self._found.told_by_safe().items()}

    def judge(self, measured: Measured) -> Verdict:
        return judge(self._found, _by_signature(measured), measured.read)


class GoldPii(GatePlan):
    """Raw values that are left, each of which holds the batch."""

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

        del kept
        return {signature: F.count_if(flag) for signature, flag in self._leaks.items()}

    def judge(self, measured: Measured) -> Verdict:
        return judge_leftover(list(self._leaks), _by_signature(measured), measured.read)


def _by_signature(measured: Measured) -> dict[str, int]:
    return {str(signature): count for signature, count in measured.measures.items()}


def plan(schema: StructType, policy: Pii, key: bytes | None, *, told: Collection[str] = ()) -> PiiPlan:
    """What ``policy`` asks of typed rows of ``schema``; ``key`` is the secret that tokens are made with.

    In columns ``told``, such as a record as it was delivered, bare digits count anywhere.

    Raises:
        PolicyError: A rule names a column that is not there or not text, two rules of a kind claim one column, or
            values are to be tokenized without a key of at least 32 bytes.
    """
    sought_in = searches(schema, policy, told)
    tokens = any(rule.action is PiiAction.TOKENIZE for rule in policy.detection)
    token_key = TokenKey(key) if tokens else None
    return PiiPlan(
        remediated=_columns(schema, sought_in, token_key),
        found=_found(schema, sought_in, "PII"),
        actions={f"PII:{s.shape.label}:{leaf.path}": s.action.value for leaf, all_ in sought_in.items() for s in all_},
        nested=frozenset(
            f"PII:{s.shape.label}:{leaf.path}" for leaf, all_ in sought_in.items() for s in all_ if not leaf.is_column
        ),
    )


def leftover(schema: StructType, policy: Pii) -> dict[str, Column]:
    """Signature (``PII_LEAK:EMAIL:contact``) to a never-NULL boolean, true where the value still holds a raw one.

    Raises:
        PolicyError: A rule names a column that is not there or not text, or two rules of a kind claim one column.
    """
    return _found(schema, searches(schema, policy, ()), "PII_LEAK")


def judge(plan: PiiPlan, counts: Mapping[str, int], rows: int | None) -> Verdict:
    """Findings do not fail a batch, as they are remediated; a count that is not known is an error.

    ``counts`` leads from the signatures of ``plan.found`` to rows. Compliance is the share of searched values
    (rows times signatures) in which no personal value came; None if nothing was searched.
    """
    verdict = _judge(list(plan.found), counts, rows, Outcome.PASSED)
    findings = {result.signature: result.rows for result in verdict.results}
    return replace(verdict, metadata={"findings": findings, "actions": dict(plan.actions)})


def judge_leftover(expected: Collection[str], counts: Mapping[str, int], rows: int | None) -> Verdict:
    """One raw value left in any of the ``expected`` signatures fails the batch; an unknown count is an error."""
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
    known = searched > 0 and outcome is not Outcome.ERRORED
    return Verdict(
        gate=Gate.G5_PII,
        outcome=outcome,
        results=results,
        compliance=1 - sum(result.rows or 0 for result in results) / searched if known else None,
        reason="; ".join(result.reason for result in results if result.reason),
    )


def _result(signature: str, count: int | None, rows: int, when_found: Outcome) -> RuleResult:
    if count is None or not 0 <= count <= rows:
        reason = f"{signature}: expected a count of 0 to {rows} rows, found {count}: run the batch again"
        return RuleResult(
            rule=signature,
            signature=signature,
            outcome=Outcome.ERRORED,
            severity=Severity.BLOCK,
            rows=None,
            reason=reason,
        )
    outcome = when_found if count else Outcome.PASSED
    return RuleResult(rule=signature, signature=signature, outcome=outcome, severity=Severity.BLOCK, rows=count)


def _columns(schema: StructType, sought_in: Mapping[Leaf, Sequence[Sought]], key: TokenKey | None) -> dict[str, Column]:
    """Each column that is searched, with every text in it remediated."""
    changes: dict[str, dict[tuple[str, ...], Callable[[Column], Column]]] = {}
    for leaf, sought in sought_in.items():
        changes.setdefault(leaf.column, {})[leaf.steps] = partial(remediated, sought=sought, key=key)
    return {name: rebuilt(quoted(name), schema[name].dataType, texts) for name, texts in changes.items()}


def _found(schema: StructType, sought_in: Mapping[Leaf, Sequence[Sought]], word: str) -> dict[str, Column]:
    found: dict[str, Column] = {}
    for leaf, sought in sought_in.items():
        for position, item in enumerate(sought):
            asked = partial(holds, item=item, claimed=sought[:position])
            signature = f"{word}:{item.shape.label}:{leaf.path}"
            here = any_text(quoted(leaf.column), schema[leaf.column].dataType, leaf.steps, asked)
            found[signature] = found[signature] | here if signature in found else here
    return found
