"""Text columns whose values are no longer of their declared type, counted in bronze's write.

A text file has no types, so a column there counts as retyped if nine in ten of its values are not of the declared
type: one bad value is a bad row, which silver quarantines; a bad column is another schema. It holds the batch in every
mode, since no row could be read.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from data_platform.gates.expression.value import expected_form, form_of, typed
from data_platform.gates.expression.visible_name import visible
from data_platform.gates.schema_mode import reason_of
from data_platform.model.verdict import Outcome, RuleResult, Verdict

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pyspark.sql import Column

    from data_platform.model.schema import Schema

RETYPED_SHARE = 0.9
"""The share of a text column's values that must not be of the declared type for the column to count as retyped."""


@dataclass(frozen=True)
class Retyping:
    """Two counts of one text column in bronze's write: values, and those that are not of the declared type.

    ``form`` is the form of one of the latter, without any of its digits and letters.
    """

    column: str
    declared: str
    values: Column
    misfits: Column
    form: Column


def plan(declared: Schema, present: Sequence[str]) -> tuple[Retyping, ...]:
    """The counts for a text delivery, for each declared column in ``present`` that is not itself text."""
    from pyspark.sql import functions as F

    from data_platform.gates.expression.column import quoted

    names = {name.lower(): name for name in present}
    plans = []
    for column in declared.columns:
        name = names.get(column.name.lower())
        if name is None or column.type == "string":
            continue
        mismatch = next(iter(typed(name, column.type).broken.values()), None)
        if mismatch is not None:
            has_value = F.nullif(F.trim(quoted(name)), F.lit("")).isNotNull()
            form = F.min(F.when(mismatch, form_of(quoted(name))))
            plans.append(Retyping(column.name, column.type, F.count_if(has_value), F.count_if(mismatch), form))
    return tuple(plans)


def judge_retyping(
    before: Verdict,
    plans: Sequence[Retyping],
    counts: Mapping[str, tuple[int, int]],
    forms: Mapping[str, str | None] | None = None,
) -> Verdict:
    """``before`` with the text columns that were retyped.

    ``counts`` maps columns to (values, misfits), ``forms`` to the form of a value that does not fit.
    """
    results = list(before.results)
    for item in plans:
        values, misfits = counts[item.column]
        if values and misfits / values >= RETYPED_SHARE:
            declared_type = item.declared.split("(")[0].upper()
            reason = _retyped(item, values, misfits, (forms or {}).get(item.column))
            signature = f"SCHEMA_BREAK:{item.column}:{declared_type}→STRING"
            results.append(RuleResult.failed(signature, reason, rule=item.column, rows=misfits))
    return Verdict(
        gate=before.gate,
        outcome=Outcome.FAILED if any(result.holds for result in results) else before.outcome,
        results=tuple(results),
        reason=before.reason or reason_of(results),
        metadata=before.metadata,
    )


def _retyped(item: Retyping, values: int, misfits: int, form: str | None) -> str:
    example = f", found a form such as {form} (# for a digit, a for letters)" if form else ""
    return (
        f"column {visible(item.column)}: {misfits} of {values} values are not of type {item.declared.upper()}: "
        f"expected {expected_form(item.declared)}{example}"
    )
