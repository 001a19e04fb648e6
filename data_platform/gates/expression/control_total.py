"""Control totals: sums of columns that a sender promises, checked at every stage."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from data_platform.gates.expression.column import quoted
from data_platform.gates.expression.scalar import number_of
from data_platform.gates.expression.value import BLANKS
from data_platform.model.verdict import Outcome, RuleResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import Column

    from data_platform.model.verdict import Verdict

KEPT = "control_totals_kept"
_PLACES = 12
"""Places of a sum that every sum has: those of exchange rates; 26 digits remain before the point."""

_MOST_PLACES = 18
_NO_NUMBER = "what was promised is no number such as 30.00, with a point and without separators of thousands"
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:[eE][+-]?[0-9]{1,2})?")


def total(column: str, promised: Decimal, keep: Column | None = None) -> Column:
    """The sum of a column, for text of the numbers in it; NULL without any number.

    It has 12 places, or those of ``promised`` if these are more, up to 18. A sum that overflows is NULL too, and no
    total; ``sum`` would end the whole job.
    """
    from pyspark.sql import functions as F

    text = F.btrim(quoted(column).cast("string"), F.lit(BLANKS))
    written = -int(promised.as_tuple().exponent) if promised.is_finite() else 0
    places = min(max(_PLACES, written), _MOST_PLACES)
    value = number_of(text, exponents=True).try_cast(f"decimal(38,{places})")
    return F.try_sum(value if keep is None else F.when(keep, value))


def parse(promised: Mapping[str, str]) -> dict[str, Decimal]:
    """A total that is not a number becomes NaN, which equals no sum."""
    totals = {}
    for name, text in promised.items():
        totals[name] = Decimal(text) if _NUMBER.fullmatch(text) else Decimal("NaN")
    return totals


def judged(verdict: Verdict, sums: Mapping[str, Any], promised: Mapping[str, Decimal]) -> Verdict:
    """``verdict``, failed if a sum differs from the promised one. A sum without numbers counts as 0."""
    off = [name for name, total in promised.items() if (sums.get(name) or Decimal(0)) != total]
    results = tuple(_failure(name, promised[name]) for name in off)
    outcome = Outcome.FAILED if off and verdict.passed else verdict.outcome
    return replace(verdict, outcome=outcome, results=verdict.results + results)


def with_kept(verdict: Verdict, sums: Mapping[str, Any], names: Iterable[str]) -> Verdict:
    """``verdict`` with the sums that silver kept, recorded for gold to check."""
    kept = {name: _text(sums.get(name) or Decimal(0)) for name in names}
    return replace(verdict, metadata={**verdict.metadata, KEPT: kept}) if kept else verdict


def _text(total: Decimal) -> str:
    """Every digit of ``total``, without the zeros at its end; ``normalize`` would round to 28 digits."""
    text = f"{total:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _failure(name: str, promised: Decimal) -> RuleResult:
    reason = _NO_NUMBER if promised.is_nan() else "the sum of the column is not the one that was promised"
    return RuleResult.failed(f"CONTROL_TOTAL:{name}", reason, rule="CONTROL_TOTAL")
