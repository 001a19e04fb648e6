"""Rules that people let a batch break: a verdict passes although such a rule is broken, and its metadata says so.

Only the contract and the metrics of fields can be let through, only the named rules, and for each at most as many rows
as were approved. A rule that could not be judged is never let through, nor are columns, personal values and counts that
the sender declared.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from data_platform.model.number_text import number_of
from data_platform.model.verdict import Gate, Outcome, RuleResult, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

RELEASED = "released"
"""The metadata key of a verdict or a report for the rules that people let it break, with the rows."""

ROWS, RULES, BY = "rows", "rules", "by"
"""The keys below ``RELEASED`` in a report's metadata."""

_GATES = frozenset({Gate.G4_CONTRACT, Gate.DQ})


def release(verdict: Verdict, allowed: Mapping[str, int | None]) -> Verdict:
    """``verdict``, passed if only allowed rules keep it from passing. ``allowed`` maps signatures to approved rows."""
    if verdict.outcome is not Outcome.FAILED or verdict.gate not in _GATES:
        return verdict
    holding = [result for result in verdict.results if result.holds]
    if not holding or not all(_is_allowed(result, allowed) for result in holding):
        return verdict
    rules = {result.signature: result.rows for result in holding}
    return replace(
        verdict,
        outcome=Outcome.PASSED,
        reason=f"released by people: {', '.join(rules)}",
        metadata={**verdict.metadata, RELEASED: rules},
    )


def _is_allowed(result: RuleResult, allowed: Mapping[str, int | None]) -> bool:
    if result.outcome is not Outcome.FAILED or result.signature not in allowed:
        return False
    most = allowed[result.signature]
    return result.rows is None if most is None else result.rows is not None and result.rows <= most


def sentence(released: Mapping[str, Any]) -> str:
    """``people released what breaks INVARIANT:amount:positive (2 rows): …``; empty if nothing was released."""
    if not released:
        return ""
    rules = ", ".join(
        f"{signature} ({number_of(rows, 'row')})" if rows else signature for signature, rows in released[RULES].items()
    )
    return f"people released what breaks {rules}: {'; '.join(released[BY])}"
