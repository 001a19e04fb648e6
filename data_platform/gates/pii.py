"""G5_PII: which personal values came, and is none left?

On silver every finding is remediated in the one write, so that findings are told and are no failure. On gold a raw
value that is left holds the batch. What a value looks like is said in ``pii_kind``, what a token is in ``token``.

A masked, redacted or tokenized value is never found again: remediating twice changes nothing. A mask keeps the
last four digits of a number and the domain of an address. A redacted value is ``[REDACTED:<kind>]`` and not NULL, also
when it is the whole value, so that NOT NULL columns stay what they promise.

Text columns only are searched: not numbers, and not texts within arrays and structs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING

from data_platform.gates.column import quoted
from data_platform.gates.pii_kind import has_at
from data_platform.gates.pii_search import searches
from data_platform.gates.token import TokenKey, is_one, spliced
from data_platform.model.policy import PiiAction
from data_platform.model.verdict import Gate, Outcome, RuleResult, Severity, Verdict, worst

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.types import StructType

    from data_platform.gates.pii_search import Sought
    from data_platform.model.policy import Pii

SAFE = "_safe_"
"""What the name of a column of safe values begins with, while it is on its way."""

_GONE = "*"


@dataclass(frozen=True)
class PiiPlan:
    """What is done with the text columns that the policy searches.

    ``remediated`` leads from column to its value with every finding remediated, ``found`` from signature
    (``PII:EMAIL:contact``) to a never-NULL boolean, true where the raw value holds one, ``actions`` from signature to
    ``tokenize``, ``mask`` or ``redact``. Columns are not shown: those of tokens hold what tokens are made with.
    """

    remediated: dict[str, Column] = field(repr=False)
    found: dict[str, Column] = field(repr=False)
    actions: dict[str, str]

    def computed_in(self, rows: DataFrame) -> DataFrame:
        """``rows`` with each safe value in a column of its own: computed once, and then counted and written."""
        return rows.withColumns({SAFE + name: value for name, value in self.remediated.items()})

    def told_by_safe(self) -> dict[str, Column]:
        """``found``, for rows of ``computed_in``: a value that was not changed held nothing, and is not searched again.

        A changed one is searched again only if several things are sought in it and it is no single token by now.
        """
        several: dict[str, list[str]] = {}
        for signature in self.found:
            several.setdefault(signature.split(":", 2)[2], []).append(signature)
        told: dict[str, Column] = {}
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
        remediated={name: _remediated(quoted(name), sought, token_key) for name, sought in sought_in.items()},
        found=_found(sought_in, "PII"),
        actions={f"PII:{s.shape.label}:{name}": s.action.value for name, sought in sought_in.items() for s in sought},
    )


def leftover(schema: StructType, policy: Pii) -> dict[str, Column]:
    """Signature (``PII_LEAK:EMAIL:contact``) to a never-NULL boolean, true where the value still holds a raw one.

    Raises:
        PolicyError: A rule names a column that is not there or not text, or two rules of a kind claim one column.
    """
    return _found(searches(schema, policy, ()), "PII_LEAK")


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


def _found(sought_in: Mapping[str, Sequence[Sought]], word: str) -> dict[str, Column]:
    from pyspark.sql import functions as F

    found: dict[str, Column] = {}
    for name, sought in sought_in.items():
        value = quoted(name)
        for position, item in enumerate(sought):
            text = _without(value, sought[:position])
            holds = F.when(item.shape.candidate(value), text.rlike(item.pattern)).otherwise(F.lit(False))
            found[f"{word}:{item.shape.label}:{name}"] = holds
    return found


def _without(value: Column, claimed: Sequence[Sought]) -> Column:
    """The text less what other shapes claim. Shapes overlap only around an @ or a +, and taking out costs."""
    from pyspark.sql import functions as F

    if not claimed:
        return value
    rest = reduce(lambda text, item: F.regexp_replace(text, item.pattern, _GONE), claimed, value)
    return F.when(_overlapping(value), rest).otherwise(value)


def _overlapping(value: Column) -> Column:
    return has_at(value) | value.contains("+")


def _remediated(value: Column, sought: Sequence[Sought], key: TokenKey | None) -> Column:
    """One pass for each shape, the later ones over what the earlier ones left."""
    from pyspark.sql import functions as F

    text = value
    # One guard for all shapes of a candidate, asked of the raw value: a guard for each would copy the text before it.
    for candidate in dict.fromkeys(item.shape.candidate for item in sought):
        items = [item for item in sought if item.shape.candidate is candidate]
        replaced = reduce(lambda before, item: _replaced(before, item, key), items, text)
        text = F.when(candidate(value), replaced).otherwise(text)
    # From the last to the first, so that the first is asked first: an SSN is not asked whether it is an ITIN.
    for position, item in reversed(list(enumerate(sought))):
        if key is not None and item.action is PiiAction.TOKENIZE:
            text = F.when(_is_whole(value, item, first=position == 0), _token(value, item, key)).otherwise(text)
    return text


def _is_whole(value: Column, item: Sought, *, first: bool) -> Column:
    """A column of nothing but such values gets its tokens from here, at a third of what splicing them in costs."""
    whole = item.shape.candidate(value) & value.rlike(rf"\A(?:{item.pattern})\z")
    return whole if first else whole & ~_overlapping(value)


def _token(match: Column, item: Sought, key: TokenKey) -> Column:
    return key.token(item.shape.label, item.shape.normal(match))


def _replaced(text: Column, item: Sought, key: TokenKey | None) -> Column:
    from pyspark.sql import functions as F

    if item.action is PiiAction.MASK:
        return F.regexp_replace(text, item.pattern, item.shape.mask)
    if item.action is PiiAction.REDACT:
        return F.regexp_replace(text, item.pattern, f"[REDACTED:{item.shape.label}]")
    assert key is not None, "plan makes a key when a rule tokenizes"  # noqa: S101
    tokens = key
    return spliced(text, item.pattern, lambda match: _token(match, item, tokens))
